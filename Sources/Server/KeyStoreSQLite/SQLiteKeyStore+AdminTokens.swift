import FoundationEssentials
import GRDB
package import KeyStore

extension SQLiteKeyStore {
    /// Returns the token with this hash, or nil.
    package func adminToken(hash: [UInt8]) async throws(KeyStoreError) -> AdminTokenRecord? {
        try await translatingErrors(in: "admin_token") {
            try await pool.read { db in
                let statement = try db.cachedStatement(sql: Self.adminTokens + " WHERE hash = ?")
                return try Row.fetchOne(statement, arguments: [Data(hash)]).map(Self.adminToken)
            }
        }
    }

    /// Returns all tokens, sorted by name.
    package func adminTokens() async throws(KeyStoreError) -> [AdminTokenRecord] {
        try await translatingErrors(in: "admin_token") {
            try await pool.read { db in
                try Row.fetchAll(db, sql: Self.adminTokens + " ORDER BY name").map(Self.adminToken)
            }
        }
    }

    /// Stores a new token.
    package func addAdminToken(_ record: AdminTokenRecord, audit: AuditRecord?) async throws(KeyStoreError) {
        let place = "admin token \(record.name)"
        try await administer(in: place, audit: { _ in audit }) { db in
            let sql = "SELECT 1 FROM admin_token WHERE name = ? OR hash = ?"
            guard try Row.fetchOne(db, sql: sql, arguments: [record.name, Data(record.hash)]) == nil else {
                throw KeyStoreError.exists(place)
            }
            try db.execute(
                sql: "INSERT INTO admin_token (name, role, hash, created, last_used_day) VALUES (?, ?, ?, ?, ?)",
                arguments: [
                    record.name, record.role.rawValue, Data(record.hash), record.created, record.lastUsedDay,
                ]
            )
        }
    }

    /// Deletes a token.
    @discardableResult
    package func deleteAdminToken(name: String, audit: AuditRecord?) async throws(KeyStoreError) -> Bool {
        try await administer(in: "admin token \(name)", audit: { $0 ? audit : nil }) { db in
            try db.execute(sql: "DELETE FROM admin_token WHERE name = ?", arguments: [name])
            return db.changesCount > 0
        }
    }

    /// Records that a token was used on a day.
    package func noteUse(ofAdminToken name: String, day: Int64) async throws(KeyStoreError) {
        try await translatingErrors(in: "admin token \(name)") {
            try await pool.write { db in
                try db.execute(
                    sql: "UPDATE admin_token SET last_used_day = ? WHERE name = ? AND ifnull(last_used_day, -1) < ?",
                    arguments: [day, name, day]
                )
            }
        }
    }

    private static let adminTokens = "SELECT name, role, hash, created, last_used_day FROM admin_token"

    private static func adminToken(_ row: Row) throws -> AdminTokenRecord {
        guard let role = AdminRole(rawValue: row[1]) else {
            throw KeyStoreError(.corrupt, place: "admin token, role")
        }
        return try validatingStored { () throws(KeyStoreError) in
            try AdminTokenRecord(
                name: row[0],
                role: role,
                hash: row.bytes(2) ?? [],
                created: row[3],
                lastUsedDay: row[4]
            )
        }
    }
}
