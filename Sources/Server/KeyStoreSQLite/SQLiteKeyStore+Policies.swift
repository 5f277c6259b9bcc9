import FoundationEssentials
import GRDB
package import KeyStore

extension SQLiteKeyStore {
    /// Returns the policy with this name, or nil.
    package func policy(name: String) async throws(KeyStoreError) -> PolicyRecord? {
        try await translatingErrors(in: "policy") {
            try await pool.read { db in try Self.policy(name, db) }
        }
    }

    static func policy(_ name: String, _ db: Database) throws -> PolicyRecord? {
        let statement = try db.cachedStatement(sql: "SELECT name, document FROM policy WHERE name = ?")
        return try Row.fetchOne(statement, arguments: [name]).map(policyRecord)
    }

    /// Stores a policy.
    @discardableResult
    package func putPolicy(_ record: PolicyRecord, replacing: Bool, audit: AuditRecordProvider?)
        async throws(KeyStoreError)
        -> WriteOutcome
    {
        try await administer(in: "policy \(record.name)", audit: { audit?($0) }) { db in
            let previous = try Self.policy(record.name, db)
            guard previous == nil || replacing else { throw KeyStoreError.exists("policy \(record.name)") }
            try db.execute(
                sql: """
                    INSERT INTO policy (name, document) VALUES (?, ?)
                    ON CONFLICT (name) DO UPDATE SET document = excluded.document
                    """,
                arguments: [record.name, Data(record.document)]
            )
            if let change = PolicyChange(from: previous?.document, to: record, audit: audit) {
                try Self.record(change, db)
            }
            return previous == nil ? .created : .replaced
        }
    }

    /// Deletes a policy.
    @discardableResult
    package func deletePolicy(name: String, audit: AuditRecord?) async throws(KeyStoreError) -> Bool {
        try await administer(in: "policy \(name)", audit: { $0 ? audit : nil }) { db in
            for table in ["content", "title", "track"] {
                let inUse = "SELECT 1 FROM \(table) WHERE policy_name = ? LIMIT 1"
                guard try Row.fetchOne(db, sql: inUse, arguments: [name]) == nil else {
                    throw KeyStoreError.policyInUse(name)
                }
            }
            guard let previous = try Self.policy(name, db) else { return false }
            try db.execute(sql: "DELETE FROM policy WHERE name = ?", arguments: [name])
            try Self.record(PolicyChange(deleting: name, previous.document, audit: audit), db)
            return true
        }
    }

    /// Returns policies, sorted by name.
    package func policies(after name: String?, limit: Int) async throws(KeyStoreError) -> [PolicyRecord] {
        try await translatingErrors(in: "policy") {
            try await pool.read { db in
                try Row.fetchAll(
                    db,
                    sql: "SELECT name, document FROM policy WHERE name > ? ORDER BY name LIMIT ?",
                    arguments: [name ?? "", pageSize(limit)]
                ).map(Self.policyRecord)
            }
        }
    }

    static func exists(policy name: String, _ db: Database) throws -> Bool {
        try Row.fetchOne(db, sql: "SELECT 1 FROM policy WHERE name = ?", arguments: [name]) != nil
    }

    /// Throws if the policy that a record refers to does not exist.
    static func require(policy name: String?, _ place: String, _ db: Database) throws {
        if let name, try !exists(policy: name, db) { throw KeyStoreError.noPolicy(name, place) }
    }

    static func policyRecord(_ row: Row) throws -> PolicyRecord {
        try validatingStored { () throws(KeyStoreError) in try PolicyRecord(name: row[0], document: row.bytes(1) ?? [])
        }
    }
}
