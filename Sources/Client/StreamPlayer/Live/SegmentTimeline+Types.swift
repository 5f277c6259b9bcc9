public import HLSPlaylist

/// A segment, or a Partial Segment of one, with its position on the playback timeline.
public struct TimelineSegment: Sendable {
    /// A Partial Segment.
    public struct Part: Sendable {
        /// The index in the segment, from 0.
        public let index: Int
        /// The tag.
        public let tag: PartTag
        /// The byte range of the resource; nil for the whole resource.
        public let byteRange: Range<UInt64>?
        /// True if it is the last one of a segment that is complete.
        public let isLast: Bool
    }

    /// The segment with its keys, its initialization section and its byte range. The byte range and the duration of a
    /// segment that is not complete are those of the available parts.
    public let resolved: ResolvedSegment
    /// The start of the segment or of the part, in seconds on the timeline.
    public let start: Double
    /// The part; nil for a whole segment.
    public var part: Part?

    /// The media sequence number.
    public var number: UInt64 { resolved.mediaSequenceNumber }
    /// The duration in seconds.
    public var duration: Double { part?.tag.duration ?? resolved.segment.duration }
    /// The URI to load.
    public var uri: String { part?.tag.uri ?? resolved.segment.uri }
    /// The byte range to load; nil for the whole resource.
    public var byteRange: Range<UInt64>? { part.map(\.byteRange) ?? resolved.byteRange }
    /// The end of the segment, in seconds on the timeline.
    public var end: Double { start + duration }
}

/// The next step of playback.
public struct TimelineStep: Sendable {
    /// The kind of step.
    public enum Outcome: Sendable {
        /// Load this segment; then call ``SegmentTimeline/advance(past:)``.
        case segment(TimelineSegment)
        /// The next segment is not in the playlist yet. Try again after the next reload.
        case notYet
        /// The playlist has ended.
        case ended
    }

    /// The kind of step.
    public let outcome: Outcome
    /// The segments that were skipped.
    public let notices: [TimelineNotice]
}

/// A notice of missed media.
public enum TimelineNotice: Hashable, Sendable {
    /// Segments that are missing on the server (EXT-X-GAP, section 4.4.4.7), with their total duration.
    case gap(numbers: ClosedRange<UInt64>, seconds: Double)
    /// The next segment was removed from the playlist before it was loaded: playback was too far behind. Playback
    /// continues at another segment; `seconds` is the approximate duration missed.
    case fellOutOfWindow(next: UInt64, continuesAt: UInt64, seconds: Double)
}

/// The amount of missed media.
public struct TimelineCounts: Hashable, Sendable {
    /// The number of skipped segments with EXT-X-GAP.
    public internal(set) var gaps = 0
    /// The number of times that the next segment had been removed from the playlist.
    public internal(set) var jumps = 0
    /// The total duration missed, in seconds.
    public internal(set) var missedSeconds = 0.0
}

/// The reason why a playlist has no timeline.
public enum TimelineError: Error, Hashable, Sendable {
    /// The playlist has no segments.
    case noSegments
    /// The playlist is an unmerged delta update: see `MediaPlaylist.applying(_:)`.
    case deltaUpdate
    /// The media sequence numbers exceed the range of UInt64.
    case sequenceOverflow(first: UInt64)
    /// The media sequence number is lower than before.
    case sequenceWentBack(from: UInt64, to: UInt64)
    /// The duration of a segment is not a valid number of seconds, or the total exceeds three years.
    case unusableDuration(mediaSequenceNumber: UInt64)
    /// The byte range of a segment has no start, or its end exceeds the range of UInt64; the value is the playlist
    /// line.
    case byteRange(line: Int)
}

/// The position at which playback starts or continues.
public struct TimelinePosition: Hashable, Sendable {
    /// The reason for the position.
    public enum Reason: Hashable, Sendable {
        /// The start of a playlist that has ended.
        case beginning
        /// EXT-X-START.
        case startTag
        /// The distance from the live edge: PART-HOLD-BACK with parts, otherwise HOLD-BACK or three target durations.
        case holdBack
        /// A seek.
        case seek
    }

    /// The media sequence number of the first segment to load.
    public let number: UInt64
    /// The time of the first frame, in seconds on the timeline: the start of the segment, or a time in it if the
    /// position is precise.
    public let time: Double
    /// The reason for the position.
    public let reason: Reason
    /// True if the requested time is outside of the playable range, and this is the nearest time in it.
    public let isClamped: Bool
}
