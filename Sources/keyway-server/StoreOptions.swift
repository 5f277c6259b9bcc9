import ArgumentParser
import KeyStore
import KeyStoreSQLite

/// Where the data is, and what opens it.
struct StoreOptions: ParsableArguments {
    @Option(
        name: .customLong("data"),
        help: ArgumentHelp("The data folder; created where there is none.", valueName: "folder")
    )
    var dataFolder: String?

    @Option(
        help: ArgumentHelp(
            "A PostgreSQL database instead of the one in the data folder: postgres://user@host/database.",
            valueName: "address"
        )
    )
    var store: String?

    @Option(help: ArgumentHelp("A file with the password that PostgreSQL wants, mode 0600.", valueName: "file"))
    var storePasswordFile: String?

    @Option(help: ArgumentHelp("The name of an environment variable with the password instead.", valueName: "variable"))
    var storePasswordVariable: String?

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

    @Option(
        help: ArgumentHelp("A command for /bin/sh that prints the key-encryption key instead.", valueName: "command")
    )
    var kekCommand: String?

    func validate() throws {
        guard [kekFile, kekVariable, kekCommand].count(where: { $0 != nil }) <= 1 else {
            throw ValidationError("Give one of --kek-file, --kek-variable and --kek-command.")
        }
        guard storePasswordFile == nil || storePasswordVariable == nil else {
            throw ValidationError("Give --store-password-file or --store-password-variable, not both.")
        }
        guard store != nil || storePasswordFile == nil && storePasswordVariable == nil else {
            throw ValidationError("A password is for --store.")
        }
        guard dataFolder != nil || store != nil && keySource != .dataFolder else {
            throw ValidationError(
                store == nil
                    ? "Give --data, or --store for PostgreSQL."
                    : "With --store, give --kek-file, --kek-variable or --kek-command too."
            )
        }
    }

    /// The data folder; empty where none is needed.
    var data: String { dataFolder ?? "" }

    /// Where the key-encryption key comes from.
    var keySource: KeyEncryptionKeySource {
        if let kekFile {
            .file(kekFile)
        } else if let kekVariable {
            .environment(kekVariable)
        } else if let kekCommand {
            .command(kekCommand)
        } else {
            .dataFolder
        }
    }

    /// Where everything is.
    var place: StorePlace {
        guard let store else { return .dataFolder(data, key: keySource) }
        var settings = StorePlace.Postgres(url: store, folder: data, key: keySource)
        settings.passwordFile = storePasswordFile
        settings.passwordVariable = storePasswordVariable
        return .postgres(settings)
    }

    /// Opens the store for one piece of work, and closes it. The store's errors get a word on what to do next.
    func withStore(_ work: (any KeyStore) async throws -> Void) async throws {
        try await Self.explainingErrors { try await place.withStore { try await work($0.store) } }
    }

    /// The same for work that only this kind of store does.
    func withSQLiteStore(_ work: (SQLiteKeyStore) async throws -> Void) async throws {
        try requireSQLite()
        try await Self.explainingErrors {
            try await place.withStore { opened in
                if case .sqlite(let store) = opened { try await work(store) }
            }
        }
    }

    /// Holds that the store is the one in the data folder.
    func requireSQLite() throws {
        guard store == nil else {
            throw CommandFailure(
                "this is for the database in a data folder; PostgreSQL has tools of its own: see docs/many-nodes.md"
            )
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
