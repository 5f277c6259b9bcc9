import ArgumentParser
import KeyStore
import KeyStoreSQLite

/// The options that locate and open the store.
struct StoreOptions: ParsableArguments {
    @Option(
        name: .customLong("data"),
        help: ArgumentHelp("The data folder.", valueName: "folder")
    )
    var dataFolder: String?

    @Option(
        help: ArgumentHelp(
            "A PostgreSQL database instead of the one in the data folder: postgres://user@host/database.",
            valueName: "address"
        )
    )
    var store: String?

    @Option(help: ArgumentHelp("A file with the PostgreSQL password, mode 0600.", valueName: "file"))
    var storePasswordFile: String?

    @Option(
        help: ArgumentHelp("The environment variable that contains the PostgreSQL password.", valueName: "variable")
    )
    var storePasswordVariable: String?

    @Option(
        help: ArgumentHelp(
            "A file with the key-encryption key, 64 hexadecimal digits, mode "
                + "0600. The default is the key in the data folder.",
            valueName: "file"
        )
    )
    var kekFile: String?

    @Option(
        help: ArgumentHelp(
            "The environment variable that contains the key-encryption key.",
            valueName: "variable"
        )
    )
    var kekVariable: String?

    @Option(
        help: ArgumentHelp("A command for /bin/sh that prints the key-encryption key.", valueName: "command")
    )
    var kekCommand: String?

    func validate() throws {
        guard [kekFile, kekVariable, kekCommand].count(where: { $0 != nil }) <= 1 else {
            throw ValidationError("Use only one of --kek-file, --kek-variable and --kek-command.")
        }
        guard storePasswordFile == nil || storePasswordVariable == nil else {
            throw ValidationError("Use --store-password-file or --store-password-variable, not both.")
        }
        guard store != nil || storePasswordFile == nil && storePasswordVariable == nil else {
            throw ValidationError("--store-password-file and --store-password-variable require --store.")
        }
        guard dataFolder != nil || store != nil && keySource != .dataFolder else {
            throw ValidationError(
                store == nil
                    ? "Add --data FOLDER, or --store ADDRESS for PostgreSQL."
                    : "--store requires --kek-file, --kek-variable or --kek-command."
            )
        }
    }

    /// The data folder, or an empty string if the options name none.
    var data: String { dataFolder ?? "" }

    /// The source of the key-encryption key.
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

    /// The location of the store and the source of its key.
    var location: StoreLocation {
        guard let store else { return .dataFolder(data, key: keySource) }
        var settings = StoreLocation.Postgres(url: store, folder: data, key: keySource)
        settings.passwordFile = storePasswordFile
        settings.passwordVariable = storePasswordVariable
        return .postgres(settings)
    }

    /// Opens the store, runs `work`, and closes the store.
    ///
    /// - Parameter creating: Whether to create a store that does not exist. If one is created, a line on standard error
    ///   reports it, because the name may be mistyped.
    func withStore(creating: StoreCreation = .never, _ work: (any KeyServerStore) async throws -> Void) async throws {
        try await location.withStore(creating: creating) { opened in
            if opened.isNew { for line in location.contents { printToStandardError("created \(line)") } }
            try await work(opened.store)
        }
    }

    /// Opens the SQLite store, runs `work`, and closes the store.
    func withSQLiteStore(_ work: (SQLiteKeyStore) async throws -> Void) async throws {
        try requireSQLite()
        try await location.withStore { opened in
            if case .sqlite(let store) = opened { try await work(store) }
        }
    }

    /// Throws if the store is not the SQLite database of the data folder.
    func requireSQLite() throws {
        guard store == nil else {
            throw CommandFailure(
                "this command works only with an SQLite database (--data); for "
                    + "PostgreSQL use its own tools: see docs/many-nodes.md"
            )
        }
    }
}
