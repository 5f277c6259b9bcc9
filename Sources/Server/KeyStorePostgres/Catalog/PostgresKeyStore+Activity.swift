package import KeyStore

extension PostgresKeyStore {
    /// Writes rows of the history of activity.
    package func writeActivity(_ records: [ActivityRecord]) async throws(KeyStoreError) {
        let sql = """
            INSERT INTO activity (\(Self.activityColumns)) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
            ON CONFLICT (step, title_name, starts, node, device_class, outcome, reason)
                DO UPDATE SET requests = excluded.requests, latency = excluded.latency
            """
        try await administer(in: "activity") { transaction in
            transaction.enqueue(
                records.map { record in
                    PostgresQuery(
                        sql,
                        [
                            .integer(record.step), .text(record.title), .integer(record.start), .bytes(record.node),
                            .text(record.deviceClass), .text(record.outcome), .text(record.reason),
                            .integer(record.requests), .bytes(record.latency),
                        ]
                    )
                }
            )
        }
    }

    /// Returns rows of the history of activity.
    package func activity(_ query: ActivityQuery) async throws(KeyStoreError) -> [ActivityRecord] {
        let sql = """
            SELECT \(Self.activityColumns) FROM activity
            WHERE step = $1 AND title_name = $2 AND starts >= $3 AND starts < $4
                AND ($5::text IS NULL OR device_class = $5)
            ORDER BY starts
            """
        let values: [PostgresValue] = [
            .integer(query.step), .text(query.title), .integer(query.from), .integer(query.until),
            .init(query.deviceClass),
        ]
        return try await list(PostgresQuery(sql, values), in: "activity") { row in
            ActivityRecord(
                step: try row.requiredInteger(0),
                start: try row.requiredInteger(2),
                node: try row.requiredBytes(3),
                title: try row.requiredText(1),
                deviceClass: try row.requiredText(4),
                outcome: try row.requiredText(5),
                reason: try row.requiredText(6),
                requests: try row.requiredInteger(7),
                latency: try row.requiredBytes(8)
            )
        }
    }

    /// Deletes old rows of the history of activity.
    @discardableResult
    package func pruneActivity(before time: Int64) async throws(KeyStoreError) -> Int {
        try await administer(in: "activity") { transaction in
            try transaction.change("DELETE FROM activity WHERE starts < $1", .integer(time))
        }
    }

    private static let activityColumns =
        "step, title_name, starts, node, device_class, outcome, reason, requests, latency"
}
