import ByteCoding

/// A Media Segment together with the values that result from preceding lines, such as keys and sequence numbers.
public struct ResolvedSegment: Sendable {
    // The segments of the playlist, and the index of this one. A copy of the segment would be expensive, and is rarely
    // needed.
    let segments: [MediaSegment]
    let index: Int
    /// The Media Sequence Number (section 4.4.3.2).
    public let mediaSequenceNumber: UInt64
    /// The Discontinuity Sequence Number (section 6.2.1).
    public let discontinuitySequenceNumber: UInt64
    /// The start time, in seconds from the start of the playlist.
    public let start: Double
    /// The date and time of the first sample: the segment's own date, or a date computed from that of another segment
    /// and the durations between them (section 6.3.3).
    public let programDateTime: PlaylistDate?
    /// The absolute byte range of the resource; nil for the whole resource.
    public let byteRange: Range<UInt64>?
    /// The values of the tags before this segment and before earlier segments.
    let scope: Scope

    /// The values that apply until the next tag changes them. Many segments share one instance, so that copying a
    /// resolved segment does not have to retain every string of every key.
    final class Scope: Sendable {
        let keys: KeyContext
        let initialization: ResolvedInitialization?
        let bitrate: UInt64?

        init(keys: KeyContext = KeyContext(), initialization: ResolvedInitialization? = nil, bitrate: UInt64? = nil) {
            self.keys = keys
            self.initialization = initialization
            self.bitrate = bitrate
        }

        /// Returns the values that apply after the tags.
        func applying(_ tags: [SegmentTag]) -> Scope {
            var keys = keys
            var initialization = initialization
            var bitrate = bitrate
            for tag in tags {
                switch tag {
                case .key(let key): keys.apply(key)
                case .map(let map): initialization = ResolvedInitialization(map: map, keys: keys)
                case .bitrate(let rate): bitrate = rate
                case .dateRange, .part, .other: break
                }
            }
            return Scope(keys: keys, initialization: initialization, bitrate: bitrate)
        }
    }

    /// The segment of the playlist.
    public var segment: MediaSegment { segments[index] }
    /// The keys that apply to the segment.
    public var keys: KeyContext { scope.keys }
    /// The Media Initialization Section; nil when there is none.
    public var initialization: ResolvedInitialization? { scope.initialization }
    /// The approximate bit rate in kilobits per second, from EXT-X-BITRATE, which does not apply to byte ranges
    /// (section
    /// 4.4.4.8).
    public var bitrate: UInt64? { byteRange == nil ? scope.bitrate : nil }

    /// Returns the initialization vector for a key, if the playlist specifies it; see
    /// ``KeyTag/initializationVector(mediaSequenceNumber:)``.
    public func initializationVector(for key: KeyTag) -> InitializationVector? {
        key.initializationVector(mediaSequenceNumber: mediaSequenceNumber)
    }
}

/// A Media Initialization Section with the keys that apply to it, which may differ from the keys of its segments
/// (section 4.4.4.5).
public struct ResolvedInitialization: Hashable, Sendable {
    /// The EXT-X-MAP tag.
    public let map: MapTag
    /// The keys that apply to the section.
    public let keys: KeyContext

    /// The byte range of the resource; nil for the whole resource.
    public var byteRange: Range<UInt64>? {
        map.byteRange.map { range in
            let offset = range.offset ?? 0
            return offset..<(offset &+ range.length < offset ? UInt64.max : offset + range.length)
        }
    }
}

extension RuleID {
    /// A byte range has no offset, and does not follow a range of the same resource (section 4.4.4.2).
    public static let byteRangeWithoutOffset: RuleID = "byterange-without-offset"
    /// A delta update skips segments that the previous playlist does not have (section 6.3.7).
    public static let skipNotInBase: RuleID = "skip-not-in-base"
}

extension MediaPlaylist {
    /// Returns the Media Segments with the values that result from preceding lines: keys, Media Initialization
    /// Sections, byte ranges, sequence numbers and dates. The values are computed on iteration; create an array for
    /// random access.
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

/// The Media Segments of a playlist with the values that result from preceding lines.
public struct ResolvedSegments: Sequence, Sendable {
    private let segments: [MediaSegment]
    private let first: Iterator

