import GRDB
import KeyStore

extension KeyEncryptionKeyRing {
    /// Selects the key that the database uses, inside a transaction, because another process may have rotated the key.
    func selectCurrent(_ db: Database) throws -> KeyEncryptionKey {
        try selectCurrent(id: try Row.fetchOne(try db.cachedStatement(sql: "SELECT kek_id FROM encryption"))?.bytes(0))
    }
}
