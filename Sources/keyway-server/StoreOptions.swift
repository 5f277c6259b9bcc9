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

    /// Where the key-encryption key comes from.
    var keySource: KeyEncryptionKeySource {
        if let kekFile { .file(kekFile) } else if let kekVariable { .environment(kekVariable) } else { .dataFolder }
    }

    /// Opens the store.
    func open() throws(KeyStoreError) -> SQLiteKeyStore {
        try SQLiteKeyStore(dataFolder: data, key: keySource)
    }

    /// Opens the store for one piece of work, and closes it. The store's errors get a word on what to do next.
    func withStore(_ work: (any KeyStore) async throws -> Void) async throws {
        try await withSQLiteStore { store in try await work(store) }
    }

    /// The same for work that only this kind of store does.
    func withSQLiteStore(_ work: (SQLiteKeyStore) async throws -> Void) async throws {
        try await Self.explainingErrors {
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

    /// Gives the store's errors a word on what to do next.
    static func explainingErrors<Value>(_ work: () async throws -> Value) async throws -> Value {
        do {
            return try await work()
        } catch let error as KeyStoreError {
            throw CommandFailure("\(error)" + (nextStep(after: error).map { "; \($0)" } ?? ""))
        }
    }

    private static func nextStep(after error: KeyStoreError) -> String? {
        switch error.code {
        case .conflict where error.reason == KeyStoreError.exists("").reason:
            "--replace puts the new one in its place"
        case .missingReference: "add it first"
        case .unsafePermissions: "chmod it as that says"
        case .locked: "another process holds the database; try again"
        case .wrongKEK, .missingKEK: "give the key-encryption key that this database was made with"
        default: nil
        }
    }
}
