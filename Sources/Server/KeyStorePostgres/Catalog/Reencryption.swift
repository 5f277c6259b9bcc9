import KeyStore

/// Encrypts every secret of the database with another key, within a transaction.
struct Reencryption {
    private let keys: KeyEncryptionKeyRing
    private let key: KeyEncryptionKey
    private static let page = 500

    init(from keys: KeyEncryptionKeyRing, to key: KeyEncryptionKey) {
        self.keys = keys
        self.key = key
    }

    /// Encrypts the secrets. Does nothing if they are already encrypted with the key.
    func run(_ transaction: inout PostgresTransaction) throws {
        guard try keys.selectCurrent(&transaction).id != key.id else { return }
        try contents(&transaction)
        for row in try transaction.rows("SELECT \(EncryptedCertificateBundle.columns) FROM certificate_bundle") {
            transaction.enqueue([try EncryptedCertificateBundle(row).reencrypted(from: keys, with: key).writing])
        }
        guard let row = try transaction.rows("SELECT device_hash_key FROM encryption").first else {
            throw KeyStoreError(.corrupt, place: "encryption")
        }
        let envelope = try row.requiredBytes(0)
        let secret = try keys.key(for: envelope).decrypt(envelope, for: .deviceHashKey)
        transaction.enqueue([
            PostgresQuery(
                "UPDATE encryption SET kek_id = $1, device_hash_key = $2",
                [.bytes(key.id), .bytes(try key.encrypt(secret, for: .deviceHashKey))]
            )
        ])
    }

    private func contents(_ transaction: inout PostgresTransaction) throws {
        var last: [UInt8] = []
        while true {
            let rows = try transaction.rows(
                "SELECT asset_id, content_key FROM content WHERE asset_id > $1 ORDER BY asset_id LIMIT \(Self.page)",
                .bytes(last)
            )
            for row in rows {
                let (assetID, envelope) = (try row.requiredBytes(0), try row.requiredBytes(1))
                let column = EncryptedContent.keyColumn(assetID: assetID)
                let secret = try keys.key(for: envelope).decrypt(envelope, for: column)
                transaction.enqueue([
                    PostgresQuery(
                        "UPDATE content SET content_key = $1 WHERE asset_id = $2",
                        [.bytes(try key.encrypt(secret, for: column)), .bytes(assetID)]
                    )
                ])
                last = assetID
            }
            if rows.isEmpty { return }
        }
    }
}
