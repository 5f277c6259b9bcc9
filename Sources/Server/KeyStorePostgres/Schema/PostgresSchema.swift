import KeyStore

/// The schema of a database, and its migrations.
///
/// Servers of the previous version continue to run while a new one migrates. A migration therefore only adds (a table,
/// a column that may be NULL or has a default, an index), and the version after the one that stops using something
/// removes it. Each migration declares the oldest program version that can use the resulting tables; see
/// docs/many-nodes.md.
struct PostgresSchema: Sendable {
    /// One migration.
    struct Migration: Sendable {
        /// The statements, which run in one transaction.
        let script: String
        /// The oldest program that can use the resulting tables, by its schema version.
        let oldestProgram: Int64
    }

    /// Migrations are never changed after a release; a change of the tables appends a migration.
    static let current = PostgresSchema(migrations: [
        Migration(script: PostgresTables.script, oldestProgram: 1),
        Migration(script: PostgresListIndexes.script + PostgresHistoryTables.script, oldestProgram: 1),
    ])

    let migrations: [Migration]

    /// The schema version of this program.
    var version: Int64 { Int64(migrations.count) }

    /// Creates or migrates the tables. One server at a time does so; the others wait, and then find the tables
    /// migrated.
    ///
    /// - Parameter mayCreate: Whether to create tables that do not exist.
    /// - Throws: ``KeyStoreError/Code/newerSchema``, ``KeyStoreError/Code/unreleasedSchema``,
    ///   ``KeyStoreError/Code/foreignDatabase``, ``KeyStoreError/Code/missingStore``, ``PostgresFailure``.
    func migrate(
        _ connection: PostgresConnection,
        mayCreate: Bool = true,
        until deadline: ContinuousClock.Instant
    ) throws {
        while true {
            do {
                // A migration that waits for a lock on a busy table would block all later statements on that table. The
                // lock timeout is therefore short, and the migration is retried.
                try connection.script(
                    "BEGIN; SET LOCAL statement_timeout = 0; \(GlobalLock.migration)",
                    until: deadline
                )
                try apply(connection, mayCreate, deadline)
                return try connection.script("COMMIT", until: deadline)
            } catch let failure as PostgresFailure where failure.isTransient && ContinuousClock.now < deadline {
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
        if let found { try requireSupported(found) }
        if found == nil {
            guard mayCreate else { throw KeyStoreError.missingTables }
            // Create the schema only if it does not exist, because the server's role may lack the privilege and another
            // role may have created it.
            let sql = "SELECT 1 FROM pg_namespace WHERE nspname = 'keyway'"
            let alreadyExists = try connection.run([PostgresQuery(sql)], until: deadline).first?.rows.isEmpty == false
            if !alreadyExists { try connection.script("CREATE SCHEMA keyway", until: deadline) }
        }
        for (index, migration) in migrations.enumerated() where Int64(index) >= found?.version ?? 0 {
            let version = Int64(index) + 1
            try connection.script("SET LOCAL lock_timeout = '1s'", until: deadline)
            try connection.script(migration.script, until: deadline)
            try connection.script(
                "UPDATE schema_version SET version = \(version), oldest_program = \(migration.oldestProgram)",
                until: deadline
            )
            found = (version, migration.oldestProgram)
        }
    }

    /// Checks that this program can use the tables of a schema.
    ///
    /// - Throws: ``KeyStoreError/Code/newerSchema``.
    func requireSupported(_ found: (version: Int64, oldestProgram: Int64)) throws(KeyStoreError) {
        guard found.version > version, found.oldestProgram > version else { return }
        throw KeyStoreError(
            .newerSchema,
            place: "PostgreSQL",
            reason:
                "it has schema \(found.version), which requires a program of schema \(found.oldestProgram) or later; "
                + "this program has schema \(version)"
        )
    }

    /// Returns the schema version of the database, or nil if it is empty.
    static func version(
        _ connection: PostgresConnection,
        _ deadline: ContinuousClock.Instant
    ) throws -> (version: Int64, oldestProgram: Int64)? {
        let tables = try connection.run(
            [
                PostgresQuery(
                    "SELECT count(*), count(*) FILTER (WHERE tablename = 'schema_version'), "
                        + "count(*) FILTER (WHERE tablename = '\(KeyStoreError.unreleasedTable)') FROM pg_tables "
                        + "WHERE schemaname = 'keyway'"
                )
            ],
            until: deadline
        ).first?.rows.first
        guard let tables, tables.integer(0) != 0 else { return nil }
        guard tables.integer(1) == 1 else {
            throw KeyStoreError(
                .foreignDatabase,
                place: "PostgreSQL",
                reason: "the schema keyway contains tables of another program"
            )
        }
        guard tables.integer(2) == 0 else { throw KeyStoreError.unreleasedSchema("PostgreSQL") }
        let sql = "SELECT version, oldest_program FROM schema_version"
        guard let row = try connection.run([PostgresQuery(sql)], until: deadline).first?.rows.first else {
            throw KeyStoreError(.corrupt, place: "schema_version")
        }
        return (try row.requiredInteger(0), try row.requiredInteger(1))
    }
}

extension KeyStoreError {
    /// The error for a database without tables that must not be created.
    static let missingTables = KeyStoreError(
        .missingStore,
        place: "PostgreSQL",
        reason: "the database has no tables in the schema keyway"
    )
}
