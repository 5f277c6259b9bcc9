import TextCoding

extension MediaPlaylist {
    /// True if the playlist is a delta update, which skips segments of an earlier version of the playlist.
    public var isDeltaUpdate: Bool { skip != nil }

    /// Applies a delta update to this earlier version of the playlist (sections 6.2.5.1 and 6.3.7).
    ///
    /// The result has the header, the trailer and the new segments of the update. The skipped segments are copied from
    /// this playlist, without their Partial Segments, which are too old to be useful. If segments were removed, the
    /// first remaining segment inherits the keys, the Media Initialization Section and the bit rate that still apply,
    /// and the date. The result has the Date Ranges of the update; if the update skips old ones, those that it does not
    /// list as removed are copied from this playlist.
    ///
    /// - Parameter update: The delta update. A full playlist is returned unchanged.
    /// - Throws: ``PlaylistError`` with ``RuleID/skipNotInBase`` when this playlist does not have all skipped segments:
    ///   the client must then request the full playlist.
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
                        "the update skips \(counted(skip.skippedSegments, "segment")), starting with number \(first), but "
                        + "the earlier playlist has \(counted(segments.count, "segment")), starting with number "
                        + "\(baseFirst): request the full playlist"
                )
            )
        }
        var result = update
        result.skip = nil
        let dropped = segments[..<Int(offset)]
        var kept = Array(segments[Int(offset)..<Int(offset + skip.skippedSegments)])
        for index in kept.indices where !kept[index].parts.isEmpty { kept[index].parts = [] }
        // Lines that refer to variables may have different values now.
        if variables != update.variables { for index in kept.indices { kept[index].invalidateReferences() } }
        if let removed = skip.recentlyRemovedDateRanges {
            keepDateRanges(&kept, dropped, without: Set(removed), update)
        } else {
            for index in kept.indices where !kept[index].dateRanges.isEmpty { kept[index].dateRanges = [] }
        }
        result.segments = kept + update.segments
        result.inherit(dropped)
        return result
    }

    /// Keeps the Date Ranges that the update skips and does not list as removed.
    private func keepDateRanges(
        _ kept: inout [MediaSegment],
        _ dropped: ArraySlice<MediaSegment>,
        without removed: Set<String>,
        _ update: MediaPlaylist
    ) {
        let sent = Set(update.segments.flatMap(\.dateRanges) + update.upcoming.dateRanges)
        let isKept = { (range: DateRangeTag) in !removed.contains(range.id) && !sent.contains(range) }
        for index in kept.indices where !kept[index].dateRanges.isEmpty {
            kept[index].dateRanges = kept[index].dateRanges.filter(isKept)
        }
        let orphans = dropped.flatMap(\.dateRanges).filter(isKept)
        if !orphans.isEmpty, !kept.isEmpty { kept[0].dateRanges = orphans + kept[0].dateRanges }
    }

    /// Returns the offset of a byte range without an offset that follows the removed segments; nil when it does not
    /// continue their byte ranges.
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

    /// Copies the tags of the removed segments that still apply to the first remaining segment.
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
        // A key of the segment itself replaces the inherited key of the same key format, unless an EXT-X-MAP is between
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
