package import KeyStore

extension PostgresKeyStore {
    /// Deletes records that have expired at `time`, a few hundred per transaction, so that other writes do not wait for
    /// long. Rows that another server is deleting or writing are skipped.
    @discardableResult
    package func prune(at time: Int64, keepingSPCs limit: Int) async throws(KeyStoreError) -> Int {
        let bound = GrantRules.later(time, by: -GrantRules.bindingRetention)
        var count = 0
        for (table, end, time) in [
            ("replay", "expires", time), ("token_binding", "expires", bound), ("challenge", "expires", time),
            ("lease", "until", time), ("ended_session", "expires", time), ("spc", "expires", time),
            ("device_report", "until", time),
        ] {
            // The time is compared again, because a row may have been renewed between the two scans.
            let few = "SELECT ctid FROM \(table) WHERE \(end) <= $1 LIMIT \(Self.pruneStep) FOR UPDATE SKIP LOCKED"
            let sql = "DELETE FROM \(table) WHERE ctid = ANY (ARRAY(\(few))) AND \(end) <= $1"
            count += try await inSteps(PostgresQuery(sql, [.integer(time)]))
        }
        // The numbers ascend in the order of arrival, so the oldest SPCs beyond the limit are deleted.
        let older = """
            SELECT ctid FROM spc WHERE number <= (SELECT max(number) FROM spc) - $1 LIMIT \(Self.pruneStep)
            FOR UPDATE SKIP LOCKED
            """
        count += try await inSteps(
            PostgresQuery("DELETE FROM spc WHERE ctid = ANY (ARRAY(\(older)))", [.integer(Int64(limit))])
        )
        // The CKCs are most of the data of replay records, and are deleted once they cannot answer a retry any more.
        let few = """
            SELECT ctid FROM replay WHERE ckc IS NOT NULL AND retry_until <= $1 LIMIT \(Self.pruneStep)
            FOR UPDATE SKIP LOCKED
            """
        _ = try await inSteps(
            PostgresQuery(
                "UPDATE replay SET ckc = NULL WHERE ctid = ANY (ARRAY(\(few))) AND retry_until <= $1",
                [.integer(time)]
            )
        )
        // A mark is queried within seconds or not at all.
        let marks = """
            SELECT ctid FROM commit_mark WHERE created < now() - interval '10 minutes' LIMIT \(Self.pruneStep)
            FOR UPDATE SKIP LOCKED
            """
        _ = try await inSteps(PostgresQuery("DELETE FROM commit_mark WHERE ctid = ANY (ARRAY(\(marks)))"))
        return count
    }

    private static let pruneStep = 500

    /// Repeats a statement that changes a few rows until no rows are left; returns the number of changed rows.
    private func inSteps(_ query: PostgresQuery) async throws(KeyStoreError) -> Int {
        var count = 0
        while true {
            // A single statement is a transaction, and repeating it after a lost connection is harmless.
            let changed = try await readers.read(in: "prune") { try $0.run([query]).first?.changed ?? 0 }
            count += changed
            if changed < Self.pruneStep { return count }
        }
    }
}
