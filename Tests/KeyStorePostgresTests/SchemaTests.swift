import KeyStore
import KeyStoreTests
import Testing

@testable import KeyStorePostgres

@Suite(
    "The schema in PostgreSQL",
    .enabled(if: PostgresServer.isInstalled, "PostgreSQL is not installed; scripts/setup installs it"),
    .timeLimit(.minutes(10))
)
struct SchemaTests {
    /// The next version adds tables, and this version can still use the schema.
    private static let expanding = PostgresSchema(
        migrations: PostgresSchema.current.migrations + [
            .init(script: "ALTER TABLE lease ADD COLUMN country TEXT", oldestProgram: PostgresSchema.current.version)
        ]
    )
    /// The version after the next removes tables.
    private static let contracting = PostgresSchema(
        migrations: expanding.migrations + [
            .init(script: "ALTER TABLE lease DROP COLUMN country", oldestProgram: PostgresSchema.current.version + 1)
        ]
    )

    @Test("A server continues while the next version migrates, and can be restarted after it")
    func previousServerGoesOn() async throws {
        try await PostgresServer.shared.withDatabase { settings in
            let key = try KeyEncryptionKey.generate()
            let running = try await PostgresKeyStore.open(settings, key)
            _ = try await running.grant(Sample.proposal().slot())
            let newer = try await PostgresKeyStore.open(settings, schema: Self.expanding) { _ in [key] }
            #expect(try await running.grant(Sample.proposal(device: 2).slot()) == .granted)
            #expect(try await newer.grant(Sample.proposal(device: 3).slot()).refusal == .streamsExceeded)
            let restarted = try await PostgresKeyStore.open(settings, key)
            #expect(try await restarted.leaseCount(at: 1_000) == 2)
        }
    }

    @Test("The records of schema 1 remain, are found by the filters of schema 2, and a server of schema 1 continues")
    func firstSchema() async throws {
        try await PostgresServer.shared.withDatabase { settings in
            let key = try KeyEncryptionKey.generate()
            let first = PostgresSchema(migrations: Array(PostgresSchema.current.migrations.prefix(1)))
            let older = try await PostgresKeyStore.open(settings, schema: first) { _ in [key] }
            var refused = Sample.audit(2)
            refused.account = "viewer"
            for record in [Sample.audit(1), refused] { try await older.append(record) }
            let store = try await PostgresKeyStore.open(settings, key)
            try await older.append(refused)
            #expect(try await store.verifyAudit().isIntact)
            var filter = AuditFilter()
            filter.account = "viewer"
            let found = try await store.auditEntries(matching: filter, before: nil, limit: 10)
            #expect(found.entries.map(\.record) == [refused, refused])
        }
    }

    @Test("A program that is too old for the tables reports it")
    func tooOld() async throws {
        try await PostgresServer.shared.withDatabase { settings in
            let key = try KeyEncryptionKey.generate()
            _ = try await PostgresKeyStore.open(settings, schema: Self.contracting) { _ in [key] }
            await #expect(throws: KeyStoreError(.newerSchema, place: "")) {
                try await PostgresKeyStore.open(settings, key)
            }
        }
    }

    @Test("Tables of a development version are rejected and unchanged")
    func unreleasedSchema() async throws {
        try await PostgresServer.shared.withDatabase { settings in
            let connection = try PostgresConnection(settings, until: .now + .seconds(60))
            try connection.script(
                "CREATE SCHEMA keyway; CREATE TABLE sealing (id BIGINT); CREATE TABLE schema_version (id BIGINT)",
                until: .now + .seconds(60)
            )
            for creating in [StoreCreation.never, .ifMissing, .always] {
                await #expect(throws: KeyStoreError(.unreleasedSchema, place: "")) {
                    try await PostgresKeyStore.open(settings, creating: creating) { _ in
                        Issue.record("a key was requested")
                        return []
                    }
                }
            }
            let tables = PostgresQuery("SELECT tablename::text FROM pg_tables WHERE schemaname = 'keyway' ORDER BY 1")
            let rows = try connection.run([tables], until: .now + .seconds(60))[0].rows
            #expect(rows.map { $0.text(0) } == ["schema_version", "sealing"])
        }
    }

    @Test("A migration that fails changes nothing")
    func failingMigration() async throws {
        try await PostgresServer.shared.withDatabase { settings in
            let key = try KeyEncryptionKey.generate()
            let store = try await PostgresKeyStore.open(settings, key)
            let broken = PostgresSchema(
                migrations: Self.expanding.migrations + [
                    .init(script: "ALTER TABLE nothing ADD x TEXT", oldestProgram: 1)
                ]
            )
            await #expect(throws: KeyStoreError(.unavailable, place: "")) {
                try await PostgresKeyStore.open(settings, schema: broken) { _ in [key] }
            }
            #expect(try await store.grant(Sample.proposal().slot()) == .granted)
            _ = try await PostgresKeyStore.open(settings, schema: Self.expanding) { _ in [key] }
        }
    }
}
