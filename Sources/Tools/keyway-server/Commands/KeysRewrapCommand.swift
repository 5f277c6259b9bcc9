import ArgumentParser
import KeyStore
import KeyStorePostgres
import KeyStoreSQLite

/// `keys rewrap`.
struct KeysRewrapCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rewrap",
        abstract: "Seal every secret anew, under another key-encryption key.",
        discussion: """
            --new-kek-file is a file with the new key, 64 hexadecimal digits, mode 0600; where there is none, a key is made. \
            If the key is in the data folder, the new one takes its place there, and the former is kept beside it as \
            kek.ID, since earlier backups open with nothing else. Content keys do not change. A running server goes on \
            without a pause if it has read both keys before, as lines of its file; another finds the new key \
            within `certificates.reload`, or on SIGHUP. If this is cut off, run it again with the same options.
            """
    )

    @OptionGroup var store: StoreOptions
    @Option(help: ArgumentHelp("A file with the new key-encryption key; made where there is none.", valueName: "file"))
    var newKekFile: String

    func run() async throws {
        if store.store != nil { return try await rewrapPostgres() }
        let outcome = try await SQLiteKeyStore.rewrap(
            dataFolder: store.data,
            key: store.keySource,
            newKeyFile: newKekFile
        )
        let source = store.keySource == .dataFolder ? store.keySource : .file(newKekFile)
        let opened = try SQLiteKeyStore(dataFolder: store.data, key: source, creating: .never)
        defer { try? opened.close() }
        try await opened.note("keys rewrap", "keys-rewrap", "every secret sealed under another key-encryption key")
        if outcome.madeKey { print("made a new key-encryption key in \(newKekFile)") }
        print(outcome.resealed ? "sealed every secret anew" : "every secret was sealed under that key already")
        if let former = outcome.formerKeyFile { print("\(former) has the former key: earlier backups need it") }
        if store.keySource == .dataFolder { print("the data folder has the new key") } else { sayWhereTheKeyGoes() }
    }

    private func rewrapPostgres() async throws {
        let kept = try KeyEncryptionKey.load(file: newKekFile)
        try await opened(or: kept == nil ? nil : .file(newKekFile)) { opened, isUnderNewKey in
            guard case .postgres(let database) = opened else { return }
            // Not before the store is open: a mistyped address leaves nothing behind.
            let key: KeyEncryptionKey = if let kept { kept } else { try .create(file: newKekFile) }
            if kept == nil { print("made a new key-encryption key in \(newKekFile)") }
            if !isUnderNewKey { try await database.rotate(to: key) }
            try await database.note(
                "keys rewrap",
                "keys-rewrap",
                "every secret sealed under another key-encryption key"
            )
            print(isUnderNewKey ? "every secret was sealed under that key already" : "sealed every secret anew")
            print("what was sealed under the former key is in the database's files until VACUUM has cleared it")
        }
        sayWhereTheKeyGoes()
    }

    /// Opens the store with its key, or with the new one, if that is there and the store has been sealed anew already.
    private func opened(
        or newKey: KeyEncryptionKeySource?,
        _ work: (StorePlace.Opened, _ isUnderNewKey: Bool) async throws -> Void
    ) async throws {
        guard case .postgres(let place) = store.place else { return }
        do {
            try await store.place.withStore { try await work($0, false) }
        } catch let error as KeyStoreError where error.code == .wrongKEK {
            guard let newKey else { throw error }
            try await StorePlace.postgres(place.with(newKey)).withStore { try await work($0, true) }
        }
    }

    private func sayWhereTheKeyGoes() {
        print("put the new key where the servers read it, in the place of the former")
    }
}
