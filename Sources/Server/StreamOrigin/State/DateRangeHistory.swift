import HLSPlaylist

/// The times at which the Date Ranges of a playlist appeared, changed and disappeared, which delta updates that skip
/// Date Ranges need (RFC 8216bis, section 4.4.5.2).
struct DateRangeHistory: Sendable {
    /// The upper bound of the number of remembered Date Ranges.
    static let limit = 1000

    private var present: [String: (tags: [DateRangeTag], since: Duration)] = [:]
    private var removed: [(id: String, at: Duration)] = []

    /// Records a version of the playlist, and returns what an update of it leaves out.
    ///
    /// - Parameter now: The time at which the version was published.
    mutating func record(_ playlist: MediaPlaylist, now: Duration) -> DeltaUpdates.DateRanges {
        let boundary = Duration.seconds(playlist.serverControl?.canSkipUntil ?? 0)
        var current: [String: [DateRangeTag]] = [:]
        for tag in playlist.segments.flatMap(\.dateRanges) + playlist.upcoming.dateRanges {
            current[tag.id, default: []].append(tag)
        }
        for id in present.keys.sorted() where current[id] == nil {
            removed.append((id, now))
            present[id] = nil
        }
        removed.removeAll { current[$0.id] != nil || now - $0.at > boundary }
        removed = removed.suffix(Self.limit)
        for (id, tags) in current where present[id]?.tags != tags {
            // A Date Range that is not remembered counts as recent, so it is not left out.
            if present[id] != nil || present.count < Self.limit { present[id] = (tags, now) }
        }
        let recent = current.keys.filter { id in present[id].map { now - $0.since <= boundary } ?? true }
        return DeltaUpdates.DateRanges(removed: removed.map(\.id), recent: Set(recent))
    }
}
