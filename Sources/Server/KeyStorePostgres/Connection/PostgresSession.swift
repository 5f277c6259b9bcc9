// The connection and the deadline, as work on a connection gets them.

/// A connection for reads, without a transaction: each round trip is separate.
struct PostgresReader {
    let connection: PostgresConnection
    let deadline: ContinuousClock.Instant

    /// Runs statements in one round trip.
    func run(_ queries: [PostgresQuery]) throws(PostgresFailure) -> [PostgresResult] {
        try connection.run(queries, until: deadline)
    }

    /// Returns the rows of one statement.
    func rows(_ sql: String, _ values: PostgresValue...) throws(PostgresFailure) -> [PostgresRow] {
        try connection.run([PostgresQuery(sql, values)], until: deadline).first?.rows ?? []
    }
}

/// A transaction, which starts with its first statement.
struct PostgresTransaction {
    let connection: PostgresConnection
    let deadline: ContinuousClock.Instant
    private var hasBegun = false
    /// The statements to send with the next round trip, before its other statements.
    private var pending: [PostgresQuery] = []

    private static let begin = PostgresQuery("BEGIN ISOLATION LEVEL READ COMMITTED")

    init(connection: PostgresConnection, deadline: ContinuousClock.Instant) {
        self.connection = connection
        self.deadline = deadline
    }

    /// Defers statements to the next round trip, at the latest to that of the commit. Their results are discarded.
    mutating func enqueue(_ queries: [PostgresQuery]) { pending += queries }

    /// Runs statements in one round trip.
    mutating func run(_ queries: [PostgresQuery]) throws(PostgresFailure) -> [PostgresResult] {
        let before = (hasBegun ? [] : [Self.begin]) + pending
        hasBegun = true
        pending = []
        return Array(try connection.run(before + queries, until: deadline).dropFirst(before.count))
    }

    /// Returns the rows of one statement.
    mutating func rows(_ sql: String, _ values: PostgresValue...) throws(PostgresFailure) -> [PostgresRow] {
        try run([PostgresQuery(sql, values)]).first?.rows ?? []
    }

    /// Returns the number of rows that one statement changed.
    mutating func change(_ sql: String, _ values: PostgresValue...) throws(PostgresFailure) -> Int {
        try run([PostgresQuery(sql, values)]).first?.changed ?? 0
    }

    /// Returns the statements of the last round trip: the pending ones, the mark, and the commit.
    func commit(with mark: CommitMark) -> [PostgresQuery] {
        (hasBegun ? [] : [Self.begin]) + pending + [mark.insertion, PostgresQuery("COMMIT")]
    }
}
