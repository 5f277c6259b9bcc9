import ArgumentParser
import Foundation
import KeyServer
import KeyStore
import KeyStoreSQLite
import ToolSupport

/// The options that locate and open the store.
struct StoreOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            The configuration file of the server, whose settings `data`, `store`, `postgres`, and `kek` are used, and \
            the environment variables of these settings, as by `serve`. It replaces the options that follow.
            """,
            valueName: "file"
        )
    )
    var config: InputPath?

    @Option(
        name: .customLong("data"),
        help: ArgumentHelp(
            """
            The data folder. Required, except with --config, or with --store and one of the --kek-* options. With --store, only the \
            key-encryption key is read from it (the file kek), not the database.
            """,
            valueName: "folder"
        )
    )
    var dataFolder: FolderPath?

    @Option(
        help: ArgumentHelp(
            """
            The address of a PostgreSQL database, which is used instead of the one in the data folder, in libpq's \
            format and without a password: postgres://USER@HOST[:PORT]/DATABASE[?PARAMETER=VALUE&…]. Without PORT, \
            libpq's default is used, 5432. Without the parameter sslmode, it is verify-full (TLS with a valid \
            certificate), unless HOST is this machine; sslrootcert=FILE specifies the CA.
            """,
            valueName: "address"
        )
    )
    var store: String?

    @Option(
        help: ArgumentHelp(
            """
            A file with the PostgreSQL password, mode 0600. Requires --store; cannot be used with \
            --store-password-variable. (default: the password that libpq finds, such as in PGPASSFILE)
            """,
            valueName: "file"
        )
    )
    var storePasswordFile: InputPath?

    @Option(
        help: ArgumentHelp(
            """
            The environment variable that contains the PostgreSQL password. Requires --store; cannot be used with \
            --store-password-file.
            """,
            valueName: "variable"
        )
    )
    var storePasswordVariable: String?

    @OptionGroup var kek: KeyEncryptionKeyOptions

    func validate() throws {
        if config != nil {
            let others: [Any?] = [dataFolder, store, storePasswordFile, storePasswordVariable]
            guard others.allSatisfy({ $0 == nil }), kek.source == .dataFolder else {
                throw ValidationError("--config cannot be combined with --data, --store*, and --kek-*.")
            }
            return
        }
        guard storePasswordFile == nil || storePasswordVariable == nil else {
            throw ValidationError("Use --store-password-file or --store-password-variable, not both.")
        }
        guard store != nil || storePasswordFile == nil && storePasswordVariable == nil else {
            throw ValidationError("--store-password-file and --store-password-variable require --store.")
        }
        guard dataFolder != nil || store != nil && kek.source != .dataFolder else {
            throw ValidationError(
                store == nil
                    ? "Add --config FILE or --data FOLDER, or --store ADDRESS for PostgreSQL."
                    : "--store requires --kek-file, --kek-variable or --kek-command."
            )
        }
    }

    /// The location of the store and the source of its key.
    ///
    /// - Throws: ``CommandFailure`` if the configuration file cannot be read, or its settings contradict each other.
    func location() throws(CommandFailure) -> StoreLocation {
        if let config { return StoreLocation(try Self.configuration(config.path)) }
        let data = dataFolder?.path ?? ""
        guard let store else { return .dataFolder(data, key: kek.source) }
        var settings = StoreLocation.Postgres(url: store, folder: data, key: kek.source)
        settings.passwordFile = storePasswordFile?.path
        settings.passwordVariable = storePasswordVariable
        return .postgres(settings)
    }

    private static func configuration(_ file: String) throws(CommandFailure) -> ServerConfiguration {
        do {
            return try LoadedConfiguration.load(
                file: file,
                environment: ProcessInfo.processInfo.environment,
                isForServing: false
            ).configuration
        } catch {
            let isReadable = FileManager.default.isReadableFile(atPath: file)
            throw CommandFailure(kind: isReadable ? .input : .file, what: error.description)
        }
    }

    /// Opens the store, runs `work`, and closes the store.
    ///
    /// - Parameter creating: Whether to create a store that does not exist. If one is created, a line on standard error
    ///   reports it, because the name may be mistyped.
    func withStore(creating: StoreCreation = .never, _ work: (any KeyServerStore) async throws -> Void) async throws {
        let location = try location()
        try await location.withStore(creating: creating) { opened in
            if opened.isNew { for line in location.contents { Terminal.writeError(escaped("created \(line)")) } }
            try await work(opened.store)
        }
    }

    /// Opens the SQLite store, runs `work`, and closes the store.
    func withSQLiteStore(_ work: (SQLiteKeyStore) async throws -> Void) async throws {
        _ = try sqlite()
        try await location().withStore { opened in
            if case .sqlite(let store) = opened { try await work(store) }
        }
    }

    /// Returns the data folder with the SQLite database, and the source of its key.
    ///
    /// - Throws: ``CommandFailure`` if the store is in PostgreSQL.
    func sqlite() throws(CommandFailure) -> (folder: String, key: KeyEncryptionKeySource) {
        guard case .dataFolder(let folder, let key) = try location() else {
            throw CommandFailure.usage(
                "this command works only with an SQLite database (--data)",
                next: "for PostgreSQL use its own tools: see docs/many-nodes.md"
            )
        }
        return (folder, key)
    }
}
