package import KeyStore

extension InMemoryKeyStore {
    /// Returns titles.
    package func titles(_ query: ListQuery) async throws(KeyStoreError) -> ListPage<TitleRecord> {
        ListedTable.titles.page(query, of: catalog.titles.values)
    }

    /// Returns keys without the keys themselves.
    package func contents(_ query: ListQuery) async throws(KeyStoreError) -> ListPage<ContentInfo> {
        ListedTable.contents.page(query, of: contents.values.map(\.info))
    }

    /// Returns policies.
    package func policies(_ query: ListQuery) async throws(KeyStoreError) -> ListPage<PolicyRecord> {
        ListedTable.policies.page(query, of: policies.values)
    }

    /// Returns schedules.
    package func channels(_ query: ListQuery) async throws(KeyStoreError) -> ListPage<ChannelRecord> {
        ListedTable.channels.page(query, of: schedules.values)
    }

    /// Returns leases.
    package func leases(_ query: ListQuery) async throws(KeyStoreError) -> ListPage<LeaseRecord> {
        ListedTable.leases.page(query, of: grants.accounts.values.flatMap(\.leases.values))
    }

    /// Returns devices of all accounts.
    package func devices(_ query: ListQuery) async throws(KeyStoreError) -> ListPage<DeviceRecord> {
        ListedTable.devices.page(query, of: grants.accounts.values.flatMap(\.devices.values))
    }

    /// Returns rentals of all accounts.
    package func rentals(_ query: ListQuery) async throws(KeyStoreError) -> ListPage<RentalRecord> {
        ListedTable.rentals.page(query, of: grants.accounts.values.flatMap(\.rentals.values))
    }

    /// Returns persistent keys.
    package func offlineLicenses(_ query: ListQuery) async throws(KeyStoreError) -> ListPage<OfflineLicenseRecord> {
        let all = grants.accounts.values.flatMap { $0.offline.values.flatMap(\.values) }
        return ListedTable.offlineLicenses.page(query, of: all)
    }

    /// Returns entries that match a filter, the newest first.
    package func auditEntries(
        matching filter: AuditFilter,
        before number: Int64?,
        limit: Int
    ) async throws(KeyStoreError) -> AuditPage {
        var page = AuditPage()
        for entry in audit.entries.reversed() where entry.number < number ?? .max {
            page.searched += 1
            page.oldest = entry.record.milliseconds
            let isMatch = filter.matches(entry.record) { assetID, title in
                contents[assetID]?.info.titleName == title
            }
            guard isMatch else { continue }
            page.entries.append(entry)
            if page.entries.count == pageSize(limit) {
                page.next = entry.number
                break
            }
        }
        return page
    }

    /// Returns names that begin with a text.
    package func names(matching text: SearchText, limit: Int) async throws(KeyStoreError) -> FoundNames {
        func first<Name>(_ column: SearchedColumn, _ names: [Name], _ value: (Name) -> ListValue) -> [Name] {
            guard let range = column.range(text) else { return [] }
            let found = names.filter { range.first <= value($0) && value($0) <= range.last }
            let sorted = found.sorted { value($0) < value($1) }
            return sorted.indices.filter { $0 == 0 || value(sorted[$0]) != value(sorted[$0 - 1]) }
                .prefix(pageSize(limit)).map { sorted[$0] }
        }
        let records = audit.entries.map(\.record)
        var found = FoundNames()
        found.accounts = first(.account, records.compactMap(\.account)) { .text($0) }
        found.titles = first(.title, Array(catalog.titles.keys)) { .text($0) }
        found.assets = first(.asset, Array(contents.keys)) { .bytes($0) }
        found.devices = first(.device, records.compactMap(\.device)) { .bytes($0.bytes) }
        found.policies = first(.policy, Array(policies.keys)) { .text($0) }
        found.requestIDs = first(.requestID, records.compactMap(\.requestID)) { .text($0) }
        return found
    }
}
