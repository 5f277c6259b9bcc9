package import KeyStore

extension PostgresKeyStore {
    /// Returns the token with this hash, or nil.
    package func adminToken(hash: [UInt8]) async throws(KeyStoreError) -> AdminTokenRecord? {
        let query = PostgresQuery(Self.adminTokens + " WHERE hash = $1", [.bytes(hash)])
        return try await list(query, in: "admin_token", Self.adminToken).first
    }

    /// Returns all tokens, sorted by name.
    package func adminTokens() async throws(KeyStoreError) -> [AdminTokenRecord] {
        try await list(PostgresQuery(Self.adminTokens + " ORDER BY name"), in: "admin_token", Self.adminToken)
    }

    /// Stores a new token.
    package func addAdminToken(_ record: AdminTokenRecord, audit: AuditRecord?) async throws(KeyStoreError) {
        let place = "admin token \(record.name)"
        try await administer(in: place, audit: { _ in audit }) { transaction in
            let sql = "SELECT name FROM admin_token WHERE name = $1 OR hash = $2"
            guard try transaction.rows(sql, .text(record.name), .bytes(record.hash)).isEmpty else {
                throw KeyStoreError.exists(place)
            }
            transaction.enqueue([
                PostgresQuery(
                    "INSERT INTO admin_token (name, role, hash, created, last_used_day) VALUES ($1, $2, $3, $4, $5)",
                    [
                        .text(record.name), .text(record.role.rawValue), .bytes(record.hash),
                        .integer(record.created), .init(record.lastUsedDay),
                    ]
                )
            ])
        }
    }

    /// Deletes a token.
    @discardableResult
    package func deleteAdminToken(name: String, audit: AuditRecord?) async throws(KeyStoreError) -> Bool {
        try await administer(in: "admin token \(name)", audit: { $0 ? audit : nil }) { transaction in
            try transaction.change("DELETE FROM admin_token WHERE name = $1", .text(name)) > 0
        }
    }

    /// Records that a token was used on a day.
    package func noteUse(ofAdminToken name: String, day: Int64) async throws(KeyStoreError) {
        try await administer(in: "admin token \(name)") { transaction in
            transaction.enqueue([
                PostgresQuery(
                    "UPDATE admin_token SET last_used_day = $2 WHERE name = $1 AND coalesce(last_used_day, -1) < $2",
                    [.text(name), .integer(day)]
                )
            ])
        }
    }

    private static let adminTokens = "SELECT name, role, hash, created, last_used_day FROM admin_token"

    @Sendable
    private static func adminToken(_ row: PostgresRow) throws(KeyStoreError) -> AdminTokenRecord {
        guard let role = AdminRole(rawValue: try row.requiredText(1)) else {
            throw KeyStoreError(.corrupt, place: "admin token, role")
        }
        return try validatingStored { () throws(KeyStoreError) in
            try AdminTokenRecord(
                name: try row.requiredText(0),
                role: role,
                hash: try row.requiredBytes(2),
                created: try row.requiredInteger(3),
                lastUsedDay: row.integer(4)
            )
        }
    }
}
