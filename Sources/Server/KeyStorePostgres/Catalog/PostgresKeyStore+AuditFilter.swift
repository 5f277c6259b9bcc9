package import KeyStore

extension PostgresKeyStore {
    /// Returns entries that match a filter, the newest first.
    package func auditEntries(
        matching filter: AuditFilter,
        before number: Int64?,
        limit: Int
    ) async throws(KeyStoreError) -> AuditPage {
        guard !filter.isContradictory else { return AuditPage() }
        return try await readers.read(in: "audit") { reader in
            guard let bounds = try Self.bounds(of: filter, before: number, reader) else { return AuditPage() }
            return try Self.page(filter, bounds, pageSize(limit), reader)
        }
    }

    private static func page(
        _ filter: AuditFilter,
        _ bounds: AuditBounds,
        _ limit: Int,
        _ reader: PostgresReader
    ) throws -> AuditPage {
        let statements = AuditStatements(filter, columns: PostgresAuditRow.columns, auditDialect)
        func values(_ after: Int64, _ reach: Int) -> [PostgresValue] {
            [PostgresValue(statements.key), .integer(bounds.before), .integer(after), .integer(Int64(reach))]
        }
        return try AuditPage(filter, bounds, limit: limit) { reach in
            let all =
                values(bounds.after, reach) + [.integer(Int64(limit))]
                + statements.conditions.map { PostgresValue($0) }
            return try (reader.run([PostgresQuery(statements.page, all)]).first?.rows ?? [])
                .map { try PostgresAuditRow.entry($0) }
        } extent: { after, reach in
            let extent = try reader.run([PostgresQuery(statements.extent, values(after, reach))]).first?.rows.first
            return (Int(clamping: extent?.integer(0) ?? 0), extent?.integer(1))
        } milliseconds: { number in
            try reader.rows("SELECT milliseconds FROM audit WHERE number = $1", .integer(number)).first?.integer(0)
        }
    }

    /// Returns the numbers between which entries can match; nil if there are none.
    private static func bounds(
        of filter: AuditFilter,
        before: Int64?,
        _ reader: PostgresReader
    ) throws -> AuditBounds? {
        func number(_ condition: String, _ time: Int64) throws -> Int64? {
            let sql = "SELECT number FROM audit WHERE milliseconds \(condition) LIMIT 1"
            return try reader.rows(sql, .integer(time)).first?.integer(0)
        }
        return try AuditBounds(
            filter,
            before: before,
            first: { try number(">= $1 ORDER BY milliseconds", $0) },
            last: { try number("< $1 ORDER BY milliseconds DESC", $0) }
        )
    }

    /// Only the index has the order of these statements. With an equation and the order of numbers alone, the planner
    /// may read the whole log backward for a value that is less frequent than it estimates. `LIMIT` keeps it from
    /// joining tables in another way.
    static let auditDialect = AuditStatements.Dialect(
        parameter: { "$\($0)" },
        typedParameter: { number, index in
            let type = index.map { $0.isBytes ? "bytea" : "text" } ?? "bigint"
            return "$\(number)::\(type)"
        },
        candidates: { index in
            guard let index else {
                return "FROM audit WHERE $1::text IS NULL AND number < $2 AND number > $3 ORDER BY number DESC"
            }
            let column = index.isBytes ? index.column : "\(index.column) COLLATE \"C\""
            return """
                FROM audit WHERE \(index.column) IS NOT NULL
                    AND (\(column), number) < ($1, $2) AND (\(column), number) > ($1, $3)
                ORDER BY \(column) DESC, number DESC
                """
        },
        candidatesOfTitle: """
            FROM (
                SELECT entry.number AS candidate_number FROM content
                CROSS JOIN LATERAL (
                    SELECT number FROM audit WHERE audit.asset_id IS NOT NULL
                        AND (audit.asset_id, number) < (content.asset_id, $2)
                        AND (audit.asset_id, number) > (content.asset_id, $3)
                    ORDER BY audit.asset_id DESC, number DESC LIMIT $4
                ) AS entry
                WHERE content.title_name = $1 ORDER BY entry.number DESC LIMIT $4
            ) AS found
            CROSS JOIN LATERAL (SELECT * FROM audit WHERE number = found.candidate_number LIMIT 1) AS entry
            ORDER BY number DESC
            """
    )
}
