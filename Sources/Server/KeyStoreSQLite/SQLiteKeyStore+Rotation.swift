import FoundationEssentials
import GRDB
package import KeyStore

extension SQLiteKeyStore {
    /// Seals every secret anew under another key, all of them or none.
    ///
    /// This store goes on with the new key. Another process that has the database open under the old one gets
    /// ``KeyStoreError/Code/wrongKEK`` from then on. Where the new key is kept is the caller's business: keep it first,
    /// and keep the old one until this has returned. Unused parts of the file may still hold values that were sealed
    /// under the old key; ``compact()`` clears them.
    ///
    /// - Throws: ``KeyStoreError/Code/corrupt`` when a secret does not open. Whatever is thrown, nothing has changed.
    package func rotate(to key: KeyEncryptionKey) async throws(KeyStoreError) {
        try await translatingErrors(in: "rotation") {
            try await pool.write { [keys] db in
                _ = try keys.selectCurrent(db)
                try Self.reencryptContent(db, keys, key)
                for row in try Row.fetchAll(db, sql: "SELECT \(CertificateBundleRow.columns) FROM certificate_bundle") {
                    try CertificateBundleRow(row).reencrypted(from: keys, with: key).write(db)
                }
                try Self.reencryptDeviceHashKey(db, keys, key)
                // On the queue of the writer, so that no other write comes between the commit and this.
                db.afterNextTransaction { _ in keys.setCurrent(key) }
            }
        }
    }

    /// Writes the whole database anew, without what was deleted or replaced, and empties the write-ahead log. Takes as
    /// long, and as much space, as copying the file.
    ///
    /// - Throws: ``KeyStoreError/Code/locked`` when another process reads or writes all the while,
    ///   ``KeyStoreError/Code/unavailable`` when the disk is full. The data is as it was then.
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
        let envelope = try Row.fetchOne(db, sql: "SELECT device_hash_key FROM sealing")?.bytes(0) ?? []
        let secret = try keys.current.decrypt(envelope, for: deviceHashKeyColumn)
        try db.execute(
            sql: "UPDATE sealing SET kek_id = ?, device_hash_key = ?",
            arguments: [Data(key.id), Data(key.encrypt(secret, for: deviceHashKeyColumn))]
        )
    }
}
