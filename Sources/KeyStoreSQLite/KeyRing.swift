import GRDB
import KeyStore

extension KeyRing {
    /// Holds, inside a transaction, that the database still uses the current key: another process may have rotated.
    func requireCurrent(_ db: Database) throws -> KeyEncryptionKey {
        let key = current
        let id = try Row.fetchOne(try db.cachedStatement(sql: "SELECT kek_id FROM sealing"))?.bytes(0)
        guard id == key.id else {
            throw KeyStoreError(
                .wrongKEK,
                place: "sealing",
                reason: "the database uses key \(id.map { hex($0) } ?? "none"), the key given is \(hex(key.id))"
            )
        }
        return key
    }
}
