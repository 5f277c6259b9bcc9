import ArgumentParser
import KeyStore
import KeyStoreSQLite

/// Where the data is, and what opens it.
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

    /// Opens the store for one piece of work, and closes it.
    ///
    /// - Parameter creating: What to do where there is none. Where one is created, standard error has that, since the name
    ///   may have been mistyped.
    func withStore(creating: StoreCreation = .never, _ work: (any KeyServerStore) async throws -> Void) async throws {
        try await place.withStore(creating: creating) { opened in
            if opened.isNew { for line in place.contents { tell("created \(line)") } }
            try await work(opened.store)
        }
    }

    /// The same for work that only this kind of store does.
    func withSQLiteStore(_ work: (SQLiteKeyStore) async throws -> Void) async throws {
        try requireSQLite()
        try await place.withStore { opened in
            if case .sqlite(let store) = opened { try await work(store) }
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
}
