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
        if kept.count < result.segments.count { result.segments[kept.count].follow(kept.last) }
        try result.inherit(dropped)
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

    /// Copies the tags of the removed segments that still apply to the first remaining segment.
    private mutating func inherit(_ dropped: ArraySlice<MediaSegment>) throws(PlaylistError) {
        guard let last = dropped.last, let first = segments.first else { return }
        var state = SegmentState()
        for segment in dropped { state.apply(segment.tags) }
        let tags = try SegmentState().tags(entering: state, own: first.tags)
        if tags != first.tags { segments[0].tags = tags }
        if first.programDateTime == nil, dropped.contains(where: { $0.programDateTime != nil }) {
            segments[0].programDateTime = Self.date(of: dropped.count - 1, in: Array(dropped))?
                .advanced(by: last.duration)
        }
        if let range = first.byteRange, range.offset == nil,
            let offset = Self.rangeEnd(of: dropped, uri: first.uri)
        {
            segments[0].byteRange?.offset = offset
        }
        segments[0].follow(nil)
    }
}
