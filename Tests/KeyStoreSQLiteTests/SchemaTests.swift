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
