import KeyStore

/// How a database becomes what this program expects.
///
/// Servers of the previous version keep running while a new one migrates. So a migration only adds (a table, a column that
/// may be NULL or has a default, an index), and what a version no longer uses is taken away by the version after it. Each
/// migration says which is the oldest program that can use the tables after it; see docs/many-nodes.md.
struct Schema: Sendable {
    /// One step.
    struct Migration: Sendable {
        /// The statements, which run in a transaction.
        let script: String
        /// The oldest program that can use the tables afterwards, by the schema that it was made for.
        let oldest: Int64
    }

    /// Migrations are never changed once released; a change to the tables is one more at the end.
    static let current = Schema(migrations: [
        Migration(script: Schema1.script, oldest: 1), Migration(script: Schema2.script, oldest: 1),
        Migration(script: Schema3.script, oldest: 1),
    ])

    let migrations: [Migration]

    /// The schema that this program was made for.
    var version: Int64 { Int64(migrations.count) }

    /// Makes the tables, or brings them up to date. One server at a time does; the others wait, and then find it done.
    ///
    /// - Parameter mayCreate: Whether tables are made where there are none.
    /// - Throws: ``KeyStoreError/Code/newerSchema``, ``KeyStoreError/Code/foreignDatabase``,
    ///   ``KeyStoreError/Code/missingStore``, ``PostgresFailure``.
    func migrate(
        _ connection: PostgresConnection,
        mayCreate: Bool = true,
        until deadline: ContinuousClock.Instant
    ) throws {
        while true {
            do {
                // A table that is in use for long keeps the migration waiting, and that would keep everybody else waiting
                // who comes after it. So it gives up early, and comes again.
                try connection.script(
                    "BEGIN; SET LOCAL statement_timeout = 0; \(CommonLock.migration)",
                    until: deadline
                )
                try apply(connection, mayCreate, deadline)
                return try connection.script("COMMIT", until: deadline)
            } catch let failure as PostgresFailure where failure.isPassing && ContinuousClock.now < deadline {
                try connection.script("ROLLBACK", until: deadline)
            }
        }
    }

    private func apply(
        _ connection: PostgresConnection,
        _ mayCreate: Bool,
        _ deadline: ContinuousClock.Instant
    ) throws {
        var found = try Self.version(connection, deadline)
        if let found, found.version > version, found.oldest > version {
            throw KeyStoreError(
                .newerSchema,
                place: "PostgreSQL",
                reason: "schema \(found.version), for programs of schema \(found.oldest) on; this one is of \(version)"
            )
        }
        if found == nil {
            guard mayCreate else { throw KeyStoreError.missingTables }
            // Whoever runs the server may not be allowed to, and need not be where somebody else has made it.
            let sql = "SELECT 1 FROM pg_namespace WHERE nspname = 'keyway'"
            let isThere = try connection.run([PostgresQuery(sql)], until: deadline).first?.rows.isEmpty == false
            if !isThere { try connection.script("CREATE SCHEMA keyway", until: deadline) }
        }
        for (index, migration) in migrations.enumerated() where Int64(index) >= found?.version ?? 0 {
            let version = Int64(index) + 1
            try connection.script("SET LOCAL lock_timeout = '1s'", until: deadline)
            try connection.script(migration.script, until: deadline)
            try connection.script(
                "UPDATE schema_version SET version = \(version), oldest = \(migration.oldest)",
                until: deadline
            )
            found = (version, migration.oldest)
        }
    }

    /// What is there; nil in an empty database.
    private static func version(
        _ connection: PostgresConnection,
        _ deadline: ContinuousClock.Instant
    ) throws -> (version: Int64, oldest: Int64)? {
        let tables = try connection.run(
            [
                PostgresQuery(
                    "SELECT count(*), count(*) FILTER (WHERE tablename = 'schema_version') FROM pg_tables "
                        + "WHERE schemaname = 'keyway'"
                )
            ],
            until: deadline
        ).first?.rows.first
        guard let tables, tables.integer(0) != 0 else { return nil }
        guard tables.integer(1) == 1 else {
            throw KeyStoreError(.foreignDatabase, place: "PostgreSQL", reason: "another's tables are in schema keyway")
        }
        let sql = "SELECT version, oldest FROM schema_version"
        guard let row = try connection.run([PostgresQuery(sql)], until: deadline).first?.rows.first else {
            throw KeyStoreError(.corrupt, place: "schema_version")
        }
        return (try row.requiredInteger(0), try row.requiredInteger(1))
    }
}

extension KeyStoreError {
    /// There is no store in the database, and none was to be created.
    static let missingTables = KeyStoreError(
        .missingStore,
        place: "PostgreSQL",
        reason: "the database has no tables in the schema keyway"
    )
}
