/// An index of the audit log, by which a query finds entries with one value, newest first.
package enum AuditIndex: String, Sendable, CaseIterable {
    // The most selective first.
    case requestID = "request_id"
    case device
    case account
    case remoteAddress = "remote_address"
    case assetID = "asset_id"
    case policyName = "policy_name"
    case outcome
    case route

    /// The name of the column.
    package var column: String { rawValue }
    /// The name of the index in SQL.
    package var name: String { "audit_by_\(rawValue)" }

    /// True if the column contains bytes, false if it contains text.
    package var isBytes: Bool { self == .device || self == .assetID }

    /// True if every entry has a value.
    package var isRequired: Bool { self == .outcome || self == .route }
}

extension AuditFilter {
    /// Returns the required value of an index's column; nil if the filter does not restrict it.
    package func value(_ index: AuditIndex) -> ListValue? {
        switch index {
        case .requestID: requestID.map { .text($0) }
        case .device: device.map { .bytes($0.bytes) }
        case .account: account.map { .text($0) }
        case .remoteAddress: remoteAddress.map { .text($0) }
        case .assetID: assetID.map { .bytes($0) }
        case .policyName: policyName.map { .text($0) }
        case .outcome: requiredOutcome.map { .text($0) }
        case .route: route.map { .text($0) }
        }
    }

    /// The index that a query uses: the most selective one with a value. Nil without a value, and for a title, whose
    /// assets are looked up in the index of assets.
    package var index: AuditIndex? { title == nil ? AuditIndex.allCases.first { value($0) != nil } : nil }

    /// True if an index alone does not determine the matching entries.
    package var hasOtherConditions: Bool {
        let values = AuditIndex.allCases.count { value($0) != nil }
        return from != nil || until != nil || values > (title == nil ? 1 : 0)
    }

    /// The maximum difference between the order of the log and the order of times, in milliseconds: an entry is written
    /// after its request, and the clocks of servers differ. By it, a query finds the part of the log with the times of
    /// the filter.
    package static let timeTolerance: Int64 = 3_600_000
}
