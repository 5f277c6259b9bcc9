import FoundationEssentials
import GRDB
package import KeyStore

extension SQLiteKeyStore {
    /// Returns changes of a policy, the newest first.
    package func policyHistory(
        name: String,
        before number: Int64?,
        limit: Int
    ) async throws(KeyStoreError) -> [PolicyChange] {
        try await translatingErrors(in: "policy \(name)") {
            try await pool.read { db in
                try Row.fetchAll(
                    db,
                    sql: """
                        SELECT number, milliseconds, actor, change, document FROM policy_change
                        WHERE policy_name = ? AND number < ? ORDER BY number DESC LIMIT ?
                        """,
                    arguments: [name, number ?? Int64.max, pageSize(limit)]
                ).map { row in
                    guard let kind = PolicyChange.Kind(rawValue: row[3]) else {
                        throw KeyStoreError(.corrupt, place: "policy_change, change")
                    }
                    return PolicyChange(
                        policy: name,
                        number: row[0],
                        milliseconds: row[1],
                        actor: row[2],
                        kind: kind,
                        document: row.bytes(4)
                    )
                }
            }
        }
    }

    /// Returns the records that refer to a policy.
    package func policyUses(name: String, limit: Int) async throws(KeyStoreError) -> PolicyUses {
        try await translatingErrors(in: "policy \(name)") {
            try await pool.read { db in
                func page<Name>(_ table: String, _ columns: String, _ read: (Row) -> Name) throws -> ListPage<Name> {
                    let condition = "FROM \(table) WHERE policy_name = ?"
                    let rows = try Row.fetchAll(
                        db,
                        sql: "SELECT \(columns) \(condition) ORDER BY \(columns) LIMIT ?",
                        arguments: [name, pageSize(limit)]
                    )
                    let total = try Int.fetchOne(db, sql: "SELECT count(*) \(condition)", arguments: [name])
                    return ListPage(items: rows.map(read), total: total ?? 0)
                }
                return PolicyUses(
                    titles: try page("title", "name") { $0[0] },
                    tracks: try page("track", "title_name, name") { .init(title: $0[0], name: $0[1]) },
                    assets: try page("content", "asset_id") { $0.bytes(0) ?? [] }
                )
            }
        }
    }

    /// Writes a change within its transaction, and deletes the oldest ones beyond the limit.
    static func record(_ change: PolicyChange, _ db: Database) throws {
        try db.execute(
            sql: """
                INSERT INTO policy_change (policy_name, number, milliseconds, actor, change, document)
                SELECT ?1, coalesce(max(number), 0) + 1, ?2, ?3, ?4, ?5 FROM policy_change WHERE policy_name = ?1
                """,
            arguments: [
                change.policy, change.milliseconds, change.actor, change.kind.rawValue, change.document?.data,
            ]
        )
        try db.execute(
            sql: """
                DELETE FROM policy_change WHERE policy_name = ?1
                    AND number <= (SELECT max(number) FROM policy_change WHERE policy_name = ?1) - ?2
                """,
            arguments: [change.policy, PolicyChange.kept]
        )
    }
}
