import ByteCoding

/// A media segment with everything that the lines above it say about it.
public struct ResolvedSegment: Sendable {
    // The segments of the playlist, and which one it is: a segment is large, and seldom asked for as a whole.
    let segments: [MediaSegment]
    let index: Int
    /// Its media sequence number (section 4.4.3.2).
    public let mediaSequenceNumber: UInt64
    /// Its discontinuity sequence number (section 6.2.1).
    public let discontinuitySequenceNumber: UInt64
    /// When it begins, in seconds from the beginning of the playlist.
    public let start: Double
    /// When its first sample was made: its own date, or the date of another segment and the durations between (section
    /// 6.3.3).
    public let programDateTime: PlaylistDate?
    /// Its bytes of the resource at its URI; nil for all of them.
    public let byteRange: Range<UInt64>?
    /// What the tags before it and before earlier segments say.
    let scope: Scope

    /// What holds until the next tag says something else. Many segments share one, so that handing out a segment does
    /// not count references to every string of every key.
    final class Scope: Sendable {
        let keys: KeyContext
        let initialization: ResolvedInitialization?
        let bitrate: UInt64?

        init(keys: KeyContext = KeyContext(), initialization: ResolvedInitialization? = nil, bitrate: UInt64? = nil) {
            self.keys = keys
            self.initialization = initialization
            self.bitrate = bitrate
        }

        /// What holds behind some tags.
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

    /// The segment as it stands in the playlist.
    public var segment: MediaSegment { segments[index] }
    /// The keys that apply to it.
    public var keys: KeyContext { scope.keys }
    /// Its media initialization section; nil when there is none.
    public var initialization: ResolvedInitialization? { scope.initialization }
    /// Its approximate bit rate in kilobits per second, from EXT-X-BITRATE, which says nothing of byte ranges
    /// (section 4.4.4.8).
    public var bitrate: UInt64? { byteRange == nil ? scope.bitrate : nil }

    /// The initialization vector for a key, as far as the playlist says: see
    /// ``KeyTag/initializationVector(mediaSequenceNumber:)``.
    public func initializationVector(for key: KeyTag) -> InitializationVector? {
        key.initializationVector(mediaSequenceNumber: mediaSequenceNumber)
    }
}

/// A media initialization section with the keys that apply to it, which may be others than its segments' (section
/// 4.4.4.5).
public struct ResolvedInitialization: Hashable, Sendable {
    /// The tag.
    public let map: MapTag
    /// The keys above the tag.
    public let keys: KeyContext

    /// The bytes of the resource; nil for all of them.
    public var byteRange: Range<UInt64>? {
        map.byteRange.map { range in
            let offset = range.offset ?? 0
            return offset..<(offset &+ range.length < offset ? UInt64.max : offset + range.length)
        }
    }
}

extension RuleID {
    /// A byte range without an offset, and no range of the same resource before it (section 4.4.4.2).
    public static let byteRangeWithoutOffset: RuleID = "byterange-without-offset"
    /// A delta update that leaves out segments which the playlist before it does not have (section 6.3.7).
    public static let skipNotInBase: RuleID = "skip-not-in-base"
}

extension MediaPlaylist {
    /// The media segments with everything that the lines above them say about them: keys, initialization sections, byte
    /// ranges, sequence numbers and dates. Each is found when it is asked for; make an array of them to come back to
    /// one.
    ///
    /// In a delta update the numbers count the segments that were left out; their keys are not known. See
    /// ``applying(_:)``.
    ///
    /// - Throws: ``PlaylistError`` with ``RuleID/byteRangeWithoutOffset`` when a byte range has no beginning, or no end
    ///   below 2^64.
    public func resolvedSegments() throws(PlaylistError) -> ResolvedSegments {
        try ResolvedSegments(self)
    }
}

/// The media segments of a playlist with everything that the lines above them say about them.
public struct ResolvedSegments: Sequence, Sendable {
    private let segments: [MediaSegment]
    private let first: Iterator

    init(_ playlist: MediaPlaylist) throws(PlaylistError) {
        segments = playlist.segments
        var date: PlaylistDate?
        if let index = segments.firstIndex(where: { $0.programDateTime != nil }) {
            // The segments before the first date have dates too.
            date = segments[index].programDateTime?.advanced(by: -segments[..<index].reduce(0) { $0 + $1.duration })
        }
        first = Iterator(playlist, date)
        try check()
    }

    /// The number of segments.
    public var underestimatedCount: Int { segments.count }

    /// Starts at the first segment.
    public func makeIterator() -> Iterator { first }

    /// Checks that every byte range has a beginning and an end.
    private func check() throws(PlaylistError) {
        var end: UInt64?
        // Of a slice: the span of an array needs iOS 26.
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
                    throw failure(segment, "the segment before is not a range of the same resource")
                }
                offset = end
            }
            let (sum, overflow) = offset.addingReportingOverflow(range.length)
            guard !overflow else { throw failure(segment, "the range ends beyond 2^64") }
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

    /// Walks through the segments, keeping what applies to the next.
    public struct Iterator: IteratorProtocol, Sendable {
        private let segments: [MediaSegment]
        private var index = 0
        private var sequence: UInt64
        private var discontinuity: UInt64
        private var start = 0.0
        /// The last date, and the seconds since.
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

        /// The next segment.
        public mutating func next() -> ResolvedSegment? {
            guard index < segments.count else { return nil }
            // A span hands out what is asked for, an array a copy of the whole segment.
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
                // Checked when the sequence was made.
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
    /// The number of its URI line in the playlist from which it was read; 0 when it was made.
    var line: Int {
        guard let origin else { return 0 }
        let bytes = origin.source.bytes[..<Int(origin.end)]
        let ends = bytes.reduce(0) { $1 == 0x0A ? $0 + 1 : $0 }
        return bytes.last == 0x0A ? ends : ends + 1
    }
}
