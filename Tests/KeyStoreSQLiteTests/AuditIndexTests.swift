import GRDB
import KeyStore
import KeyStoreTests
import Testing

@testable import KeyStoreSQLite

@Suite("The indexes of lists in SQLite")
struct AuditIndexTests {
    private let folder = TemporaryFolder()

    private func plan(_ store: SQLiteKeyStore, _ sql: String) async throws -> [String] {
        try await store.pool.read { db in
            // Parameters without values are NULL, which does not change the plan.
            let statement = try db.makeStatement(sql: "EXPLAIN QUERY PLAN " + sql)
            statement.setUncheckedArguments([])
            return try Row.fetchAll(statement).map { $0["detail"] }
        }
    }

    @Test("Every filter of the audit log uses an index, and none reads the whole log")
    func plans() async throws {
        let store = try SQLiteKeyStore(path: folder.path + "/keyway.sqlite", key: .generate())
        for filter in AuditFilter.samples {
            let statements = AuditStatements(filter, columns: SQLiteAuditRow.columns, SQLiteKeyStore.auditDialect)
            for sql in [statements.page, statements.extent] {
                let plan = try await plan(store, sql)
                #expect(!plan.contains { $0.hasPrefix("SCAN audit") }, "\(filter): \(plan)")
                let name = filter.title == nil ? filter.index?.name ?? "PRIMARY KEY" : "audit_by_asset_id"
                #expect(plan.contains { $0.contains(name) }, "\(filter): \(plan)")
            }
        }
    }

    @Test("Searches for names use indexes")
    func searches() async throws {
        let store = try SQLiteKeyStore(path: folder.path + "/keyway.sqlite", key: .generate())
        for column in SearchedColumn.allCases {
            let plan = try await plan(store, column.statement(limit: 10, SQLiteKeyStore.searchDialect))
            #expect(plan.contains { $0.hasPrefix("SEARCH") }, "\(column): \(plan)")
            #expect(!plan.contains { $0.hasPrefix("SCAN") && !$0.hasPrefix("SCAN found") && $0 != "SCAN CONSTANT ROW" })
        }
    }

    @Test("Lists by name and by time of change are read in the order of an index")
    func lists() async throws {
        let store = try SQLiteKeyStore(path: folder.path + "/keyway.sqlite", key: .generate())
        var query = ListQuery()
        for sort in [nil, ListColumn.updated] {
            query.sort = sort
            for statements in [
                ("title", ListStatements(.titles, query, SQLiteKeyStore.listDialect)),
                ("content", ListStatements(.contents, query, SQLiteKeyStore.listDialect)),
            ] {
                let plan = try await plan(store, "SELECT * FROM \(statements.0) \(statements.1.page)")
                #expect(!plan.contains { $0.contains("TEMP B-TREE") }, "\(statements.0): \(plan)")
            }
        }
    }

    @Test("Among 100,000 entries, an account with 32 entries gets exactly these, page by page")
    func seeded() async throws {
        let store = try SQLiteKeyStore(path: folder.path + "/keyway.sqlite", key: .generate())
        try await store.pool.write { db in
            try db.execute(
                sql: """
                    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
                    INSERT INTO audit (node, sequence, hash, milliseconds, route, outcome, microseconds, account, asset_id)
                    SELECT zeroblob(8), i, zeroblob(32), i * 1000, '/fps/license',
                        CASE WHEN i % 1000 = 0 THEN 'replayed' ELSE 'issued' END, 1,
                        CASE WHEN i % 3125 = 0 THEN 'anna' ELSE 'anna' || (i % 500) END, CAST('film/' || (i % 100) AS BLOB)
                    FROM n
                    """
            )
        }
        var filter = AuditFilter()
        filter.account = "anna"
        var (numbers, next): ([Int64], Int64?) = ([], nil)
        repeat {
            let page = try await store.auditEntries(matching: filter, before: next, limit: 10)
            numbers += page.entries.map(\.number)
            next = page.next
        } while next != nil
        #expect(numbers == (1...32).reversed().map { $0 * 3_125 })
        // The index of the outcome excludes the other entries, so one page is complete.
        filter = AuditFilter()
        filter.outcome = "replayed"
        let refused = try await store.auditEntries(matching: filter, before: nil, limit: 1_000)
        #expect(refused.entries.count == 100)
        #expect(refused.searched == 100)
        // Conditions without an index are compared with a limited number of entries for each page.
        filter.outcome = "issued"
        filter.route = "/other"
        #expect(try await searched(store, filter) == [Int](repeating: AuditPage.reach, count: 9) + [9_900])
        // The times exclude all entries that are newer by more than the tolerance.
        filter.route = nil
        (filter.from, filter.until) = (0, 1_000)
        #expect(try await searched(store, filter) == [3_600 - 3])
        let names = try await store.names(matching: SearchText("anna49"), limit: 3)
        #expect(names.accounts == ["anna49", "anna490", "anna491"])
    }

    /// Returns the numbers of compared entries of all pages of a filter that matches none.
    private func searched(_ store: SQLiteKeyStore, _ filter: AuditFilter) async throws -> [Int] {
        var (searched, next): ([Int], Int64?) = ([], nil)
        repeat {
            let page = try await store.auditEntries(matching: filter, before: next, limit: 10)
            #expect(page.entries.isEmpty)
            searched.append(page.searched)
            next = page.next
        } while next != nil
        return searched
    }
}
