// What work on a lane is given: the connection with the deadline of the work.

/// Reads, each round trip for itself.
struct PostgresReader {
    let connection: PostgresConnection
    let deadline: ContinuousClock.Instant

    /// Runs statements in one round trip.
    func run(_ queries: [PostgresQuery]) throws(PostgresFailure) -> [PostgresResult] {
        try connection.run(queries, until: deadline)
    }

    /// The rows of one statement.
    func rows(_ sql: String, _ values: PostgresValue...) throws(PostgresFailure) -> [PostgresRow] {
        try connection.run([PostgresQuery(sql, values)], until: deadline).first?.rows ?? []
    }
}

/// A transaction. It begins with its first statement.
struct PostgresTransaction {
    let connection: PostgresConnection
    let deadline: ContinuousClock.Instant
    private var hasBegun = false
    /// What goes out with the next round trip, before everything else in it.
    private var pending: [PostgresQuery] = []

    private static let begin = PostgresQuery("BEGIN ISOLATION LEVEL READ COMMITTED")

    init(connection: PostgresConnection, deadline: ContinuousClock.Instant) {
        self.connection = connection
        self.deadline = deadline
    }

    /// Leaves statements to the next round trip, the commit's at the latest. What they find is not told.
    mutating func later(_ queries: [PostgresQuery]) { pending += queries }

    /// Runs statements in one round trip.
    mutating func run(_ queries: [PostgresQuery]) throws(PostgresFailure) -> [PostgresResult] {
        let before = (hasBegun ? [] : [Self.begin]) + pending
        hasBegun = true
        pending = []
        return Array(try connection.run(before + queries, until: deadline).dropFirst(before.count))
    }

    /// The rows of one statement.
    mutating func rows(_ sql: String, _ values: PostgresValue...) throws(PostgresFailure) -> [PostgresRow] {
        try run([PostgresQuery(sql, values)]).first?.rows ?? []
    }

    /// How many rows one statement changed.
    mutating func change(_ sql: String, _ values: PostgresValue...) throws(PostgresFailure) -> Int {
        try run([PostgresQuery(sql, values)]).first?.changed ?? 0
    }

    /// The last round trip: what is still to be written, the mark, and the commit.
    func commit(with mark: CommitMark) -> [PostgresQuery] {
        (hasBegun ? [] : [Self.begin]) + pending + [mark.insertion, PostgresQuery("COMMIT")]
    }
}
