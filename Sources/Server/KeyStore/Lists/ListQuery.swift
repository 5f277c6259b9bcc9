/// A condition of a list.
package enum ListCondition: Sendable, Equatable {
    /// The column has this value.
    case equal(ListColumn, ListValue)
    /// The text or bytes of the column begin with this value.
    case prefix(ListColumn, ListValue)
    /// The text or bytes of the column contain this value, ignoring the case of ASCII letters.
    case contains(ListColumn, ListValue)
    /// The integer of the column is greater.
    case greater(ListColumn, Int64)
    /// The integer of the column is greater, or the column is NULL.
    case nullOrGreater(ListColumn, Int64)
    /// The column has this value, or is NULL.
    case nullOrEqual(ListColumn, ListValue)
}

/// A page of a list: which records, in which order, and after which position.
package struct ListQuery: Sendable, Equatable {
    /// The conditions, all of which the records fulfill.
    package var conditions: [ListCondition] = []
    /// The column to sort by, before the primary key; nil to sort by the primary key only.
    package var sort: ListColumn?
    /// True to return the last records first.
    package var isDescending = false
    /// The values of the last record of the previous page: of the column to sort by, if any, and of the primary key.
    /// Nil for the first page.
    package var after: [ListValue]?
    /// The maximum number of records, 1 to 1,000.
    package var limit = 100

    /// Creates a query for the first 100 records.
    package init() {}
}

/// A page of a list.
package struct ListPage<Record: Sendable>: Sendable {
    /// The records.
    package let items: [Record]
    /// The number of records on all pages.
    package let total: Int

    /// Creates a page.
    package init(items: [Record], total: Int) {
        self.items = items
        self.total = total
    }
}

/// Lists with filters, in the order of the primary key or another column.
///
/// A list by a column other than its primary key, and each filter that excludes most records, uses an index. Searches
/// for contained text read the whole table.
package protocol ListStore: Sendable {
    /// Returns titles; filters: `policy_name`; order: `name`, `updated`.
    func titles(_ query: ListQuery) async throws(KeyStoreError) -> ListPage<TitleRecord>
    /// Returns keys without the keys themselves; filters: `policy_name`, `title_name`; order: `asset_id`, `updated`.
    func contents(_ query: ListQuery) async throws(KeyStoreError) -> ListPage<ContentInfo>
    /// Returns policies; order: `name`.
    func policies(_ query: ListQuery) async throws(KeyStoreError) -> ListPage<PolicyRecord>
    /// Returns schedules; order: `title_name`.
    func channels(_ query: ListQuery) async throws(KeyStoreError) -> ListPage<ChannelRecord>
    /// Returns leases; filters: `account`, `client`, `asset_id`; order: account and client.
    func leases(_ query: ListQuery) async throws(KeyStoreError) -> ListPage<LeaseRecord>
    /// Returns devices of all accounts; filters: `account`, `device`, `device_class`; order: account and device.
    func devices(_ query: ListQuery) async throws(KeyStoreError) -> ListPage<DeviceRecord>
    /// Returns rentals of all accounts; filters: `account`, `subject`; order: account and subject.
    func rentals(_ query: ListQuery) async throws(KeyStoreError) -> ListPage<RentalRecord>
    /// Returns persistent keys; filters: `account`, `device`, `asset_id`; order: account, device and stream ID.
    func offlineLicenses(_ query: ListQuery) async throws(KeyStoreError) -> ListPage<OfflineLicenseRecord>
}
