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

    /// Opens the store for one piece of work, and closes it. The store's errors get a word on what to do next.
    func withStore(_ work: (any KeyStore) async throws -> Void) async throws {
        do {
            let store = try open()
            do {
                try await work(store)
            } catch {
                try? store.close()
                throw error
            }
            try store.close()
        } catch let error as KeyStoreError {
            throw CommandFailure("\(error)" + (Self.nextStep(after: error.code).map { "; \($0)" } ?? ""))
        }
    }

    private static func nextStep(after code: KeyStoreError.Code) -> String? {
        switch code {
        case .conflict: "--replace puts the new one in its place, unless something refers to the old one"
        case .missingReference: "add it first"
        case .unsafePermissions: "chmod it as that says"
        case .locked: "another process holds the database; try again"
        case .wrongKEK, .missingKEK: "give the key-encryption key that this database was made with"
        default: nil
        }
    }
}