    init(_ playlist: MediaPlaylist) throws(PlaylistError) {
        segments = playlist.segments
        var date: PlaylistDate?
        if let index = segments.firstIndex(where: { $0.programDateTime != nil }) {
            // The dates of the segments before the first date are computed backward.
            date = segments[index].programDateTime?.advanced(by: -segments[..<index].reduce(0) { $0 + $1.duration })
        }
        first = Iterator(playlist, date)
        try check()
    }

    /// The number of segments.
    public var underestimatedCount: Int { segments.count }

    /// Returns an iterator that starts at the first segment.
    public func makeIterator() -> Iterator { first }

    /// Checks that the start and the end of every byte range are known.
    private func check() throws(PlaylistError) {
        var end: UInt64?
        // The span of a slice is used, because the span of an array requires iOS 26.
        let slice = segments[...]
        let span = slice.span
        for index in span.indices {
            guard let range = span[index].byteRange else {
                end = nil
                continue
            }
            let segment = segments[index]
            let offset: UInt64
            if let own = range.offset {
                offset = own
            } else {
                guard let end, segments[index - 1].uri == segment.uri else {
                    throw failure(
                        segment,
                        "the byte range has no offset, and the preceding segment is not a range of the same resource"
                    )
                }
                offset = end
            }
            let (sum, overflow) = offset.addingReportingOverflow(range.length)
            guard !overflow else { throw failure(segment, "the byte range ends beyond 2^64") }
            end = sum
        }
    }

    private func failure(_ segment: MediaSegment, _ reason: String) -> PlaylistError {
        PlaylistError(
            Diagnostic(
                rule: .byteRangeWithoutOffset,
                severity: .error,
                line: segment.line,
                message: "EXT-X-BYTERANGE: \(reason)"
            )
        )
    }

    /// An iterator over the segments, which tracks the values that apply to the next one.
    public struct Iterator: IteratorProtocol, Sendable {
        private let segments: [MediaSegment]
        private var index = 0
        private var sequence: UInt64
        private var discontinuity: UInt64
        private var start = 0.0
        /// The last date of a tag, to which `elapsed` seconds are added.
        private var date: PlaylistDate?
        private var elapsed = 0.0
        private var scope = ResolvedSegment.Scope()
        private var rangeEnd: UInt64 = 0

        init(_ playlist: MediaPlaylist, _ date: PlaylistDate?) {
            segments = playlist.segments
            sequence = (playlist.mediaSequence ?? 0) &+ (playlist.skip?.skippedSegments ?? 0)
            discontinuity = playlist.discontinuitySequence ?? 0
            self.date = date
        }

        /// Returns the next segment.
        public mutating func next() -> ResolvedSegment? {
            guard index < segments.count else { return nil }
            // Access through a span copies only the requested property; access through an array copies the whole
            // segment.
            let slice = segments[...]
            let span = slice.span
            if !span[index].tags.isEmpty {
                scope = scope.applying(span[index].tags)
                discontinuity &+= UInt64(span[index].tags.count { $0.isDiscontinuity })
            }
            if span[index].isDiscontinuity { discontinuity &+= 1 }
            if let own = span[index].programDateTime {
                date = own
                elapsed = 0
            }
            var range: Range<UInt64>?
            if let byteRange = span[index].byteRange {
                let offset = byteRange.offset ?? rangeEnd
                rangeEnd = offset &+ byteRange.length
                // The initializer of the sequence has checked the range.
                range = rangeEnd >= offset ? offset..<rangeEnd : nil
            }
            let result = ResolvedSegment(
                segments: segments,
                index: index,
                mediaSequenceNumber: sequence,
                discontinuitySequenceNumber: discontinuity,
                start: start,
                programDateTime: elapsed == 0 ? date : date?.advanced(by: elapsed),
                byteRange: range,
                scope: scope
            )
            sequence &+= 1
            start += span[index].duration
            elapsed += span[index].duration
            index += 1
            return result
        }
    }
}

extension MediaSegment {
    /// The number of the URI line in the source; 0 for a segment that was created in memory.
    var line: Int {
        guard let origin else { return 0 }
        let bytes = origin.source.bytes[..<Int(origin.end)]
        let ends = bytes.reduce(0) { $1 == 0x0A ? $0 + 1 : $0 }
        return bytes.last == 0x0A ? ends : ends + 1
    }
}
