import GRDB
import KeyStore

extension KeyEncryptionKeyRing {
    /// The key that the database uses, inside a transaction: another process may have rotated.
    func selectCurrent(_ db: Database) throws -> KeyEncryptionKey {
        try selectCurrent(id: try Row.fetchOne(try db.cachedStatement(sql: "SELECT kek_id FROM sealing"))?.bytes(0))
    }
}
