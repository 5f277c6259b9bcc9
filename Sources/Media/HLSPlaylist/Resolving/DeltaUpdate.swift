extension MediaPlaylist {
    /// Whether it is a delta update, which leaves out segments that an earlier version of the playlist has.
    public var isDeltaUpdate: Bool { skip != nil }

    /// Merges a delta update into this earlier version (section 6.2.5.1 and 6.3.7).
    ///
    /// The header, the end and the new segments are the update's. The segments that it left out are taken from here,
    /// without the partial segments, which are too old to be of use. Of those which are no longer there, the keys, the
    /// initialization section and the bit rate that still apply, and the date, pass to the first segment that remains.
    /// Date ranges are the update's; if it left out old ones, those that it does not name as removed are kept.
    ///
    /// - Parameter update: The delta update. A whole playlist is returned as it is.
    /// - Throws: ``PlaylistError`` with ``RuleID/skipNotInBase`` when a segment that was left out is not here: the
    ///   client must then ask for the whole playlist.
    public func applying(_ update: MediaPlaylist) throws(PlaylistError) -> MediaPlaylist {
        guard let skip = update.skip else { return update }
        let first = update.mediaSequence ?? 0
        let baseFirst = mediaSequence ?? 0
        let (offset, isBefore) = first.subtractingReportingOverflow(baseFirst)
        guard self.skip == nil, !isBefore, offset <= UInt64(segments.count),
            skip.skippedSegments <= UInt64(segments.count) - offset
        else {
            throw PlaylistError(
                Diagnostic(
                    rule: .skipNotInBase,
                    severity: .error,
                    line: 0,
                    message:
                        "the update leaves out \(skip.skippedSegments) segments from number \(first) on; the playlist before it has "
                        + "\(segments.count) from number \(baseFirst) on"
                )
            )
        }
        var result = update
        result.skip = nil
        let dropped = segments[..<Int(offset)]
        var kept = Array(segments[Int(offset)..<Int(offset + skip.skippedSegments)])
        for index in kept.indices where !kept[index].parts.isEmpty { kept[index].parts = [] }
        // A line that refers to a variable now means something else.
        if variables != update.variables { for index in kept.indices { kept[index].readAgain() } }
        if let removed = skip.recentlyRemovedDateRanges {
            keepDateRanges(&kept, dropped, without: Set(removed), update)
        } else {
            for index in kept.indices where !kept[index].dateRanges.isEmpty { kept[index].dateRanges = [] }
        }
        result.segments = kept + update.segments
        result.inherit(dropped)
        return result
    }

    /// Keeps the date ranges that the update left out and did not remove.
    private func keepDateRanges(
        _ kept: inout [MediaSegment],
        _ dropped: ArraySlice<MediaSegment>,
        without removed: Set<String>,
        _ update: MediaPlaylist
    ) {
        let sent = Set(update.segments.flatMap(\.dateRanges) + update.upcoming.dateRanges)
        let stays = { (range: DateRangeTag) in !removed.contains(range.id) && !sent.contains(range) }
        for index in kept.indices where !kept[index].dateRanges.isEmpty {
            kept[index].dateRanges = kept[index].dateRanges.filter(stays)
        }
        let orphans = dropped.flatMap(\.dateRanges).filter(stays)
        if !orphans.isEmpty, !kept.isEmpty { kept[0].dateRanges = orphans + kept[0].dateRanges }
    }

    /// Where a byte range without an offset begins that follows some segments; nil when it continues none of them.
    private static func end(of dropped: ArraySlice<MediaSegment>, of uri: String) -> UInt64? {
        var end: UInt64 = 0
        for segment in dropped.reversed() {
            guard let range = segment.byteRange, segment.uri == uri else { return nil }
            let (sum, overflow) = end.addingReportingOverflow(range.length)
            guard !overflow else { return nil }
            end = sum
            guard let offset = range.offset else { continue }
            let (result, beyond) = end.addingReportingOverflow(offset)
            return beyond ? nil : result
        }
        return nil
    }

    /// Passes on what the removed segments said about those that remain.
    private mutating func inherit(_ dropped: ArraySlice<MediaSegment>) {
        guard !dropped.isEmpty, let first = segments.first else { return }
        var keys = KeyContext()
        var map: SegmentTag?
        var keysOfMap = KeyContext()
        var bitrate: SegmentTag?
        var date: PlaylistDate?
        for segment in dropped {
            for tag in segment.tags {
                switch tag {
                case .key(let key): keys.apply(key)
                case .map:
                    map = tag
                    keysOfMap = keys
                case .bitrate: bitrate = tag
                case .dateRange, .part, .other: break
                }
            }
            date = (segment.programDateTime ?? date)?.advanced(by: segment.duration)
        }
        var tags: [SegmentTag] = []
        if first.map == nil, let map {
            tags += keysOfMap.keys.map { .key($0) } + [map]
            if keysOfMap != keys {
                if keys.keys.isEmpty { tags.append(.key(.none)) }
                tags += keys.keys.filter { !keysOfMap.keys.contains($0) }.map { .key($0) }
            }
        } else {
            tags += keys.keys.map { .key($0) }
        }
        if let bitrate, !first.tags.contains(where: { if case .bitrate = $0 { true } else { false } }) {
            tags.append(bitrate)
        }
        // A key of the segment's own replaces the inherited one of its key format, unless a section stands between
        // them.
        let leading = first.tags.prefix { if case .map = $0 { false } else { true } }
            .compactMap { if case .key(let key) = $0 { key } else { nil } }
        let own = Set(leading.map(\.keyFormat))
        let endsAll = leading.contains { $0.method == .none }
        if first.map != nil || map == nil {
            tags.removeAll { tag in
                guard case .key(let key) = tag, key.method != .none else { return false }
                return endsAll || own.contains(key.keyFormat)
            }
        }
        if !tags.isEmpty { segments[0].tags = tags + first.tags }
        if first.programDateTime == nil, let date { segments[0].programDateTime = date }
        if let range = first.byteRange, range.offset == nil, let offset = Self.end(of: dropped, of: first.uri) {
            segments[0].byteRange?.offset = offset
        }
    }
}
