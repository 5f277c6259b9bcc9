/// The tables of the second migration, for the dashboard: the history of policies, and of the activity of servers. The
/// tables are those of `SQLiteHistoryTables`.
enum PostgresHistoryTables {
    /// The statements.
    static let script = """

        -- A change of a policy. The numbers of each policy start at 1. Rows remain when the policy is deleted.
        CREATE TABLE policy_change (
            policy_name label NOT NULL,
            number BIGINT NOT NULL,
            milliseconds BIGINT NOT NULL, -- Unix milliseconds
            actor TEXT,
            change TEXT NOT NULL,
            document BYTEA, -- before the change; NULL if there was none
            PRIMARY KEY (policy_name, number)
        );

        -- The requests that one server process has answered in an interval, with the same result.
        CREATE TABLE activity (
            step BIGINT NOT NULL, -- the length of the interval
            title_name label NOT NULL, -- empty for the requests of all titles
            starts BIGINT NOT NULL,
            node BYTEA NOT NULL CHECK (length(node) = 8), -- random bytes of the process
            device_class label NOT NULL, -- empty without one, and in the rows of a title
            outcome label NOT NULL,
            reason label NOT NULL, -- empty without one, and in the rows of a title
            requests BIGINT NOT NULL,
            latency BYTEA NOT NULL, -- the histogram of latencies; empty without one
            PRIMARY KEY (step, title_name, starts, node, device_class, outcome, reason)
        );
        CREATE INDEX activity_by_start ON activity (starts);
        """
}
