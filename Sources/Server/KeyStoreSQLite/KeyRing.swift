import GRDB
import KeyStore

extension KeyRing {
    /// The key that the database uses, inside a transaction: another process may have rotated.
    func requireCurrent(_ db: Database) throws -> KeyEncryptionKey {
        try requireCurrent(id: try Row.fetchOne(try db.cachedStatement(sql: "SELECT kek_id FROM sealing"))?.bytes(0))
    }
}
