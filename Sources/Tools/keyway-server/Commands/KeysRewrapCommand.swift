import ArgumentParser
import KeyStore
import KeyStorePostgres
import KeyStoreSQLite
import ToolSupport

/// `keys rewrap`.
struct KeysRewrapCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rewrap",
        abstract: "Re-encrypt every secret with a new key-encryption key.",
        discussion: """
            Content keys do not change. If the command is interrupted, run it again with the same options.

            If the current key is in the data folder of an SQLite store, the new key replaces it there, and the old \
            key is saved as kek.ID in the same folder, where ID is the ID of the old key in hexadecimal digits. Keep \
            it, because earlier backups can be decrypted only with it. If the current key is elsewhere (--kek-file, \
            --kek-variable, or --kek-command) or the store is in PostgreSQL, replace it yourself with the new key \
            wherever the servers read it.

            A running server that has already loaded both keys, one per line of its key source, continues without \
            interruption. Any other server refuses requests until it has loaded the new key: at most the time of the \
            setting `certificates.reload` (default: PT10S) after the key is in place, or on SIGHUP.
            """
    )

    @OptionGroup var store: StoreOptions
    @Option(
        help: ArgumentHelp(
            """
            A file with only the new key-encryption key, 64 hexadecimal digits, mode 0600. If it does not exist, it \
            is created with a random key.
            """,
            valueName: "file"
        )
    )
    var newKekFile: InputPath

    func run() async throws {
        let folder: String
        let key: KeyEncryptionKeySource
        switch try store.location() {
        case .postgres(let location): return try await rewrap(location)
        case .dataFolder(let path, let source): (folder, key) = (path, source)
        }
        let outcome = try await SQLiteKeyStore.rewrap(dataFolder: folder, key: key, newKeyFile: newKekFile.path)
        let source = key == .dataFolder ? key : .file(newKekFile.path)
        let opened = try SQLiteKeyStore(dataFolder: folder, key: source, creating: .never)
        defer { try? opened.close() }
        try await opened.appendAudit(
            "keys rewrap",
            "keys-rewrap",
            "every secret encrypted with a new key-encryption key"
        )
        if outcome.createdKey { try printLine("created a new key-encryption key in \(newKekFile)") }
        try printLine(
            outcome.reencrypted
                ? "encrypted every secret with the new key" : "every secret was already encrypted with that key"
        )
        if let previous = outcome.oldKeyFile {
            try printLine("\(previous) contains the old key: earlier backups require it")
        }
        if key == .dataFolder {
            try printLine("the data folder contains the new key")
        } else {
            try printKeyInstruction()
        }
    }

    private func rewrap(_ location: StoreLocation.Postgres) async throws {
        let existing = try KeyEncryptionKey.load(file: newKekFile.path)
        try await opened(location, or: existing == nil ? nil : .file(newKekFile.path)) { opened, isUnderNewKey in
            guard case .postgres(let database) = opened else { return }
            // The key is created only after the store has been opened, so that a mistyped address leaves no file.
            let key: KeyEncryptionKey = if let existing { existing } else { try .create(file: newKekFile.path) }
            if existing == nil { try printLine("created a new key-encryption key in \(newKekFile)") }
            if !isUnderNewKey { try await database.rotate(to: key) }
            try await database.appendAudit(
                "keys rewrap",
                "keys-rewrap",
                "every secret encrypted with a new key-encryption key"
            )
            try printLine(
                isUnderNewKey
                    ? "every secret was already encrypted with that key" : "encrypted every secret with the new key"
            )
            try printLine("secrets encrypted with the old key remain in the database's files until VACUUM removes them")
        }
        try printKeyInstruction()
    }

    /// Opens the store with its key, or with the new key if it exists and the store is already encrypted with it.
    private func opened(
        _ location: StoreLocation.Postgres,
        or newKey: KeyEncryptionKeySource?,
        _ work: (StoreLocation.OpenStore, _ isUnderNewKey: Bool) async throws -> Void
    ) async throws {
        do {
            try await StoreLocation.postgres(location).withStore { try await work($0, false) }
        } catch let error as KeyStoreError where error.code == .wrongKEK {
            guard let newKey else { throw error }
            try await StoreLocation.postgres(location.with(newKey)).withStore { try await work($0, true) }
        }
    }

    private func printKeyInstruction() throws {
        try printLine("replace the old key with the new key where the servers read it")
    }
}
