/// Exact conditions for entries of the audit log. An entry matches if it fulfills every condition that is not nil. Text
/// is compared byte by byte.
package struct AuditFilter: Sendable, Equatable {
    /// The account.
    package var account: String?
    /// The asset ID.
    package var assetID: [UInt8]?
    /// The name of a title: entries of all assets that are key periods of the title now.
    package var title: String?
    /// The device.
    package var device: DeviceHash?
    /// The policy that determined the result.
    package var policyName: String?
    /// The result, such as `issued`.
    package var outcome: String?
    /// The reason of a refusal or failure; see ``AuditRecord/reason``.
    package var reason: String?
    /// The route, as it is declared in the router.
    package var route: String?
    /// The client's address.
    package var remoteAddress: String?
    /// The request ID of the response.
    package var requestID: String?
    /// The first time, in Unix milliseconds.
    package var from: Int64?
    /// The end of the times, in Unix milliseconds; requests at this time do not match.
    package var until: Int64?

    /// Creates a filter that matches all entries.
    package init() {}

    /// The required outcome, by ``outcome`` or ``reason``.
    package var requiredOutcome: String? { outcome ?? reason }

    /// True if no entry can match, because the conditions contradict each other.
    package var isContradictory: Bool {
        guard let reason else { return false }
        return !AuditRecord.isReason(reason) || !(outcome.map { $0.utf8.elementsEqual(reason.utf8) } ?? true)
    }

    /// Returns whether a record fulfills the conditions.
    ///
    /// - Parameter belongsToTitle: Returns whether an asset is a key period of the title with this name.
    package func matches(
        _ record: AuditRecord,
        belongsToTitle: (_ assetID: [UInt8], _ title: String) -> Bool
    ) -> Bool {
        func same(_ wanted: String?, _ found: String?) -> Bool {
            wanted.map { wanted in found.map { $0.utf8.elementsEqual(wanted.utf8) } ?? false } ?? true
        }
        let isOfTitle = title.map { title in record.assetID.map { belongsToTitle($0, title) } ?? false } ?? true
        return !isContradictory && isOfTitle && same(account, record.account) && same(policyName, record.policyName)
            && same(requiredOutcome, record.outcome) && same(route, record.route)
            && same(remoteAddress, record.remoteAddress) && same(requestID, record.requestID)
            && (assetID == nil || assetID == record.assetID) && (device == nil || device == record.device)
            && record.milliseconds >= from ?? .min && (until.map { record.milliseconds < $0 } ?? true)
    }
}

extension AuditRecord {
    /// The machine-readable reason of a refusal or failure; nil if the request succeeded, and for changes by an admin.
    /// The outcome of a refused request is its reason.
    package var reason: String? { Self.isReason(outcome) ? outcome : nil }

    /// Returns whether an outcome is the reason of a refusal or failure.
    package static func isReason(_ outcome: String) -> Bool {
        !successes.contains(outcome) && !outcome.hasPrefix("admin-")
    }

    /// The outcomes of requests that succeeded: licenses and keys, the same license again, and reports.
    private static let successes: Set = ["issued", "issued-persistable", "retried", "sync-report"]
}

/// A part of the audit log that was compared with a filter, newest entries first.
package struct AuditPage: Sendable, Equatable {
    /// The entries that match.
    package var entries: [AuditEntry] = []
    /// The number of entries that were compared. Entries that an index excludes are not counted.
    package var searched = 0
    /// The number of the entry before which to continue; nil if there are no older entries that can match.
    package var next: Int64?
    /// The time of the oldest entry that was compared, in Unix milliseconds; nil if there was none.
    package var oldest: Int64?

    /// Creates an empty page.
    package init() {}

    /// Reads a page from a store.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of entries.
    ///   - entries: Returns the first `limit` entries that match, of those that a query compares.
    ///   - extent: Returns the number of entries that a query compares after a number, and the number of the last one.
    ///   - milliseconds: Returns the time of an entry.
    package init(
        _ filter: AuditFilter,
        _ bounds: AuditBounds,
        limit: Int,
        entries: (_ reach: Int) throws -> [AuditEntry],
        extent: (_ after: Int64, _ reach: Int) throws -> (count: Int, last: Int64?),
        milliseconds: (_ number: Int64) throws -> Int64?
    ) rethrows {
        let reach = filter.hasOtherConditions ? Self.reach : limit
        self.entries = try entries(reach)
        let isFull = self.entries.count == limit
        let end = isFull ? self.entries.last.map { $0.number - 1 } ?? bounds.after : bounds.after
        let extent = try extent(end, reach)
        searched = extent.count
        next = isFull || extent.count == reach ? extent.last : nil
        oldest = try extent.last.flatMap { try milliseconds($0) }
    }

    /// The number of entries that one query compares with conditions for which it uses no index.
    package static let reach = 10_000
}
