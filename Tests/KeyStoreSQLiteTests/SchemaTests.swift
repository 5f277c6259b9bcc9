import GRDB
import KeyStore
import KeyStoreTests
import Testing

@testable import KeyStoreSQLite

@Suite("The schema in SQLite")
struct SchemaTests {
    private let folder = TemporaryFolder()
    private var path: String { folder.path + "/keyway.sqlite" }

    @Test("The version is the number of migrations")
    func version() async throws {
        #expect(SQLiteSchema.migrator.migrations.count == SQLiteSchema.version)
        let store = try SQLiteKeyStore(path: path, key: .generate())
        #expect(try await store.writerSetting("user_version") == "\(SQLiteSchema.version)")
    }

    @Test("The copied tables are all tables, with the names of PostgreSQL")
    func tables() async throws {
        let store = try SQLiteKeyStore(path: path, key: .generate())
        let columns: [String] = try await store.pool.read { db in
            try String.fetchAll(
                db,
                sql: """
                    SELECT tables.name || '.' || columns.name
                    FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns
                    WHERE tables.type = 'table' AND tables.name NOT LIKE 'sqlite%'
                    """
            )
        }
        let copied = CopiedTable.all.flatMap { table in table.columns.map { "\(table.name).\($0.name)" } }
        #expect(Set(copied).subtracting(columns).isEmpty)
        // Each database has its own rows in these tables.
        let own = Set(columns).subtracting(copied).filter { column in
            !["write_probe.", "catalog.", "grdb_migrations."].contains { column.hasPrefix($0) }
        }
        #expect(own.sorted() == ["replay.number", "spc.number"])
    }

    @Test("The records of a database of schema 1 remain, and are found by the filters of schema 2")
    func migration() async throws {
        let key = try KeyEncryptionKey.generate()
        let content = try Sample.content("film/hd")
        var refused = Sample.audit(2)
        refused.account = "viewer"
        do {
            let store = try SQLiteKeyStore(path: path, key: key)
            try await store.putContent(content, replacing: false)
            for record in [Sample.audit(1), refused] { try await store.append(record) }
            try store.close()
        }
        // What remains without the second migration is the database that the first one creates.
        do {
            let pool = try DatabasePool(path: path)
            let remaining = try await pool.write { db in
                let script = SQLiteListIndexes.script + SQLiteHistoryTables.script
                for match in script.matches(of: /CREATE (TABLE|INDEX) (\w+)/) {
                    try db.execute(sql: "DROP \(match.1) IF EXISTS \(match.2)")
                }
                try db.execute(sql: "PRAGMA user_version = 1; DELETE FROM grdb_migrations WHERE identifier = '2'")
                return try Self.statements(db)
            }
            try pool.close()
            let first = try DatabaseQueue()
            try SQLiteSchema.migrator.migrate(first, upTo: "1")
            #expect(try await first.read { db in try Self.statements(db) } == remaining)
        }
        let store = try SQLiteKeyStore(path: path, key: key)
        #expect(try await store.writerSetting("user_version") == "2")
        #expect(ContentRecord.same(try await store.content(assetID: Array("film/hd".utf8)), content))
        #expect(try await store.verifyAudit().isIntact)
        var filter = AuditFilter()
        filter.account = "viewer"
        let found = try await store.auditEntries(matching: filter, before: nil, limit: 10)
        #expect(found.entries.map(\.record) == [refused])
    }

    /// Returns the statements of the schema.
    private static func statements(_ db: Database) throws -> [String] {
        try String.fetchAll(db, sql: "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name")
    }

    @Test("A key ID is looked up in its index")
    func index() async throws {
        let store = try SQLiteKeyStore(path: path, key: .generate())
        let plan: [String] = try await store.pool.read { db in
            let rows = try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN SELECT 1 FROM content WHERE key_id = x'00'")
            return rows.map { $0["detail"] }
        }
        #expect(plan.count == 1)
        #expect(plan.first?.contains("content_by_key_id") == true)
    }
}
