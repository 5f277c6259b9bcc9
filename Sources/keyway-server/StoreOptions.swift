import ArgumentParser
import KeyStore
import KeyStoreSQLite

/// Where the data is, and what opens it.
struct StoreOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The data folder; created where there is none.", valueName: "folder"))
    var data: String

    @Option(
        help: ArgumentHelp(
            "A file with the key-encryption key, 64 hexadecimal digits, mode 0600. Without it the key is in the data folder.",
            valueName: "file"
        )
    )
    var kekFile: String?

    @Option(
        help: ArgumentHelp(
            "The name of an environment variable with the key-encryption key instead.",
            valueName: "variable"
        )
    )
    var kekVariable: String?

    func validate() throws {
        guard kekFile == nil || kekVariable == nil else {
            throw ValidationError("Give --kek-file or --kek-variable, not both.")
        }
    }

    /// Opens the store.
    func open() throws(KeyStoreError) -> SQLiteKeyStore {
        let source: KeyEncryptionKeySource =
            if let kekFile { .file(kekFile) } else if let kekVariable { .environment(kekVariable) } else { .dataFolder }
        return try SQLiteKeyStore(dataFolder: data, key: source)
    }

    /// Opens the store for one piece of work, and closes it.
    func withStore(_ work: (any KeyStore) async throws -> Void) async throws {
        let store = try open()
        do {
            try await work(store)
        } catch {
            try? store.close()
            throw error
        }
        try store.close()
    }
}
