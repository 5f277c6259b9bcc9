package import KeyStore
import Synchronization

/// A database within one transaction, as the source or the target of a copy.
package final class PostgresRows: CopyEndpoint {
    private let connection: PostgresConnection
    private let deadline: ContinuousClock.Instant
    private static let page = 500

    init(connection: PostgresConnection, deadline: ContinuousClock.Instant) {
        self.connection = connection
        self.deadline = deadline
    }

    /// Passes every row of a table to `body`.
    package func read(_ table: CopiedTable, _ body: ([CopiedRow]) throws -> Void) throws {
        let columns = table.columns.map(\.name)
        let sql = """
            DECLARE copied NO SCROLL CURSOR FOR SELECT \(columns.joined(separator: ", ")) FROM \(table.name)
            ORDER BY \(columns.prefix(table.keyCount).joined(separator: ", "))
            """
        _ = try run([PostgresQuery(sql)])
        while true {
            let rows = try run([PostgresQuery("FETCH \(Self.page) FROM copied")]).first?.rows ?? []
            guard !rows.isEmpty else { break }
            try body(
                try rows.map { row in
                    try table.columns.enumerated().map { try CopiedValue(row, $0.offset, $0.element.kind) }
                }
            )
        }
        _ = try run([PostgresQuery("CLOSE copied")])
    }

    /// Inserts rows into a table.
    package func write(_ rows: [CopiedRow], into table: CopiedTable) throws {
        var columns = table.columns.map(\.name)
        var places = columns.indices.map { "$\($0 + 1)" }
        if table.name == "audit_head" {
            // The number of the last entry, which the other kind of store does not record.
            columns.append("number")
            places.append("(SELECT coalesce(max(number), 0) FROM audit)")
        }
        let sql = """
            INSERT INTO \(table.name) (\(columns.joined(separator: ", "))) VALUES (\(places.joined(separator: ", ")))
            """
        _ = try run(rows.map { PostgresQuery(sql, $0.map(\.postgresValue)) })
    }

    private func run(_ queries: [PostgresQuery]) throws(PostgresFailure) -> [PostgresResult] {
        try connection.run(queries, until: deadline)
    }
}

extension PostgresKeyStore {
    /// The time limit of a copy. Ten million keys take some minutes.
    private static let copyTimeout = Duration.seconds(6 * 3_600)

    /// Reads a database that no server uses, and prevents writes while `work` runs. The schema must be up to date.
    ///
    /// - Parameter work: A closure that runs once.
    /// - Throws: ``KeyStoreError/Code/locked`` if a server is connected to the database, and the errors of `work`.
    package static func reading<Value: Sendable>(
        _ settings: PostgresSettings,
        _ work: @Sendable (PostgresRows) throws -> Value
    ) async throws(KeyStoreError) -> Value {
        let hasBegun = Mutex(false)
        return try await copying(settings) { transaction in
            // A repetition would not undo what `work` has already done with the rows.
            let isAgain = hasBegun.withLock { hasBegun in
                defer { hasBegun = true }
                return hasBegun
            }
            guard !isAgain else {
                throw KeyStoreError(
                    .unavailable,
                    place: "PostgreSQL",
                    reason: "the connection was lost; run the command again"
                )
            }
            let others = """
                SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
                AND application_name = 'keyway-server' AND pid <> pg_backend_pid()
                """
            guard try transaction.rows(others).first?.integer(0) == 0 else {
                throw KeyStoreError(.locked, place: "PostgreSQL", reason: "a server is connected: stop it first")
            }
            let tables = CopiedTable.all.map(\.name).joined(separator: ", ")
            // Prevents writes of all other connections until the transaction ends.
            _ = try transaction.run([PostgresQuery("LOCK TABLE \(tables) IN SHARE MODE")])
            return try work(PostgresRows(connection: transaction.connection, deadline: transaction.deadline))
        }
    }

    /// Creates the tables in a database and fills them with `work`, in one transaction.
    ///
    /// - Parameter work: A closure that may run several times, with all runs but the last rolled back.
    package static func filling<Value: Sendable>(
        _ settings: PostgresSettings,
        _ work: @Sendable (PostgresRows) throws -> Value
    ) async throws(KeyStoreError) -> Value {
        try await copying(settings) { transaction in
            // A server that starts in the meantime waits for this lock, and then finds all rows.
            _ = try transaction.run([GlobalLock.administration])
            return try work(PostgresRows(connection: transaction.connection, deadline: transaction.deadline))
        }
    }

    private static func copying<Value: Sendable>(
        _ settings: PostgresSettings,
        _ work: @Sendable (inout PostgresTransaction) throws -> Value
    ) async throws(KeyStoreError) -> Value {
        let worker = PostgresWorker(settings)
        do {
            let deadline = ContinuousClock.now + copyTimeout
            try await worker.read(until: .now + .seconds(60)) { reader in
                try PostgresSchema.current.migrate(reader.connection, until: reader.deadline)
            }
            let value = try await worker.transaction(until: deadline) { transaction in
                // Sorting a large table, or waiting for the other database, may take any amount of time.
                transaction.enqueue([
                    PostgresQuery("SET LOCAL statement_timeout = 0"),
                    PostgresQuery("SET LOCAL idle_in_transaction_session_timeout = 0"),
                    PostgresQuery("SET LOCAL lock_timeout = '10s'"),
                ])
                return try work(&transaction)
            }
            await worker.close()
            return value
        } catch {
            await worker.close()
            throw KeyStoreError(error, place: "PostgreSQL")
        }
    }
}

extension CopiedValue {
    fileprivate init(_ row: PostgresRow, _ index: Int, _ kind: CopiedTable.Kind) throws(KeyStoreError) {
        guard row.bytes(index) != nil else {
            self = .null
            return
        }
        self =
            switch kind {
            case .bytes: .bytes(try row.requiredBytes(index))
            case .text: .text(try row.requiredText(index))
            case .integer: .integer(try row.requiredInteger(index))
            case .boolean: .boolean(row.boolean(index))
            }
    }

    fileprivate var postgresValue: PostgresValue {
        switch self {
        case .null: .null
        case .bytes(let bytes): .bytes(bytes)
        case .text(let text): .text(text)
        case .integer(let number): .integer(number)
        case .boolean(let flag): .boolean(flag)
        }
    }
}
