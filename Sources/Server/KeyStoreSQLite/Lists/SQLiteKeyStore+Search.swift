import GRDB
package import KeyStore

extension SQLiteKeyStore {
    /// Returns names that begin with a text.
    package func names(matching text: SearchText, limit: Int) async throws(KeyStoreError) -> FoundNames {
        try await translatingErrors(in: "search") {
            try await pool.read { db in
                func values(_ column: SearchedColumn) throws -> [Row] {
                    guard let range = column.range(text) else { return [] }
                    return try Row.fetchAll(
                        db,
                        sql: column.statement(limit: pageSize(limit), Self.searchDialect),
                        arguments: [range.first.argument, range.last.argument]
                    )
                }
                var found = FoundNames()
                found.accounts = try values(.account).map { $0[0] }
                found.titles = try values(.title).map { $0[0] }
                found.assets = try values(.asset).compactMap { $0.bytes(0) }
                found.devices = try values(.device).compactMap { $0.bytes(0).flatMap { DeviceHash(stored: $0) } }
                found.policies = try values(.policy).map { $0[0] }
                found.requestIDs = try values(.requestID).map { $0[0] }
                return found
            }
        }
    }

    static let searchDialect = SearchedColumn.Dialect(parameter: { "?\($0)" }, collated: { $0 })
}
