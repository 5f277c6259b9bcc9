/// Changes of the list of segments. The keys, Media Initialization Sections, initialization vectors, dates, byte ranges,
/// bit rates and Date Ranges that apply to each remaining segment stay the same, and so do the sequence numbers as far
/// as the change allows.
///
/// Each function throws ``PlaylistError`` with ``RuleID/invalidEdit``, and changes nothing, when the playlist does not
/// have the given segments, or is a delta update.
extension MediaPlaylist {
    /// Removes the first segments. The Media Sequence Number and the Discontinuity Sequence Number advance, so that the
    /// numbers of the remaining segments do not change.
    ///
    /// Date Ranges of the removed segments that may still be active move to the first remaining segment.
    public mutating func removeFirst(_ count: Int = 1) throws(PlaylistError) {
        guard count >= 0 else { throw PlaylistError(invalidEdit: "a number of segments must not be negative") }
        try replace(0, count, with: NewSegments())
    }

    /// Removes all segments outside a range of indices. If segments at the end are removed, the tags after the last
    /// segment are removed too, except Date Ranges, because they describe a segment that no longer follows.
    public mutating func trim(to range: Range<Int>) throws(PlaylistError) {
        guard range.lowerBound >= 0, range.upperBound <= segments.count else {
            throw PlaylistError(invalidEdit: Self.missing(range.lowerBound, range.upperBound, of: segments.count))
        }
        var result = self
        try result.replace(range.upperBound, segments.count - range.upperBound, with: NewSegments())
        try result.replace(0, range.lowerBound, with: NewSegments())
        self = result
    }

    /// Appends a segment, with the tags after the last segment, which describe it: its keys, date, Date Ranges and
    /// Partial Segments.
    ///
    /// The keys and the Media Initialization Section of the last segment apply to the new one, unless tags change them.
    public mutating func append(_ segment: MediaSegment) throws(PlaylistError) {
        try append(contentsOf: [segment])
    }

    /// Appends segments; see ``append(_:)``.
    public mutating func append(contentsOf new: [MediaSegment]) throws(PlaylistError) {
        guard let first = new.first else { return }
        var state = SegmentState()
        for segment in segments { state.apply(segment.tags) }
        var entry = state
        entry.apply(upcoming.tags)
        var segment = first
        segment.tags = try state.tags(entering: entry, own: first.tags)
        let ranges = upcoming.dateRanges.filter { !first.dateRanges.contains($0) }
        if !ranges.isEmpty { segment.dateRanges = ranges + segment.dateRanges }
        if first.parts.isEmpty, !upcoming.parts.isEmpty { segment.parts = upcoming.parts }
        let others = upcoming.tags.filter { if case .other = $0 { !segment.tags.contains($0) } else { false } }
        if !others.isEmpty { segment.tags = others + segment.tags }
        segment.programDateTime = first.programDateTime ?? upcoming.programDateTime
        segment.isDiscontinuity = first.isDiscontinuity || upcoming.isDiscontinuity
        segment.isGap = first.isGap || upcoming.isGap
        segment.follow(segments.last)
        segments.append(segment)
        segments += new.dropFirst()
        upcoming = UpcomingSegment()
        preloadHints.removeAll { $0.kind == .part }
    }

    /// Replaces a range of segments. The keys, the Media Initialization Section, the date and the Date Ranges of the
    /// first replaced segment apply to the new ones, unless their tags specify others.
    ///
    /// Without new segments, the segments are removed. A segment that then follows another one than before begins with
    /// a discontinuity.
    ///
    /// The Media Sequence Numbers of the segments after the range change with the number of segments. If the
    /// initialization vector of such a segment is its Media Sequence Number, the segment receives an explicit IV.
    public mutating func replaceSegments(_ range: Range<Int>, with new: [MediaSegment]) throws(PlaylistError) {
        try replace(range.lowerBound, range.count, with: NewSegments(new))
    }

    /// Replaces a range of segments with the segments of another playlist, such as an advertisement. Discontinuities
    /// separate them from the segments before and after them.
    ///
    /// The segments keep the keys, Media Initialization Sections, initialization vectors and dates that apply in the
    /// other playlist, but not their Partial Segments. The protocol version and the Target Duration are raised if the
    /// new segments require it. If they are not independent, ``isIndependentSegments`` becomes false.
    ///
    /// - Parameters:
    ///   - range: The indices of the segments to replace.
    ///   - other: The playlist with the new segments.
    ///   - url: The URL of the other playlist, against which its URIs are resolved; nil if they are valid in this
    ///     playlist too.
    public mutating func replaceSegments(
        _ range: Range<Int>,
        with other: MediaPlaylist,
        from url: String? = nil
    ) throws(PlaylistError) {
        guard other.skip == nil, other.isIFramesOnly == isIFramesOnly else {
            throw PlaylistError(
                invalidEdit: "the other playlist is a delta update, or only one of the playlists has "
                    + "EXT-X-I-FRAMES-ONLY"
            )
        }
        var result = self
        try result.replace(range.lowerBound, range.count, with: NewSegments(other, url))
        if other.segments.isEmpty { return self = result }
        if let version = other.version, version > result.version ?? 1 { result.version = version }
        if !other.isIndependentSegments { result.isIndependentSegments = false }
        let longest = other.segments.reduce(0) { max($0, $1.duration) }.rounded()
        if longest > Double(targetDuration), longest < 1e15 { result.targetDuration = UInt64(longest) }
        self = result
    }

    /// Inserts the segments of another playlist before the segment with an index; see
    /// ``replaceSegments(_:with:from:)``.
    public mutating func splice(_ other: MediaPlaylist, at index: Int, from url: String? = nil) throws(PlaylistError) {
        try replaceSegments(index..<index, with: other, from: url)
    }

    static func missing(_ lower: Int, _ upper: Int, of count: Int) -> String {
        "the playlist does not have the segments \(lower)..<\(upper): it has \(count)"
    }
}
