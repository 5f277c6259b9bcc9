import KeyStore
import KeyStoreTests
import Testing

@testable import KeyStorePostgres

@Suite(
    "The indexes of lists in PostgreSQL",
    .enabled(if: PostgresServer.isInstalled, "PostgreSQL is not installed; scripts/setup installs it"),
    .timeLimit(.minutes(10))
)
struct AuditIndexTests {
    @Test("Among 100,000 entries, every filter of the audit log uses an index, also for frequent values")
    func plans() async throws {
        try await PostgresServer.shared.withDatabase { settings in
            let store = try await PostgresKeyStore.open(settings)
            let connection = try PostgresConnection(settings, until: .now + .seconds(60))
            try connection.script(
                """
                INSERT INTO audit (number, node, sequence, hash, milliseconds, route, outcome, microseconds, account,
                    asset_id, device, policy_name, remote_address, request_id)
                SELECT i, '\\x0000000000000000', i, decode(repeat('00', 32), 'hex'), i * 1000, '/fps/license',
                    CASE WHEN i % 1000 = 0 THEN 'replayed' ELSE 'issued' END, 1,
                    CASE WHEN i % 3125 = 0 THEN 'anna' ELSE 'anna' || i % 500 END,
                    convert_to('film/' || i % 100, 'UTF8'), decode(md5((i % 500)::text), 'hex'), 'uhd',
                    '192.0.2.' || i % 250, 'request-' || i
                FROM generate_series(1, 100000) AS i;
                UPDATE audit_head SET number = 100000;
                ANALYZE audit;
                """,
                until: .now + .seconds(60)
            )
            for filter in AuditFilter.samples {
                let statements = AuditStatements(
                    filter,
                    columns: PostgresAuditRow.columns,
                    PostgresKeyStore.auditDialect
                )
                let values: [PostgresValue] = [
                    PostgresValue(statements.key), .integer(.max), .integer(.min), .integer(1_000),
                ]
                let page = values + [.integer(100)] + statements.conditions.map { PostgresValue($0) }
                for query in [PostgresQuery(statements.page, page), PostgresQuery(statements.extent, values)] {
                    let explained = PostgresQuery("EXPLAIN " + query.sql, query.values)
                    let rows = try connection.run([explained], until: .now + .seconds(60)).first?.rows ?? []
                    let plan = rows.compactMap { $0.text(0) }.joined(separator: "\n")
                    let name = filter.title == nil ? filter.index?.name ?? "audit_pkey" : "audit_by_asset_id"
                    #expect(plan.contains(name), "\(filter): \(plan)")
                    #expect(!plan.contains("Seq Scan on audit"), "\(filter): \(plan)")
                }
            }
            var filter = AuditFilter()
            filter.account = "anna"
            let found = try await store.auditEntries(matching: filter, before: nil, limit: 100)
            #expect(found.entries.map(\.number) == (1...32).reversed().map { $0 * 3_125 })
            let names = try await store.names(matching: SearchText("anna49"), limit: 3)
            #expect(names.accounts == ["anna49", "anna490", "anna491"])
            await store.close()
        }
    }
}
