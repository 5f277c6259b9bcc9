package import KeyStore

extension PostgresKeyStore {
    /// Forgets what is of no use at `time`, a few hundred records in a transaction, so that nobody waits for long. What
    /// another server is just pruning or writing is left to it.
    @discardableResult
    package func prune(at time: Int64, keepingSPCs limit: Int) async throws(KeyStoreError) -> Int {
        let bound = GrantRules.later(time, by: -GrantRules.bindingRetention)
        var count = 0
        for (table, end, time) in [
            ("replay", "expires", time), ("token_binding", "expires", bound), ("challenge", "expires", time),
            ("lease", "until", time), ("ended_session", "forget_at", time), ("spc", "expires", time),
            ("device_report", "until", time),
        ] {
            // The time is asked for again, since a row may have been renewed between the two scans.
            let few = "SELECT ctid FROM \(table) WHERE \(end) <= $1 LIMIT \(Self.pruneStep) FOR UPDATE SKIP LOCKED"
            let sql = "DELETE FROM \(table) WHERE ctid = ANY (ARRAY(\(few))) AND \(end) <= $1"
            count += try await inSteps(PostgresQuery(sql, [.integer(time)]))
        }
        // In the order of their arrival: of more than the limit the oldest go.
        let older = """
            SELECT ctid FROM spc WHERE number <= (SELECT max(number) FROM spc) - $1 LIMIT \(Self.pruneStep)
            FOR UPDATE SKIP LOCKED
            """
        count += try await inSteps(
            PostgresQuery("DELETE FROM spc WHERE ctid = ANY (ARRAY(\(older)))", [.integer(Int64(limit))])
        )
        // The CKCs are the bulk of the replay records, and go when they are no answer to a retry any more.
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
        // Whoever asks for a mark does so within seconds, or gives up.
        let marks = """
            SELECT ctid FROM commit_mark WHERE made < now() - interval '10 minutes' LIMIT \(Self.pruneStep)
            FOR UPDATE SKIP LOCKED
            """
        _ = try await inSteps(PostgresQuery("DELETE FROM commit_mark WHERE ctid = ANY (ARRAY(\(marks)))"))
        return count
    }

    private static let pruneStep = 500

    /// Repeats a statement that changes a few rows until there are none left; how many.
    private func inSteps(_ query: PostgresQuery) async throws(KeyStoreError) -> Int {
        var count = 0
        while true {
            // One statement is a transaction by itself; done twice, it does what it would do the next time.
            let changed = try await readers.read(in: "prune") { try $0.run([query]).first?.changed ?? 0 }
            count += changed
            if changed < Self.pruneStep { return count }
        }
    }
}
