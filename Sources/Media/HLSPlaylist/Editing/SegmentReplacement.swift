extension MediaPlaylist {
    /// Replaces `count` segments, starting with `lower`, and changes the tags of the segments after them so that the
    /// same values apply to these as before.
    mutating func replace(_ lower: Int, _ count: Int, with new: NewSegments) throws(PlaylistError) {
        guard skip == nil else {
            throw PlaylistError(
                invalidEdit: "the playlist is a delta update: apply it to the previous playlist before editing"
            )
        }
        guard lower >= 0, lower <= segments.count, count <= segments.count - lower else {
            throw PlaylistError(invalidEdit: Self.missing(lower, lower + max(0, count), of: segments.count))
        }
        guard count > 0 || !new.segments.isEmpty else { return }
        var replacement = SegmentReplacement(self, lower..<lower + count, new)
        self = try replacement.result()
    }

    /// Returns the date and time of a segment: its own, or one computed from the nearest date before it, or from the
    /// first one after it.
    static func date(of index: Int, in segments: [MediaSegment]) -> PlaylistDate? {
        guard segments.indices.contains(index) else { return nil }
        var elapsed = 0.0
        if let date = segments[index].programDateTime { return date }
        for segment in segments[..<index].reversed() {
            elapsed += segment.duration
            if let date = segment.programDateTime { return date.advanced(by: elapsed) }
        }
        elapsed = 0
        for segment in segments[index...] {
            if let date = segment.programDateTime { return date.advanced(by: -elapsed) }
            elapsed += segment.duration
        }
        return nil
    }

    /// Returns the offset of a byte range without an offset that follows the segments; nil when it does not continue
    /// their byte ranges.
    static func rangeEnd(of segments: ArraySlice<MediaSegment>, uri: String) -> UInt64? {
        var end: UInt64 = 0
        for segment in segments.reversed() {
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
}

/// The replacement of a range of segments.
private struct SegmentReplacement {
    let old: MediaPlaylist
    let range: Range<Int>
    let new: NewSegments
    var playlist: MediaPlaylist
    /// The state after the last finished segment of the new list.
    var state = SegmentState()
    /// The state after the corresponding segment of the old list.
    var oldState = SegmentState()
    /// The index of the first segment after the new ones.
    let next: Int

    init(_ playlist: MediaPlaylist, _ range: Range<Int>, _ new: NewSegments) {
        old = playlist
        self.range = range
        self.new = new
        self.playlist = playlist
        next = range.lowerBound + new.segments.count
    }

    /// True if the first segments are removed, so that the sequence numbers advance.
    private var isRemovalAtFront: Bool { range.lowerBound == 0 && new.segments.isEmpty }
    /// True if the numbers of the segments after the range change.
    private var isRenumbering: Bool { !isRemovalAtFront && range.count != new.segments.count }
    private var removed: ArraySlice<MediaSegment> { old.segments[range] }

    mutating func result() throws(PlaylistError) -> MediaPlaylist {
        for segment in old.segments[..<range.lowerBound] { state.apply(segment.tags) }
        oldState = state
        for segment in removed { oldState.apply(segment.tags) }
        playlist.segments.replaceSubrange(range, with: new.segments)
        if isRemovalAtFront { try advanceNumbers() }
        try insertNew()
        setByteRange()
        setDiscontinuities()
        try carry()
        setDates()
        moveDateRanges()
        if next < playlist.segments.count {
            playlist.segments[next].follow(next > 0 ? playlist.segments[next - 1] : nil)
        }
        return playlist
    }

    private mutating func advanceNumbers() throws(PlaylistError) {
        let (number, overflow) = (old.mediaSequence ?? 0).addingReportingOverflow(UInt64(range.count))
        guard !overflow else { throw PlaylistError(invalidEdit: "the Media Sequence Number would be 2^64 or more") }
        playlist.mediaSequence = number
        let count = removed.reduce(0) { $0 + ($1.isDiscontinuity ? 1 : 0) + $1.tags.count { $0.isDiscontinuity } }
        if count > 0 { playlist.discontinuitySequence = (old.discontinuitySequence ?? 0) &+ UInt64(count) }
    }

    /// Adds the tags to the new segments that they need at their position.
    private mutating func insertNew() throws(PlaylistError) {
        var entry = SegmentState()
        if !new.isForeign {
            entry = state
            if let first = removed.first { entry.apply(first.tags) }
        }
        for index in range.lowerBound..<next {
            let own = playlist.segments[index].tags
            let number = new.firstNumber &+ UInt64(index - range.lowerBound)
            let isRenumbered = new.isForeign && number != (old.mediaSequence ?? 0) &+ UInt64(index)
            try setTags(index, own, entry, isRenumbered ? number : nil)
            entry.apply(own)
            playlist.segments[index].follow(index > 0 ? playlist.segments[index - 1] : nil)
        }
    }

    private mutating func setTags(
        _ index: Int,
        _ own: [SegmentTag],
        _ entry: SegmentState,
        _ number: UInt64?
    ) throws(PlaylistError) {
        let tags = try state.tags(entering: entry, own: own, vectorNumber: number)
        if tags != own { playlist.segments[index].tags = tags }
        if number != nil { raiseVersion(tags, own) }
        state.apply(tags)
    }

    /// An IV attribute requires version 2.
    private mutating func raiseVersion(_ tags: [SegmentTag], _ own: [SegmentTag]) {
        guard tags != own, playlist.version ?? 1 < 2 else { return }
        let hasVector = tags.contains { if case .key(let key) = $0 { key.iv != nil } else { false } }
        if hasVector { playlist.version = 2 }
    }

    private mutating func setByteRange() {
        guard next < playlist.segments.count, let own = playlist.segments[next].byteRange, own.offset == nil else {
            return
        }
        let uri = playlist.segments[next].uri
        if let offset = MediaPlaylist.rangeEnd(of: old.segments[..<range.upperBound], uri: uri) {
            playlist.segments[next].byteRange?.offset = offset
        }
    }

    private mutating func setDiscontinuities() {
        guard !isRemovalAtFront else { return }
        let lower = range.lowerBound
        if lower < next {
            let begins = new.isForeign ? lower > 0 : removed.first?.isDiscontinuity == true
            if begins, !playlist.segments[lower].isDiscontinuity { playlist.segments[lower].isDiscontinuity = true }
        }
        guard next < playlist.segments.count, !playlist.segments[next].isDiscontinuity else { return }
        let isBroken = removed.dropFirst().contains { $0.isDiscontinuity || $0.tags.contains(where: \.isDiscontinuity) }
        if new.isForeign || new.segments.isEmpty || isBroken { playlist.segments[next].isDiscontinuity = true }
    }

    /// Adds the tags to the segments after the range that they need, until the states are the same as before.
    private mutating func carry() throws(PlaylistError) {
        for index in next..<playlist.segments.count {
            let own = playlist.segments[index].tags
            let number = (old.mediaSequence ?? 0) &+ UInt64(index - next + range.upperBound)
            try setTags(index, own, oldState, isRenumbering ? number : nil)
            oldState.apply(own)
            if !isRenumbering, state == oldState { return }
        }
        let isEndChanged = range.upperBound == old.segments.count && !isRemovalAtFront
        if isEndChanged {
            playlist.upcoming = UpcomingSegment(tags: old.upcoming.dateRanges.map { .dateRange($0) })
            playlist.preloadHints.removeAll()
            return
        }
        let number = (old.mediaSequence ?? 0) &+ UInt64(old.segments.count)
        let tags = try state.tags(
            entering: oldState,
            own: old.upcoming.tags,
            vectorNumber: isRenumbering ? number : nil
        )
        if tags != old.upcoming.tags { playlist.upcoming.tags = tags }
    }

    /// Adds dates to the segments whose computed date would change.
    private mutating func setDates() {
        if range.lowerBound < next, playlist.segments[range.lowerBound].programDateTime == nil, !new.isForeign,
            let date = removed.first?.programDateTime
        {
            playlist.segments[range.lowerBound].programDateTime = date
        }
        if range.lowerBound > 0 { setDate(0, MediaPlaylist.date(of: 0, in: old.segments)) }
        if range.lowerBound < next, new.isForeign { setDate(range.lowerBound, new.date) }
        setDate(next, MediaPlaylist.date(of: range.upperBound, in: old.segments))
        if playlist.segments.isEmpty, isRemovalAtFront, playlist.upcoming.programDateTime == nil {
            let last = old.segments.count - 1
            let date = MediaPlaylist.date(of: last, in: old.segments)?.advanced(by: old.segments[last].duration)
            if date?.isWritable == true { playlist.upcoming.programDateTime = date }
        }
    }

    private mutating func setDate(_ index: Int, _ date: PlaylistDate?) {
        guard index < playlist.segments.count, let date, date.isWritable else { return }
        let current = MediaPlaylist.date(of: index, in: playlist.segments)
        if let current, abs(current.timeInterval(since: date)) < 1e-6 { return }
        playlist.segments[index].programDateTime = date
    }

    /// Moves the Date Ranges of the removed segments that may still be active to the next segment.
    private mutating func moveDateRanges() {
        let orphans = removed.flatMap(\.dateRanges)
        guard !orphans.isEmpty else { return }
        let ranges = Dictionary(old.dateRanges.map { ($0.id, $0) }) { first, _ in first }
        let segments = playlist.segments
        let start = MediaPlaylist.date(of: 0, in: segments)
        let end = MediaPlaylist.date(of: segments.count - 1, in: segments)?.advanced(by: segments.last?.duration ?? 0)
        let isEndChanged = range.upperBound == old.segments.count && !isRemovalAtFront
        let active = orphans.filter { tag in
            let range = ranges[tag.id] ?? tag
            if !range.cue.isEmpty { return true }
            if isEndChanged, let first = range.startDate, let end, first >= end { return false }
            guard let start, let last = range.end else { return true }
            return last > start
        }
        guard !active.isEmpty else { return }
        let target = new.isForeign || range.lowerBound == next ? next : range.lowerBound
        if target < segments.count {
            let own = segments[target].dateRanges
            playlist.segments[target].dateRanges = active.filter { !own.contains($0) } + own
        } else {
            playlist.upcoming.dateRanges = active + playlist.upcoming.dateRanges
        }
    }
}

extension DateRangeTag {
    /// The end of the Date Range, if the tag specifies it.
    fileprivate var end: PlaylistDate? {
        endDate ?? startDate.flatMap { start in duration.map { start.advanced(by: $0) } }
    }
}
