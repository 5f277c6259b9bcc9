/// The description of a table for its list: the primary key, and the values of its columns.
package struct ListedTable<Record: Sendable>: Sendable {
    /// The table's name in SQL.
    package let name: String
    /// The columns of the primary key.
    package let key: [ListColumn]
    /// Returns the value of a column; nil if it is NULL, or if lists do not use the column.
    package let value: @Sendable (Record, ListColumn) -> ListValue?

    /// Returns the position of a record in the order of a query.
    package func position(of record: Record, in query: ListQuery) -> [ListValue] {
        order(query).compactMap { value(record, $0) }
    }

    /// Returns the columns by which a query sorts.
    package func order(_ query: ListQuery) -> [ListColumn] {
        (query.sort.map { [$0] } ?? []) + key.filter { $0 != query.sort }
    }
}

extension ListedTable<TitleRecord> {
    /// The titles.
    package static let titles = Self(name: "title", key: [.name]) { title, column in
        switch column {
        case .name: .text(title.name)
        case .policyName: title.policyName.map { .text($0) }
        case .updated: .integer(title.updated)
        default: nil
        }
    }
}

extension ListedTable<ContentInfo> {
    /// The keys.
    package static let contents = Self(name: "content", key: [.assetID]) { content, column in
        switch column {
        case .assetID: .bytes(content.assetID)
        case .policyName: content.policyName.map { .text($0) }
        case .titleName: content.titleName.map { .text($0) }
        case .updated: .integer(content.updated)
        default: nil
        }
    }
}

extension ListedTable<PolicyRecord> {
    /// The policies.
    package static let policies = Self(name: "policy", key: [.name]) { policy, column in
        column == .name ? .text(policy.name) : nil
    }
}

extension ListedTable<AdminTokenRecord> {
    /// The tokens for administration.
    package static let adminTokens = Self(name: "admin_token", key: [.name]) { token, column in
        column == .name ? .text(token.name) : nil
    }
}

extension ListedTable<ChannelRecord> {
    /// The schedules of channels.
    package static let channels = Self(name: "channel", key: [.titleName]) { channel, column in
        column == .titleName ? .text(channel.title) : nil
    }
}

extension ListedTable<LeaseRecord> {
    /// The leases, also those that have expired.
    package static let leases = Self(name: "lease", key: [.account, .client]) { lease, column in
        switch column {
        case .account: .bytes(Array(lease.account.utf8))
        case .client: .bytes(lease.client.encoded)
        case .assetID: .bytes(lease.assetID)
        case .until: .integer(lease.until)
        default: nil
        }
    }
}

extension ListedTable<DeviceRecord> {
    /// The devices of accounts.
    package static let devices = Self(name: "device", key: [.account, .device]) { device, column in
        switch column {
        case .account: .bytes(Array(device.account.utf8))
        case .device: .bytes(device.device.bytes)
        case .deviceClass: device.deviceClass.map { .text($0) }
        default: nil
        }
    }
}

extension ListedTable<RentalRecord> {
    /// The rentals.
    package static let rentals = Self(name: "rental", key: [.account, .subject]) { rental, column in
        switch column {
        case .account: .bytes(Array(rental.account.utf8))
        case .subject: .bytes(rental.subject.encoded)
        default: nil
        }
    }
}

extension ListedTable<OfflineLicenseRecord> {
    /// The persistent keys.
    package static let offlineLicenses = Self(
        name: "offline_license",
        key: [.account, .device, .streamID]
    ) { license, column in
        switch column {
        case .account: .bytes(Array(license.account.utf8))
        case .device: .bytes(license.device.bytes)
        case .streamID: .bytes(license.streamID)
        case .assetID: .bytes(license.assetID)
        case .until: license.until.map { .integer($0) }
        case .endReason: license.end.map { .text($0.rawValue) }
        default: nil
        }
    }
}
