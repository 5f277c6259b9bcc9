import FoundationEssentials
import GRDB
package import KeyStore

extension SQLiteKeyStore {
    /// Returns titles.
    package func titles(_ query: ListQuery) async throws(KeyStoreError) -> ListPage<TitleRecord> {
        try await page(.titles, query, TitleRecord.columns) { row, _ in try TitleRecord(row) }
    }

    /// Returns keys without the keys themselves.
    package func contents(_ query: ListQuery) async throws(KeyStoreError) -> ListPage<ContentInfo> {
        try await page(.contents, query, ContentRow.columns) { row, _ in try ContentRow(row).info() }
    }

    /// Returns policies.
    package func policies(_ query: ListQuery) async throws(KeyStoreError) -> ListPage<PolicyRecord> {
        try await page(.policies, query, "name, document") { row, _ in try Self.policyRecord(row) }
    }

    /// Returns schedules.
    package func channels(_ query: ListQuery) async throws(KeyStoreError) -> ListPage<ChannelRecord> {
        try await page(.channels, query, SQLiteChannelRow.columns) { row, db in try SQLiteChannelRow.record(row, db) }
    }

    /// Returns leases.
    package func leases(_ query: ListQuery) async throws(KeyStoreError) -> ListPage<LeaseRecord> {
        try await page(.leases, query, SQLiteLeaseRow.columns) { row, _ in try SQLiteLeaseRow.record(row) }
    }

    /// Returns devices of all accounts.
    package func devices(_ query: ListQuery) async throws(KeyStoreError) -> ListPage<DeviceRecord> {
        try await page(.devices, query, SQLiteDeviceRow.columns) { row, _ in try SQLiteDeviceRow.record(row) }
    }

    /// Returns rentals of all accounts.
    package func rentals(_ query: ListQuery) async throws(KeyStoreError) -> ListPage<RentalRecord> {
        try await page(.rentals, query, SQLiteRentalRow.columns) { row, _ in try SQLiteRentalRow.record(row) }
    }

    /// Returns persistent keys.
    package func offlineLicenses(_ query: ListQuery) async throws(KeyStoreError) -> ListPage<OfflineLicenseRecord> {
        try await page(.offlineLicenses, query, SQLiteOfflineLicenseRow.columns) { row, _ in
            try SQLiteOfflineLicenseRow.record(row)
        }
    }

    private func page<Record>(
        _ table: ListedTable<Record>,
        _ query: ListQuery,
        _ columns: String,
        _ record: @escaping @Sendable (Row, Database) throws -> Record
    ) async throws(KeyStoreError) -> ListPage<Record> {
        let statements = ListStatements(table, query, Self.listDialect)
        return try await translatingErrors(in: table.name) {
            try await pool.read { db in
                let rows = try Row.fetchAll(
                    db,
                    sql: "SELECT \(columns) FROM \(table.name) \(statements.page)",
                    arguments: StatementArguments(statements.pageValues.map(\.argument))
                )
                let total = try Int.fetchOne(
                    db,
                    sql: statements.count,
                    arguments: StatementArguments(statements.countValues.map(\.argument))
                )
                return ListPage(items: try rows.map { try record($0, db) }, total: total ?? 0)
            }
        }
    }

    /// Functions of SQLite on bytes: `lower` changes ASCII letters only, and a cast to text does not change bytes.
    static let listDialect = ListStatements.Dialect(
        parameter: { "?\($0)" },
        contains: { column, _, parameter in
            "instr(lower(CAST(\(column) AS TEXT)), lower(CAST(\(parameter) AS TEXT))) > 0"
        }
    )
}

extension ListValue {
    /// The value for a parameter of a statement.
    var argument: DatabaseValue {
        switch self {
        case .integer(let number): number.databaseValue
        case .text(let text): text.databaseValue
        case .bytes(let bytes): Data(bytes).databaseValue
        }
    }
}
