import FPSCrypto
import Foundation
import KeyServer
import KeyServerModule
import KeyStore
import KeyStorePostgres
import KeyStoreSQLite

/// Where a server's records are.
enum StorePlace: Sendable {
    /// In an SQLite database of a data folder.
    case dataFolder(String, key: KeyEncryptionKeySource)
    /// In PostgreSQL.
    case postgres(Postgres)

    /// A database, and what opens it.
    struct Postgres: Sendable {
        let url: String
        /// The data folder, where the key-encryption key is when the source says so.
        let folder: String
        var key: KeyEncryptionKeySource
        var passwordFile: String?
        var passwordVariable: String?
        var connections = 3
        var deadline = Duration.seconds(30)

        /// The same database, opened by another key.
        func with(_ key: KeyEncryptionKeySource) -> Postgres {
            var place = self
            place.key = key
            return place
        }
    }

    /// A store that is open.
    enum Opened: Sendable {
        case sqlite(SQLiteKeyStore)
        case postgres(PostgresKeyStore)

        /// What it is for everybody else.
        var store: any KeyServerStore {
            switch self {
            case .sqlite(let store): store
            case .postgres(let store): store
            }
        }

        /// Whether there was none before it was opened.
        var isNew: Bool {
            switch self {
            case .sqlite(let store): store.isNew
            case .postgres(let store): store.isNew
            }
        }

        /// Nothing may use it afterwards.
        func close() async throws(KeyStoreError) {
            switch self {
            case .sqlite(let store): try store.close()
            case .postgres(let store): await store.close()
            }
        }
    }

    /// Opens it.
    ///
    /// - Parameter creating: What to do where there is none.
    func open(creating: StoreCreation = .never) async throws(KeyStoreError) -> Opened {
        switch self {
        case .dataFolder(let folder, let key):
            .sqlite(try SQLiteKeyStore(dataFolder: folder, key: key, creating: creating))
        case .postgres(let place):
            .postgres(
                try await PostgresKeyStore.open(try place.settings(), creating: creating) {
                    mayCreate throws(KeyStoreError) in
                    if creating != .never { place.makeFolder() }
                    return try place.key.keys(inFolder: place.folder, mayCreate: mayCreate)
                }
            )
        }
    }

    /// Opens the store for one piece of work, and closes it.
    ///
    /// - Parameter creating: What to do where there is none.
    func withStore(creating: StoreCreation = .never, _ work: (Opened) async throws -> Void) async throws {
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

extension StorePlace {
    /// What a server's configuration says.
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
        var place = Postgres(url: url, folder: configuration.data, key: key)
        place.passwordFile = configuration.postgres.passwordFile
        place.passwordVariable = configuration.postgres.passwordVariable
        place.connections = configuration.postgres.connections
        place.deadline = .seconds(Int64(configuration.postgres.deadline.rawValue))
        self = .postgres(place)
    }

    /// What there is once it was created, a line each.
    var contents: [String] {
        var lines: [String]
        let (folder, key): (String, KeyEncryptionKeySource)
        switch self {
        case .dataFolder(let path, let source):
            (folder, key) = (path, source)
            lines = ["the database \(path)/keyway.sqlite"]
        case .postgres(let place):
            (folder, key) = (place.folder, place.key)
            lines = ["the tables in the schema keyway of the PostgreSQL database"]
        }
        if key == .dataFolder {
            lines.append(
                "the key-encryption key \(folder)/kek; keep a copy elsewhere: without it the database and its backups "
                    + "open nothing"
            )
        }
        return lines
    }

    /// What is risky about it.
    var warnings: [String] {
        guard case .postgres(let place) = self, let settings = try? place.settings(), !settings.isProtected else {
            return []
        }
        return ["store: what is said to PostgreSQL can be read or changed on the way; give sslmode=verify-full"]
    }
}

extension StorePlace.Postgres {
    /// - Throws: ``KeyStoreError`` for an address that cannot be used, or a password that is not where it should be.
    func settings() throws(KeyStoreError) -> PostgresSettings {
        try PostgresSettings(url: url, password: try password(), connections: connections, deadline: deadline)
    }

    /// Makes the data folder where there is none; if that fails, whoever writes into it says so.
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
                throw KeyStoreError(.unavailable, place: "environment variable \(passwordVariable)", reason: "is empty")
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
