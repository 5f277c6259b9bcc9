package import KeyStore

extension PostgresKeyStore {
    /// Returns names that begin with a text.
    package func names(matching text: SearchText, limit: Int) async throws(KeyStoreError) -> FoundNames {
        try await readers.read(in: "search") { reader in
            func values(_ column: SearchedColumn) throws -> [PostgresRow] {
                guard let range = column.range(text) else { return [] }
                let sql = column.statement(limit: pageSize(limit), Self.searchDialect)
                let query = PostgresQuery(sql, [PostgresValue(range.first), PostgresValue(range.last)])
                return try reader.run([query]).first?.rows ?? []
            }
            var found = FoundNames()
            found.accounts = try values(.account).compactMap { $0.text(0) }
            found.titles = try values(.title).compactMap { $0.text(0) }
            found.assets = try values(.asset).compactMap { $0.bytes(0) }
            found.devices = try values(.device).compactMap { $0.bytes(0).flatMap { DeviceHash(stored: $0) } }
            found.policies = try values(.policy).compactMap { $0.text(0) }
            found.requestIDs = try values(.requestID).compactMap { $0.text(0) }
            return found
        }
    }

    static let searchDialect = SearchedColumn.Dialect(parameter: { "$\($0)" }, collated: { "\($0) COLLATE \"C\"" })
}
