import FoundationEssentials
import GRDB
package import KeyStore

extension SQLiteKeyStore {
    /// Encrypts every secret with another key, in one transaction.
    ///
    /// This store continues with the new key. Another process that has the database open with the old key gets
    /// ``KeyStoreError/Code/wrongKEK`` from then on. The caller must store the new key before the call, and keep the
    /// old key until the call has returned. Unused parts of the file may still contain values that are encrypted with
    /// the old key; ``compact()`` removes them.
    ///
    /// - Throws: ``KeyStoreError/Code/corrupt`` if a secret cannot be decrypted. After an error, nothing has changed.
    package func rotate(to key: KeyEncryptionKey) async throws(KeyStoreError) {
        try await translatingErrors(in: "rotation") {
            try await pool.write { [keys] db in
                _ = try keys.selectCurrent(db)
                try Self.reencryptContent(db, keys, key)
                for row in try Row.fetchAll(db, sql: "SELECT \(CertificateBundleRow.columns) FROM certificate_bundle") {
                    try CertificateBundleRow(row).reencrypted(from: keys, with: key).write(db)
                }
                try Self.reencryptDeviceHashKey(db, keys, key)
                // Runs on the writer's queue, so that no other write happens between the commit and this change.
                db.afterNextTransaction { _ in keys.setCurrent(key) }
            }
        }
    }

    /// Rewrites the whole database without deleted or replaced data, and empties the write-ahead log. This takes as
    /// much time and space as copying the file.
    ///
    /// - Throws: ``KeyStoreError/Code/locked`` if another process reads or writes all the time,
    ///   ``KeyStoreError/Code/unavailable`` if the disk is full. After an error, the data is unchanged.
    package func compact() async throws(KeyStoreError) {
        try await translatingErrors(in: pool.path) {
            try await pool.barrierWriteWithoutTransaction { db in
                try db.execute(sql: "VACUUM")
                _ = try db.checkpoint(.truncate)
            }
        }
    }

    private static func reencryptContent(_ db: Database, _ keys: KeyEncryptionKeyRing, _ key: KeyEncryptionKey) throws {
        let page = try db.makeStatement(
            sql: "SELECT asset_id, content_key FROM content WHERE asset_id > ? ORDER BY asset_id LIMIT 1000"
        )
        let update = try db.makeStatement(sql: "UPDATE content SET content_key = ? WHERE asset_id = ?")
        var last: [UInt8] = []
        while true {
            let rows = try Row.fetchAll(page, arguments: [Data(last)])
            for row in rows {
                let assetID = row.bytes(0) ?? []
                let envelope = row.bytes(1) ?? []
                let column = ContentRow.keyColumn(assetID: assetID)
                let encrypted = try key.encrypt(keys.key(for: envelope).decrypt(envelope, for: column), for: column)
                try update.execute(arguments: [Data(encrypted), Data(assetID)])
                last = assetID
            }
            if rows.isEmpty { return }
        }
    }

    private static func reencryptDeviceHashKey(_ db: Database, _ keys: KeyEncryptionKeyRing, _ key: KeyEncryptionKey)
        throws
    {
        let envelope = try Row.fetchOne(db, sql: "SELECT device_hash_key FROM encryption")?.bytes(0) ?? []
        let secret = try keys.current.decrypt(envelope, for: deviceHashKeyColumn)
        try db.execute(
            sql: "UPDATE encryption SET kek_id = ?, device_hash_key = ?",
            arguments: [Data(key.id), Data(key.encrypt(secret, for: deviceHashKeyColumn))]
        )
    }
}
