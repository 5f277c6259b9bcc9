import GRDB
import KeyStore

/// SQLiteSchema 5: the table `catalog` with one number that grows with every change of content, titles, tracks and policies,
/// by any process. A server can therefore cache lookups, and check in the granting transaction whether they are
/// current.
enum CatalogVersion {
    static func fetch(_ db: Database) throws -> Int64 {
        let statement = try db.cachedStatement(sql: "SELECT version FROM catalog")
        guard let version = try Int64.fetchOne(statement) else { throw KeyStoreError(.corrupt, place: "catalog") }
        return version
    }

    static func migrate(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE catalog (
                    id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
                    version INTEGER NOT NULL
                ) STRICT;
                INSERT INTO catalog (id, version) VALUES (1, 0);
                """
        )
        for table in ["content", "title", "track", "policy"] {
            for change in ["INSERT", "UPDATE", "DELETE"] {
                try db.execute(
                    sql: """
                        CREATE TRIGGER \(table)_\(change.lowercased()) AFTER \(change) ON \(table)
                        BEGIN UPDATE catalog SET version = version + 1; END
                        """
                )
            }
        }
        try db.execute(sql: "PRAGMA user_version = 5")
    }
}
