/// The tables of the second migration, for the dashboard: the history of policies, and of the activity of servers.
enum SQLiteHistoryTables {
    /// The statements.
    static let script = """

        -- A change of a policy. The numbers of each policy start at 1. Rows remain when the policy is deleted.
        CREATE TABLE policy_change (
            policy_name TEXT NOT NULL,
            number INTEGER NOT NULL,
            milliseconds INTEGER NOT NULL, -- Unix milliseconds
            actor TEXT,
            change TEXT NOT NULL,
            document BLOB, -- before the change; NULL if there was none
            PRIMARY KEY (policy_name, number)
        ) STRICT, WITHOUT ROWID;

        -- The requests that one server process has answered in an interval, with the same result.
        CREATE TABLE activity (
            step INTEGER NOT NULL, -- the length of the interval
            title_name TEXT NOT NULL, -- empty for the requests of all titles
            starts INTEGER NOT NULL,
            node BLOB NOT NULL CHECK (length(node) = 8), -- random bytes of the process
            device_class TEXT NOT NULL, -- empty without one, and in the rows of a title
            outcome TEXT NOT NULL,
            reason TEXT NOT NULL, -- empty without one, and in the rows of a title
            requests INTEGER NOT NULL,
            latency BLOB NOT NULL, -- the histogram of latencies; empty without one
            PRIMARY KEY (step, title_name, starts, node, device_class, outcome, reason)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX activity_by_start ON activity (starts);
        """
}
