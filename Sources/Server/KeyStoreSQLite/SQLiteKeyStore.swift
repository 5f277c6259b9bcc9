import FPSCrypto
import FoundationEssentials
import GRDB
package import KeyStore

/// The store in an SQLite database, with a write-ahead log and a full sync at every commit.
///
/// Several processes may have it open at the same time: keys can be added while a server runs. SQL runs on separate
/// queues, never on the caller's thread.
package final class SQLiteKeyStore: KeyServerStore {
    let pool: DatabasePool
    let keys: KeyEncryptionKeyRing
    let writes: SQLiteWriteQueue
    let replaySecret: SecretBytes
    /// True if opening the store created it.
    package let isNew: Bool
    private let deviceHashKey: SecretBytes

    /// Opens the database at `path`, and creates it if it does not exist.
    ///
    /// - Throws: ``KeyStoreError`` with the codes `unsafePermissions`, `wrongKEK`, `foreignDatabase`, `newerSchema`,
    ///   `unreleasedSchema`, `corrupt`, `locked`, `unavailable`.
    package convenience init(path: String, key: KeyEncryptionKey) throws(KeyStoreError) {
        try self.init(path: path, keys: KeyEncryptionKeyRing(key))
    }

    init(path: String, keys: KeyEncryptionKeyRing, isNew: Bool = false) throws(KeyStoreError) {
        self.isNew = isNew
        let pool = try DatabaseFile.open(path)
        deviceHashKey = try translatingErrors(in: path) {
            try pool.write { db in try Self.deviceHashKey(db, keys) }
        }
        replaySecret = ReplayKey.secret(from: deviceHashKey)
        writes = SQLiteWriteQueue(pool: pool)
        self.pool = pool
        self.keys = keys
    }

    /// Writes the rest of the write-ahead log into the database and closes it. The store must not be used afterwards.
    ///
    /// - Throws: ``KeyStoreError/Code/unavailable`` or ``KeyStoreError/Code/locked`` if the database is still in use.
    package func close() throws(KeyStoreError) {
        try translatingErrors(in: pool.path) { try pool.close() }
    }

    /// Reloads the key-encryption keys from their source.
    package func reloadKeys() throws(KeyStoreError) -> Int { try keys.reload() }

    /// Returns the keyed hash of a device.
    package func deviceHash(hu: [UInt8]) -> DeviceHash { DeviceHash(hu: hu, key: deviceHashKey) }
}

extension SQLiteKeyStore {
    /// Runs a transaction that changes titles, keys, policies, certificates, channels or tokens, and writes the audit
    /// record that `audit` creates from the result. If either throws, the transaction is rolled back.
    func administer<Value: Sendable>(
        in place: String,
        audit: @escaping @Sendable (Value) -> AuditRecord?,
        _ change: @escaping @Sendable (Database) throws -> Value
    ) async throws(KeyStoreError) -> Value {
        try await translatingErrors(in: place) {
            try await pool.write { db in
                let value = try change(db)
                if let record = audit(value) { try SharedTransaction.append(record, db) }
                return value
            }
        }
    }
}

extension SQLiteKeyStore {
    static let deviceHashKeyColumn = EncryptedColumn.deviceHashKey

    /// Decrypts the one secret that every database has, which verifies the key; creates the secret in a new database.
    private static func deviceHashKey(_ db: Database, _ keys: KeyEncryptionKeyRing) throws -> SecretBytes {
        if let envelope = try Row.fetchOne(db, sql: "SELECT device_hash_key FROM encryption")?.bytes(0) {
            return try keys.selectCurrent(db).decrypt(envelope, for: deviceHashKeyColumn)
        }
        var random = SecureRandom()
        let secret = SecretBytes(count: 32, randomFrom: &random)
        try db.execute(
            sql: "INSERT INTO encryption (id, kek_id, device_hash_key) VALUES (1, ?, ?)",
            arguments: [Data(keys.current.id), Data(keys.current.encrypt(secret, for: deviceHashKeyColumn))]
        )
        return secret
    }
}
