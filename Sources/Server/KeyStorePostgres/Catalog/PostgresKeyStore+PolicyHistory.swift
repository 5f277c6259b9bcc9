package import KeyStore

extension PostgresKeyStore {
    /// Returns changes of a policy, the newest first.
    package func policyHistory(
        name: String,
        before number: Int64?,
        limit: Int
    ) async throws(KeyStoreError) -> [PolicyChange] {
        let query = PostgresQuery(
            """
            SELECT number, milliseconds, actor, change, document FROM policy_change
            WHERE policy_name = $1 AND number < $2 ORDER BY number DESC LIMIT $3
            """,
            [.text(name), .integer(number ?? .max), .integer(Int64(pageSize(limit)))]
        )
        return try await list(query, in: "policy_change") { row in
            guard let kind = PolicyChange.Kind(rawValue: try row.requiredText(3)) else {
                throw KeyStoreError(.corrupt, place: "policy_change, change")
            }
            return PolicyChange(
                policy: name,
                number: try row.requiredInteger(0),
                milliseconds: try row.requiredInteger(1),
                actor: row.text(2),
                kind: kind,
                document: row.bytes(4)
            )
        }
    }

    /// Returns the records that refer to a policy.
    package func policyUses(name: String, limit: Int) async throws(KeyStoreError) -> PolicyUses {
        try await readers.read(in: "policy") { reader in
            func page<Name>(
                _ table: String,
                _ columns: String,
                _ read: (PostgresRow) throws -> Name
            ) throws -> ListPage<Name> {
                let condition = "FROM \(table) WHERE policy_name = $1"
                let rows = try reader.rows(
                    "SELECT \(columns) \(condition) ORDER BY \(columns) LIMIT $2",
                    .text(name),
                    .integer(Int64(pageSize(limit)))
                )
                let total = try reader.rows("SELECT count(*) \(condition)", .text(name)).first?.integer(0)
                return ListPage(items: try rows.map(read), total: Int(clamping: total ?? 0))
            }
            return PolicyUses(
                titles: try page("title", "name") { try $0.requiredText(0) },
                tracks: try page("track", "title_name, name") {
                    .init(title: try $0.requiredText(0), name: try $0.requiredText(1))
                },
                assets: try page("content", "asset_id") { try $0.requiredBytes(0) }
            )
        }
    }

    /// Returns the statements that write a change, and delete the oldest ones beyond the limit.
    static func recording(_ change: PolicyChange) -> [PostgresQuery] {
        [
            PostgresQuery(
                """
                INSERT INTO policy_change (policy_name, number, milliseconds, actor, change, document)
                SELECT $1::text, coalesce(max(number), 0) + 1, $2::bigint, $3::text, $4::text, $5::bytea
                FROM policy_change WHERE policy_name = $1::text
                """,
                [
                    .text(change.policy), .integer(change.milliseconds), .init(change.actor),
                    .text(change.kind.rawValue), .init(change.document),
                ]
            ),
            PostgresQuery(
                """
                DELETE FROM policy_change WHERE policy_name = $1::text
                    AND number <= (SELECT max(number) FROM policy_change WHERE policy_name = $1::text) - $2::bigint
                """,
                [.text(change.policy), .integer(PolicyChange.kept)]
            ),
        ]
    }
}
