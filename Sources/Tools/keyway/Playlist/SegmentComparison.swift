import HLSPlaylist

/// A comparison of segments by media sequence number. Adjacent segments with the same change are reported as one.
struct SegmentComparison {
    private(set) var changes: [PlaylistDifference.Change] = []
    /// The expected difference in seconds between the next dates of the later and the earlier playlist, if the dates
    /// follow from durations.
    private var shift = 0.0
    private var run: (first: UInt64, last: UInt64, attributes: [PlaylistDifference.Attribute])?

    mutating func compare(_ before: [ResolvedSegment], _ after: [ResolvedSegment]) {
        let (old, new) = (before.first?.mediaSequenceNumber ?? 0, after.first?.mediaSequenceNumber ?? 0)
        // The number of segments before the first one that both playlists contain.
        let oldStart = Int(clamping: new > old ? new - old : 0)
        let newStart = Int(clamping: old > new ? old - new : 0)
        let common = max(0, min(before.count - min(oldStart, before.count), after.count - min(newStart, after.count)))
        let hasCommon = common > 0 && !before.isEmpty && !after.isEmpty
        let oldCommon = hasCommon ? oldStart..<oldStart + common : 0..<0
        let newCommon = hasCommon ? newStart..<newStart + common : 0..<0
        report(.removed, before[..<oldCommon.lowerBound])
        for (left, right) in zip(before[oldCommon], after[newCommon]) {
            compareSegment(left, right)
        }
        endRun()
        report(.removed, before[oldCommon.upperBound...])
        report(.added, after[..<newCommon.lowerBound])
        report(.added, after[newCommon.upperBound...])
    }

    private mutating func report(_ kind: PlaylistDifference.Kind, _ segments: ArraySlice<ResolvedSegment>) {
        guard let first = segments.first, let last = segments.last else { return }
        add(kind, first.mediaSequenceNumber, last.mediaSequenceNumber, [])
    }

    private mutating func compareSegment(_ before: ResolvedSegment, _ after: ResolvedSegment) {
        let number = before.mediaSequenceNumber
        let isSameDate = hasSameDate(before, after)
        var attributes: [PlaylistDifference.Attribute] = []
        if !isSameDate || !isEqual(before, after) {
            attributes = PlaylistDifference.attributes(
                SegmentList.columns,
                SegmentList.row(before, isCompared: true),
                SegmentList.row(after, isCompared: true)
            ).filter { $0.name != SegmentList.dateColumn || !isSameDate }
            if before.segment.parts.isEmpty != after.segment.parts.isEmpty { attributes = attributes.map(counted) }
        }
        if let run, run.attributes == attributes, run.last &+ 1 == number {
            self.run?.last = number
            return
        }
        endRun()
        if !attributes.isEmpty { run = (number, number, attributes) }
    }

    /// Returns counts instead of lists if all partial segments were added or removed: a live playlist removes those of
    /// older segments.
    private func counted(_ attribute: PlaylistDifference.Attribute) -> PlaylistDifference.Attribute {
        func count(_ value: FieldValue?) -> FieldValue? {
            if case .items(let items)? = value { .number(items.count) } else { nil }
        }
        guard attribute.name == SegmentList.partsColumn else { return attribute }
        return .init(name: attribute.name, before: count(attribute.before), after: count(attribute.after))
    }

    /// Returns whether two segments are equal, so that no detailed comparison is needed.
    private func isEqual(_ before: ResolvedSegment, _ after: ResolvedSegment) -> Bool {
        before.segment == after.segment && before.keys == after.keys && before.byteRange == after.byteRange
            && before.initialization == after.initialization && before.bitrate == after.bitrate
            && before.discontinuitySequenceNumber == after.discontinuitySequenceNumber
    }

    /// Returns whether the date of a segment has not changed. A changed duration moves the dates of all later segments,
    /// and a date that follows from an earlier one may be omitted.
    private mutating func hasSameDate(_ before: ResolvedSegment, _ after: ResolvedSegment) -> Bool {
        guard let old = before.programDateTime, let new = after.programDateTime else {
            return before.segment.programDateTime == after.segment.programDateTime
        }
        let found = new.timeInterval(since: old)
        let isExpected = abs(found - shift) < 1e-6
        shift = found + after.segment.duration - before.segment.duration
        return isExpected
    }

    private mutating func endRun() {
        guard let run else { return }
        add(.changed, run.first, run.last, run.attributes)
        self.run = nil
    }

    private mutating func add(
        _ kind: PlaylistDifference.Kind,
        _ first: UInt64,
        _ last: UInt64,
        _ attributes: [PlaylistDifference.Attribute]
    ) {
        changes.append(
            .init(
                place: "Segments",
                kind: kind,
                subject: [.text(SegmentList.numbers(first, last))],
                attributes: attributes
            )
        )
    }
}
