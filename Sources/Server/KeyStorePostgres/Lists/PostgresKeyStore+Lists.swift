package import KeyStore

extension PostgresKeyStore {
    /// Returns titles.
    package func titles(_ query: ListQuery) async throws(KeyStoreError) -> ListPage<TitleRecord> {
        try await page(.titles, query, "SELECT \(TitleRecord.columns) FROM title") { try TitleRecord($0) }
    }

    /// Returns keys without the keys themselves.
    package func contents(_ query: ListQuery) async throws(KeyStoreError) -> ListPage<ContentInfo> {
        try await page(.contents, query, "SELECT \(EncryptedContent.columns) FROM content") {
            try EncryptedContent($0).info()
        }
    }

    /// Returns policies.
    package func policies(_ query: ListQuery) async throws(KeyStoreError) -> ListPage<PolicyRecord> {
        try await page(.policies, query, "SELECT name, document FROM policy") { try Self.policyRecord($0) }
    }

    /// Returns schedules.
    package func channels(_ query: ListQuery) async throws(KeyStoreError) -> ListPage<ChannelRecord> {
        try await page(.channels, query, PostgresChannelRow.selection) { try PostgresChannelRow.record($0) }
    }

    /// Returns leases.
    package func leases(_ query: ListQuery) async throws(KeyStoreError) -> ListPage<LeaseRecord> {
        try await page(.leases, query, "SELECT \(PostgresLeaseRow.columns) FROM lease") {
            try PostgresLeaseRow.record($0)
        }
    }

    /// Returns devices of all accounts.
    package func devices(_ query: ListQuery) async throws(KeyStoreError) -> ListPage<DeviceRecord> {
        try await page(.devices, query, "SELECT \(PostgresDeviceRow.columns) FROM device") {
            try PostgresDeviceRow.record($0)
        }
    }

    /// Returns rentals of all accounts.
    package func rentals(_ query: ListQuery) async throws(KeyStoreError) -> ListPage<RentalRecord> {
        try await page(.rentals, query, "SELECT \(PostgresRentalRow.columns) FROM rental") {
            try PostgresRentalRow.record($0)
        }
    }

    /// Returns persistent keys.
    package func offlineLicenses(_ query: ListQuery) async throws(KeyStoreError) -> ListPage<OfflineLicenseRecord> {
        let selection = "SELECT \(PostgresOfflineLicenseRow.columns) FROM offline_license"
        return try await page(.offlineLicenses, query, selection) { try PostgresOfflineLicenseRow.record($0) }
    }

    private func page<Record>(
        _ table: ListedTable<Record>,
        _ query: ListQuery,
        _ selection: String,
        _ record: @Sendable (PostgresRow) throws -> Record
    ) async throws(KeyStoreError) -> ListPage<Record> {
        let statements = ListStatements(table, query, Self.listDialect)
        return try await readers.read(in: table.name) { reader in
            let results = try reader.run([
                PostgresQuery("\(selection) \(statements.page)", statements.pageValues.map { PostgresValue($0) }),
                PostgresQuery(statements.count, statements.countValues.map { PostgresValue($0) }),
            ])
            let total = results.last?.rows.first?.integer(0) ?? 0
            return ListPage(items: try (results.first?.rows ?? []).map(record), total: Int(clamping: total))
        }
    }

    /// In the collation "C", `lower` changes ASCII letters only. The format `escape` represents bytes beyond ASCII by
    /// digits, so bytes are compared like text.
    static let listDialect = ListStatements.Dialect(
        parameter: { "$\($0)" },
        contains: { column, value, parameter in
            func lowercased(_ name: String) -> String {
                if case .bytes = value { return "lower(encode(\(name), 'escape') COLLATE \"C\")" }
                return "lower(\(name)::text COLLATE \"C\")"
            }
            return "position(\(lowercased(parameter)) in \(lowercased(column))) > 0"
        }
    )
}

extension PostgresValue {
    /// Creates a parameter from a value of a list; nil is NULL.
    init(_ value: ListValue?) {
        switch value {
        case .integer(let number): self = .integer(number)
        case .text(let text): self = .text(text)
        case .bytes(let bytes): self = .bytes(bytes)
        case nil: self = .null
        }
    }
}
