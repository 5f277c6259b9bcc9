import GRDB
package import KeyStore

extension SQLiteKeyStore {
    /// Writes rows of the history of activity.
    package func writeActivity(_ records: [ActivityRecord]) async throws(KeyStoreError) {
        try await translatingErrors(in: "activity") {
            try await pool.write { db in
                let statement = try db.cachedStatement(
                    sql: "INSERT OR REPLACE INTO activity (\(Self.activityColumns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
                )
                for record in records {
                    try statement.execute(arguments: [
                        record.step, record.title, record.start, record.node.data, record.deviceClass, record.outcome,
                        record.reason, record.requests, record.latency.data,
                    ])
                }
            }
        }
    }

    /// Returns rows of the history of activity.
    package func activity(_ query: ActivityQuery) async throws(KeyStoreError) -> [ActivityRecord] {
        try await translatingErrors(in: "activity") {
            try await pool.read { db in
                try Row.fetchAll(
                    db,
                    sql: """
                        SELECT \(Self.activityColumns) FROM activity
                        WHERE step = ?1 AND title_name = ?2 AND starts >= ?3 AND starts < ?4
                            AND (?5 IS NULL OR device_class = ?5)
                        ORDER BY starts
                        """,
                    arguments: [query.step, query.title, query.from, query.until, query.deviceClass]
                ).map { row in
                    ActivityRecord(
                        step: row[0],
                        start: row[2],
                        node: row.bytes(3) ?? [],
                        title: row[1],
                        deviceClass: row[4],
                        outcome: row[5],
                        reason: row[6],
                        requests: row[7],
                        latency: row.bytes(8) ?? []
                    )
                }
            }
        }
    }

    /// Deletes old rows of the history of activity.
    @discardableResult
    package func pruneActivity(before time: Int64) async throws(KeyStoreError) -> Int {
        try await translatingErrors(in: "activity") {
            try await pool.write { db in
                try db.execute(sql: "DELETE FROM activity WHERE starts < ?", arguments: [time])
                return db.changesCount
            }
        }
    }

    private static let activityColumns =
        "step, title_name, starts, node, device_class, outcome, reason, requests, latency"
}
