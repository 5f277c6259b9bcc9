package import KeyStore
import Synchronization

/// A database within one transaction, to be copied from or to.
package final class PostgresRows: CopyEndpoint {
    private let connection: PostgresConnection
    private let deadline: ContinuousClock.Instant
    private static let page = 500

    init(connection: PostgresConnection, deadline: ContinuousClock.Instant) {
        self.connection = connection
        self.deadline = deadline
    }

    /// Hands over every row of a table.
    package func read(_ table: CopiedTable, _ take: ([CopiedRow]) throws -> Void) throws {
        let columns = table.columns.map(\.name)
        let sql = """
            DECLARE copied NO SCROLL CURSOR FOR SELECT \(columns.joined(separator: ", ")) FROM \(table.name)
            ORDER BY \(columns.prefix(table.keyCount).joined(separator: ", "))
            """
        _ = try run([PostgresQuery(sql)])
        while true {
            let rows = try run([PostgresQuery("FETCH \(Self.page) FROM copied")]).first?.rows ?? []
            guard !rows.isEmpty else { break }
            try take(
                try rows.map { row in
                    try table.columns.enumerated().map { try CopiedValue(row, $0.offset, $0.element.kind) }
                }
            )
        }
        _ = try run([PostgresQuery("CLOSE copied")])
    }

    /// Adds rows to a table.
    package func write(_ rows: [CopiedRow], into table: CopiedTable) throws {
        var columns = table.columns.map(\.name)
        var places = columns.indices.map { "$\($0 + 1)" }
        if table.name == "audit_head" {
            // The number of the last entry, which the other kind of store does not note.
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
    /// Ten million keys take some minutes.
    private static let patienceForCopying = Duration.seconds(6 * 3_600)

    /// Reads a database that no server uses, for as long as `work` runs. It is up to date.
    ///
    /// - Parameter work: runs once.
    /// - Throws: ``KeyStoreError/Code/locked`` when a server is connected to it; what `work` throws.
    package static func reading<Value: Sendable>(
        _ settings: PostgresSettings,
        _ work: @Sendable (PostgresRows) throws -> Value
    ) async throws(KeyStoreError) -> Value {
        let hasBegun = Mutex(false)
        return try await copying(settings) { transaction in
            // What `work` has done with the rows it does not undo.
            let isAgain = hasBegun.withLock { hasBegun in
                defer { hasBegun = true }
                return hasBegun
            }
            guard !isAgain else {
                throw KeyStoreError(.unavailable, place: "PostgreSQL", reason: "the connection broke: begin anew")
            }
            let others = """
                SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
                AND application_name = 'keyway-server' AND pid <> pg_backend_pid()
                """
            guard try transaction.rows(others).first?.integer(0) == 0 else {
                throw KeyStoreError(.locked, place: "PostgreSQL", reason: "a server is connected: stop it first")
            }
            let tables = CopiedTable.all.map(\.name).joined(separator: ", ")
            // Nobody writes until the end, whoever they are.
            _ = try transaction.run([PostgresQuery("LOCK TABLE \(tables) IN SHARE MODE")])
            return try work(PostgresRows(connection: transaction.connection, deadline: transaction.deadline))
        }
    }

    /// Makes the tables in a database, and has `work` fill them, all of it or nothing.
    ///
    /// - Parameter work: may run several times, all but the last for nothing.
    package static func filling<Value: Sendable>(
        _ settings: PostgresSettings,
        _ work: @Sendable (PostgresRows) throws -> Value
    ) async throws(KeyStoreError) -> Value {
        try await copying(settings) { transaction in
            // A server that is started meanwhile waits for this lock, and then finds everything there.
            _ = try transaction.run([CommonLock.administration])
            return try work(PostgresRows(connection: transaction.connection, deadline: transaction.deadline))
        }
    }

    private static func copying<Value: Sendable>(
        _ settings: PostgresSettings,
        _ work: @Sendable (inout PostgresTransaction) throws -> Value
    ) async throws(KeyStoreError) -> Value {
        let lane = PostgresLane(settings)
        do {
            let deadline = ContinuousClock.now + patienceForCopying
            try await lane.read(until: .now + .seconds(60)) { reader in
                try Schema.current.migrate(reader.connection, until: reader.deadline)
            }
            let value = try await lane.transaction(until: deadline) { transaction in
                // What sorts a large table, or waits for the other end, takes as long as it takes.
                transaction.later([
                    PostgresQuery("SET LOCAL statement_timeout = 0"),
                    PostgresQuery("SET LOCAL idle_in_transaction_session_timeout = 0"),
                    PostgresQuery("SET LOCAL lock_timeout = '10s'"),
                ])
                return try work(&transaction)
            }
            await lane.close()
            return value
        } catch {
            await lane.close()
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
