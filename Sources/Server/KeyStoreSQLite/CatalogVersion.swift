import GRDB
import KeyStore

/// The number in the table `catalog`, which grows with every change of content, titles, tracks and policies, by any
/// process. A server can therefore cache lookups, and check in the granting transaction whether they are current.
enum CatalogVersion {
    static func fetch(_ db: Database) throws -> Int64 {
        let statement = try db.cachedStatement(sql: "SELECT version FROM catalog")
        guard let version = try Int64.fetchOne(statement) else { throw KeyStoreError(.corrupt, place: "catalog") }
        return version
    }
}
