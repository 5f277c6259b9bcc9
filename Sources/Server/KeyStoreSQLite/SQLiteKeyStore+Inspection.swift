import GRDB
import Glibc
package import KeyStore

extension SQLiteKeyStore {
    /// Reads what a diagnosis needs from the store in a data folder, also while a server uses it: with a read-only
    /// connection, which creates and migrates nothing.
    ///
    /// - Throws: ``KeyStoreError`` with the codes of ``init(dataFolder:key:creating:)``.
    package static func inspect(
        dataFolder folder: String,
        key source: KeyEncryptionKeySource
    ) throws(KeyStoreError) -> StoreInspection {
        try requireDatabase(inFolder: folder)
        try DataFolderLock.check(folder)
        let path = database(inFolder: folder)
        return try translatingErrors(in: path) {
            let queue = try DatabaseQueue(path: path, configuration: readOnly)
            defer { try? queue.close() }
            let schema = try queue.read { db in
                guard let version = try SQLiteSchema.version(of: db, path) else {
                    throw KeyStoreError(.foreignDatabase, place: path)
                }
                return version
            }
            let loaded = try source.keys(inFolder: folder, mayCreate: false)
            let keys = try KeyEncryptionKeyRing(loaded) { () throws(KeyStoreError) in loaded }
            return try queue.read { db in try inspection(db, keys, schema: schema) }
        }
    }

    private static var readOnly: Configuration {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA trusted_schema = OFF")
            try db.execute(sql: "PRAGMA cell_size_check = ON")
        }
        return configuration
    }

    private static func inspection(
        _ db: Database,
        _ keys: KeyEncryptionKeyRing,
        schema: Int
    ) throws -> StoreInspection {
        guard let envelope = try Row.fetchOne(db, sql: "SELECT device_hash_key FROM encryption")?.bytes(0) else {
            throw KeyStoreError(.corrupt, place: "encryption")
        }
        _ = try keys.selectCurrent(db).decrypt(envelope, for: deviceHashKeyColumn)
        let entries = try Row.fetchAll(
            db,
            sql: "SELECT \(SQLiteAuditRow.columns) FROM audit ORDER BY number DESC LIMIT "
                + "\(StoreInspection.auditEntries)"
        ).map(SQLiteAuditRow.entry)
        var inspection = StoreInspection(
            schema: schema,
            supportedSchema: SQLiteSchema.version,
            audit: AuditVerifier.verifyEnd(entries.reversed(), expecting: try SQLiteAuditRow.head(db))
        )
        inspection.newest = entries.first
        let sql = "SELECT \(CertificateBundleRow.columns) FROM certificate_bundle ORDER BY name"
        inspection.bundles = try Row.fetchAll(db, sql: sql).map { try CertificateBundleRow($0).record(keys) }
        return inspection
    }
}
