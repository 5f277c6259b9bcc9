extension MediaPlaylist {
    /// Returns the Media Segments with the values that result from preceding lines: keys, Media Initialization
    /// Sections, byte ranges, sequence numbers and dates.
    ///
    /// In a delta update, the sequence numbers include the skipped segments, but their keys are unknown. See
    /// ``applying(_:)``.
    ///
    /// - Throws: ``PlaylistError`` with ``RuleID/byteRangeWithoutOffset`` when the start of a byte range is unknown, or
    ///   its end is not below 2^64.
    public func resolvedSegments() throws(PlaylistError) -> ResolvedSegments {
        try ResolvedSegments(self)
    }
}

/// The Media Segments of a playlist with the values that result from preceding lines. Indices are those of
/// ``MediaPlaylist/segments``.
public struct ResolvedSegments: RandomAccessCollection, Sendable {
    /// The values of one segment. The values that change rarely are indices of arrays.
    private struct Position {
        /// The start time in seconds.
        var start = 0.0
        /// The seconds since the date of a tag.
        var elapsed = 0.0
        /// The byte range; nil for the whole resource.
        var byteRange: Range<UInt64>?
        /// The number of discontinuities.
        var discontinuities: UInt32 = 0
        var scope: UInt32 = 0
        var date: UInt32 = 0
    }

    private let segments: [MediaSegment]
    private let firstNumber: UInt64
    private let firstDiscontinuity: UInt64
    private var positions: [Position] = []
    private var scopes = [ResolvedSegment.Scope()]
    /// The dates of tags, after the date that applies before the first of them.
    private var dates: [PlaylistDate?] = [nil]

    init(_ playlist: MediaPlaylist) throws(PlaylistError) {
        segments = playlist.segments
        firstNumber = (playlist.mediaSequence ?? 0) &+ (playlist.skip?.skippedSegments ?? 0)
        firstDiscontinuity = playlist.discontinuitySequence ?? 0
        if let index = segments.firstIndex(where: { $0.programDateTime != nil }) {
            // The dates of the segments before the first date are computed backward.
            dates[0] = segments[index].programDateTime?.advanced(by: -segments[..<index].reduce(0) { $0 + $1.duration })
        }
        try resolve()
    }

    private mutating func resolve() throws(PlaylistError) {
        positions.reserveCapacity(segments.count)
        var position = Position()
        // Access through a span copies only the requested property; access through an array copies the whole segment.
        // The span of a slice is used, because the span of an array requires iOS 26.
        let slice = segments[...]
        let span = slice.span
        for index in span.indices {
            if !span[index].tags.isEmpty {
                scopes.append(scopes[scopes.count - 1].applying(span[index].tags))
                position.scope += 1
                position.discontinuities &+= UInt32(truncatingIfNeeded: span[index].tags.count { $0.isDiscontinuity })
            }
            if span[index].isDiscontinuity { position.discontinuities &+= 1 }
            if let date = span[index].programDateTime {
                dates.append(date)
                position.date += 1
                position.elapsed = 0
            }
            if let range = span[index].byteRange {
                let offset = try offset(of: range, index, position.byteRange?.upperBound)
                position.byteRange = offset..<offset + range.length
            } else if position.byteRange != nil {
                position.byteRange = nil
            }
            positions.append(position)
            position.start += span[index].duration
            position.elapsed += span[index].duration
        }
    }

    /// Returns the offset of a byte range, whose start and end must be known.
    private func offset(of range: ByteRange, _ index: Int, _ previousEnd: UInt64?) throws(PlaylistError) -> UInt64 {
        let offset: UInt64
        if let own = range.offset {
            offset = own
        } else {
            guard let previousEnd, segments[index - 1].uri == segments[index].uri else {
                throw failure(
                    index,
                    "the byte range has no offset, and the preceding segment is not a range of the same resource"
                )
            }
            offset = previousEnd
        }
        guard !offset.addingReportingOverflow(range.length).overflow else {
            throw failure(index, "the byte range ends beyond 2^64")
        }
        return offset
    }

    private func failure(_ index: Int, _ reason: String) -> PlaylistError {
        PlaylistError(
            Diagnostic(
                rule: .byteRangeWithoutOffset,
                severity: .error,
                line: segments[index].line,
                message: "EXT-X-BYTERANGE: \(reason)"
            )
        )
    }

    /// The index of the first segment.
    public var startIndex: Int { 0 }
    /// The number of segments.
    public var endIndex: Int { segments.count }

    /// The segment with an index, which must be valid.
    public subscript(index: Int) -> ResolvedSegment {
        let position = positions[index]
        let date = dates[Int(position.date)]
        return ResolvedSegment(
            segments: segments,
            index: index,
            mediaSequenceNumber: firstNumber &+ UInt64(index),
            discontinuitySequenceNumber: firstDiscontinuity &+ UInt64(position.discontinuities),
            start: position.start,
            programDateTime: position.elapsed == 0 ? date : date?.advanced(by: position.elapsed),
            byteRange: position.byteRange,
            scope: scopes[Int(position.scope)]
        )
    }

    /// Returns the segment with an index; nil if the index is out of range.
    public func segment(at index: Int) -> ResolvedSegment? { indices.contains(index) ? self[index] : nil }

    /// Returns the segment that contains a time, in seconds from the start of the playlist; nil if no segment does.
    public func segment(atTime time: Double) -> ResolvedSegment? {
        // The first segment that starts later.
        var lower = 0
        var upper = positions.count
        while lower < upper {
            let middle = (lower + upper) / 2
            if positions[middle].start > time { upper = middle } else { lower = middle + 1 }
        }
        guard lower > 0, time < positions[lower - 1].start + segments[lower - 1].duration else { return nil }
        return self[lower - 1]
    }

    /// Returns the first segment that contains a date and time; nil if no segment does.
    public func segment(atDate date: PlaylistDate) -> ResolvedSegment? {
        lazy.first { segment in
            guard let start = segment.programDateTime, start <= date else { return false }
            return date.timeInterval(since: start) < segment.segment.duration
        }
    }

    /// Returns the segment with a Media Sequence Number; nil if no segment has it.
    public func segment(numbered number: UInt64) -> ResolvedSegment? {
        Int(exactly: number &- firstNumber).flatMap { segment(at: $0) }
    }
}
