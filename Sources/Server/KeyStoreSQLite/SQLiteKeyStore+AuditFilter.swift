import GRDB
package import KeyStore

extension SQLiteKeyStore {
    /// Returns entries that match a filter, the newest first.
    package func auditEntries(
        matching filter: AuditFilter,
        before number: Int64?,
        limit: Int
    ) async throws(KeyStoreError) -> AuditPage {
        guard !filter.isContradictory else { return AuditPage() }
        return try await translatingErrors(in: "audit") {
            try await pool.read { db in
                guard let bounds = try Self.bounds(of: filter, before: number, db) else { return AuditPage() }
                return try Self.page(filter, bounds, pageSize(limit), db)
            }
        }
    }

    private static func page(
        _ filter: AuditFilter,
        _ bounds: AuditBounds,
        _ limit: Int,
        _ db: Database
    ) throws -> AuditPage {
        let statements = AuditStatements(filter, columns: SQLiteAuditRow.columns, auditDialect)
        func arguments(_ after: Int64, _ reach: Int) -> [DatabaseValue] {
            [
                statements.key?.argument ?? .null, bounds.before.databaseValue, after.databaseValue,
                Int64(reach).databaseValue,
            ]
        }
        return try AuditPage(filter, bounds, limit: limit) { reach in
            let all =
                arguments(bounds.after, reach) + [Int64(limit).databaseValue]
                + statements.conditions.map { $0?.argument ?? .null }
            return try Row.fetchAll(db, sql: statements.page, arguments: StatementArguments(all))
                .map(SQLiteAuditRow.entry)
        } extent: { after, reach in
            let arguments = StatementArguments(arguments(after, reach))
            let extent = try Row.fetchOne(db, sql: statements.extent, arguments: arguments)
            return (extent?[0] ?? 0, extent?[1])
        } milliseconds: { number in
            try Int64.fetchOne(db, sql: "SELECT milliseconds FROM audit WHERE number = ?", arguments: [number])
        }
    }

    /// Returns the numbers between which entries can match; nil if there are none.
    private static func bounds(of filter: AuditFilter, before: Int64?, _ db: Database) throws -> AuditBounds? {
        func number(_ condition: String, _ time: Int64) throws -> Int64? {
            let sql =
                "SELECT number FROM audit INDEXED BY audit_by_milliseconds WHERE milliseconds \(condition) LIMIT 1"
            return try Int64.fetchOne(db, sql: sql, arguments: [time])
        }
        return try AuditBounds(
            filter,
            before: before,
            first: { try number(">= ? ORDER BY milliseconds", $0) },
            last: { try number("< ? ORDER BY milliseconds DESC", $0) }
        )
    }

    /// `INDEXED BY` fails without the index, so a statement never reads the whole log instead.
    static let auditDialect = AuditStatements.Dialect(
        parameter: { "?\($0)" },
        typedParameter: { number, _ in "?\(number)" },
        candidates: { index in
            let source =
                index.map { "audit INDEXED BY \($0.name) WHERE \($0.column) = ?1 AND" } ?? "audit NOT INDEXED WHERE"
            return "FROM \(source) number < ?2 AND number > ?3 ORDER BY number DESC"
        },
        candidatesOfTitle: """
            FROM audit WHERE number IN (
                SELECT entry.number
                FROM content CROSS JOIN audit AS entry INDEXED BY audit_by_asset_id ON entry.asset_id = content.asset_id
                WHERE content.title_name = ?1 AND entry.number < ?2 AND entry.number > ?3
                ORDER BY entry.number DESC LIMIT ?4
            ) ORDER BY number DESC
            """
    )
}
