import ByteCoding

/// A Media Segment together with the values that result from preceding lines, such as keys and sequence numbers.
public struct ResolvedSegment: Sendable {
    // All segments of the playlist. A copy of this segment would be expensive, and is rarely needed.
    let segments: [MediaSegment]
    /// The index of the segment in ``MediaPlaylist/segments``.
    public let index: Int
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
        let state: SegmentState

        init(_ state: SegmentState = SegmentState()) { self.state = state }

        /// Returns the values that apply after the tags.
        func applying(_ tags: [SegmentTag]) -> Scope {
            var state = state
            state.apply(tags)
            return Scope(state)
        }
    }

    /// The segment of the playlist.
    public var segment: MediaSegment { segments[index] }
    /// The keys that apply to the segment.
    public var keys: KeyContext { scope.state.keys }
    /// The Media Initialization Section; nil without EXT-X-MAP.
    public var initialization: ResolvedInitialization? { scope.state.initialization }
    /// The approximate bit rate in kilobits per second, from EXT-X-BITRATE, which does not apply to byte ranges
    /// (section
    /// 4.4.4.8).
    public var bitrate: UInt64? { byteRange == nil ? scope.state.bitrate : nil }

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

extension MediaSegment {
    /// The number of the URI line in the source; 0 for a segment that was created in memory.
    var line: Int {
        guard let origin else { return 0 }
        let bytes = origin.source.bytes[..<Int(origin.end)]
        let ends = bytes.reduce(0) { $1 == 0x0A ? $0 + 1 : $0 }
        return bytes.last == 0x0A ? ends : ends + 1
    }
}
