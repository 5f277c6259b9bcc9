import FPSCrypto
import Foundation
import KeyServer
import KeyServerModule
import KeyStore
import KeyStorePostgres
import KeyStoreSQLite

/// The location of a server's records.
enum StoreLocation: Sendable {
    /// An SQLite database in a data folder.
    case dataFolder(String, key: KeyEncryptionKeySource)
    /// A PostgreSQL database.
    case postgres(Postgres)

    /// The address of a PostgreSQL database and the credentials that open it.
    struct Postgres: Sendable {
        let url: String
        /// The data folder, which contains the key-encryption key if the key source is `dataFolder`.
        let folder: String
        var key: KeyEncryptionKeySource
        var passwordFile: String?
        var passwordVariable: String?
        var connections = 3
        var deadline = Duration.seconds(30)

        /// Returns the same database with a different key source.
        func with(_ key: KeyEncryptionKeySource) -> Postgres {
            var location = self
            location.key = key
            return location
        }
    }

    /// An open store.
    enum OpenStore: Sendable {
        case sqlite(SQLiteKeyStore)
        case postgres(PostgresKeyStore)

        /// The store without its concrete type.
        var store: any KeyServerStore {
            switch self {
            case .sqlite(let store): store
            case .postgres(let store): store
            }
        }

        /// True if opening the store created it.
        var isNew: Bool {
            switch self {
            case .sqlite(let store): store.isNew
            case .postgres(let store): store.isNew
            }
        }

        /// Closes the store. It must not be used afterwards.
        func close() async throws(KeyStoreError) {
            switch self {
            case .sqlite(let store): try store.close()
            case .postgres(let store): await store.close()
            }
        }
    }

    /// Opens the store.
    ///
    /// - Parameter creating: Whether to create a store that does not exist.
    func open(creating: StoreCreation = .never) async throws(KeyStoreError) -> OpenStore {
        switch self {
        case .dataFolder(let folder, let key):
            .sqlite(try SQLiteKeyStore(dataFolder: folder, key: key, creating: creating))
        case .postgres(let location):
            .postgres(
                try await PostgresKeyStore.open(try location.settings(), creating: creating) {
                    mayCreate throws(KeyStoreError) in
                    if creating != .never { location.makeFolder() }
                    return try location.key.keys(inFolder: location.folder, mayCreate: mayCreate)
                }
            )
        }
    }

    /// Opens the store, runs `work`, and closes the store.
    ///
    /// - Parameter creating: Whether to create a store that does not exist.
    func withStore(creating: StoreCreation = .never, _ work: (OpenStore) async throws -> Void) async throws {
        let opened = try await open(creating: creating)
        do {
            try await work(opened)
        } catch {
            try? await opened.close()
            throw error
        }
        try await opened.close()
    }
}

extension StoreLocation {
    /// Creates the location that a server's configuration specifies.
    init(_ configuration: ServerConfiguration) {
        let key: KeyEncryptionKeySource =
            if let file = configuration.kek.file {
                .file(file)
            } else if let variable = configuration.kek.variable {
                .environment(variable)
            } else if let command = configuration.kek.command {
                .command(command)
            } else {
                .dataFolder
            }
        guard let url = configuration.store else {
            self = .dataFolder(configuration.data, key: key)
            return
        }
        var location = Postgres(url: url, folder: configuration.data, key: key)
        location.passwordFile = configuration.postgres.passwordFile
        location.passwordVariable = configuration.postgres.passwordVariable
        location.connections = configuration.postgres.connections
        location.deadline = .seconds(Int64(configuration.postgres.deadline.rawValue))
        self = .postgres(location)
    }

    /// True for PostgreSQL.
    var isPostgres: Bool { if case .postgres = self { true } else { false } }

    /// The data folder; empty without one. With PostgreSQL, only the key-encryption key may be in it.
    var folder: String {
        switch self {
        case .dataFolder(let folder, _): folder
        case .postgres(let location): location.folder
        }
    }

    /// The source of the key-encryption key.
    var key: KeyEncryptionKeySource {
        switch self {
        case .dataFolder(_, let key): key
        case .postgres(let location): location.key
        }
    }

    /// Descriptions of what creating the store created, one line each.
    var contents: [String] {
        var lines: [String]
        let (folder, key): (String, KeyEncryptionKeySource)
        switch self {
        case .dataFolder(let path, let source):
            (folder, key) = (path, source)
            lines = ["the database \(path)/keyway.sqlite"]
        case .postgres(let location):
            (folder, key) = (location.folder, location.key)
            lines = ["the tables in the schema keyway of the PostgreSQL database"]
        }
        if key == .dataFolder {
            lines.append(
                "the key-encryption key \(folder)/kek; copy it to another location: "
                    + "without it the database and its backups cannot be decrypted"
            )
        }
        return lines
    }

    /// Warnings about insecure settings.
    var warnings: [String] {
        guard case .postgres(let location) = self, let settings = try? location.settings(), !settings.isProtected else {
            return []
        }
        return [
            "store: the connection to PostgreSQL is not protected against "
                + "eavesdropping and changes; use sslmode=verify-full"
        ]
    }
}

extension StoreLocation.Postgres {
    /// Returns the settings of the PostgreSQL connection.
    ///
    /// - Throws: ``KeyStoreError`` if the address is invalid or the password cannot be read.
    func settings() throws(KeyStoreError) -> PostgresSettings {
        try PostgresSettings(url: url, password: try password(), connections: connections, deadline: deadline)
    }

    /// Creates the data folder if it does not exist. An error is ignored here, because writing into the folder reports
    /// it.
    fileprivate func makeFolder() {
        guard !folder.isEmpty, !FileManager.default.fileExists(atPath: folder) else { return }
        try? FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
    }

    private func password() throws(KeyStoreError) -> SecretBytes? {
        if let passwordVariable {
            guard let text = ProcessInfo.processInfo.environment[passwordVariable], !text.isEmpty else {
                throw KeyStoreError(
                    .unavailable,
                    place: "environment variable \(passwordVariable)",
                    reason: "it is not set or is empty"
                )
            }
            return SecretBytes(copying: Array(text.utf8))
        }
        guard let passwordFile else { return nil }
        do throws(SecretFileError) {
            return try SecretFile.readText(passwordFile)
        } catch {
            throw KeyStoreError(error)
        }
    }
}
