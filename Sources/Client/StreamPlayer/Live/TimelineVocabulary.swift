public import HLSPlaylist

/// A segment with its place on the timeline of a playback.
public struct TimelineSegment: Sendable {
    /// The segment with its keys, its initialization section and its byte range.
    public let resolved: ResolvedSegment
    /// Where it begins, in seconds on the timeline.
    public let start: Double

    /// Its media sequence number.
    public var number: UInt64 { resolved.mediaSequenceNumber }
    /// How long it is, in seconds.
    public var duration: Double { resolved.segment.duration }
    /// Where it ends, in seconds on the timeline.
    public var end: Double { start + duration }
}

/// What comes next.
public struct TimelineStep: Sendable {
    /// What to do.
    public enum Outcome: Sendable {
        /// Load this segment; ``SegmentTimeline/advance(past:)`` when it is there.
        case segment(TimelineSegment)
        /// It is not in the playlist yet. Ask again after the next reload.
        case notYet
        /// There is nothing after it.
        case ended
    }

    /// What to do.
    public let outcome: Outcome
    /// What was passed over on the way.
    public let notices: [TimelineNotice]
}

/// What a playback has missed.
public enum TimelineNotice: Hashable, Sendable {
    /// Segments that the server does not have: EXT-X-GAP (section 4.4.4.7). They took so many seconds.
    case gap(numbers: ClosedRange<UInt64>, seconds: Double)
    /// The next segment had left the playlist before it was loaded: playback was too far behind. It goes on at another
    /// one, and has missed about so many seconds.
    case fellOutOfWindow(next: UInt64, continuesAt: UInt64, seconds: Double)
}

/// How much a playback has missed.
public struct TimelineCounts: Hashable, Sendable {
    /// Segments with EXT-X-GAP that were passed over.
    public internal(set) var gaps = 0
    /// How often the next segment had left the playlist.
    public internal(set) var jumps = 0
    /// The seconds that were missed by both.
    public internal(set) var missedSeconds = 0.0
}

/// Why a playlist has no timeline.
public enum TimelineError: Error, Hashable, Sendable {
    /// It has no segments.
    case noSegments
    /// It is a delta update that is not merged: see `MediaPlaylist.applying(_:)`.
    case deltaUpdate
    /// The media sequence numbers pass 2^64.
    case sequenceOverflow(first: UInt64)
    /// The first media sequence number is lower than before.
    case sequenceWentBack(from: UInt64, to: UInt64)
    /// A segment's duration is not a number of seconds that can be played, or all together are too long: three years.
    case unusableDuration(mediaSequenceNumber: UInt64)
    /// The byte range of a segment has no beginning, or no end below 2^64; the line of the playlist.
    case byteRange(line: Int)
}

/// Where a playback begins or goes on.
public struct TimelinePosition: Hashable, Sendable {
    /// Why there.
    public enum Reason: Hashable, Sendable {
        /// The beginning of a playlist that has ended.
        case beginning
        /// EXT-X-START.
        case startTag
        /// The distance from the live edge: HOLD-BACK, or three target durations.
        case holdBack
        /// A seek.
        case seek
    }

    /// The media sequence number of the segment to load first.
    public let number: UInt64
    /// What to show first, in seconds on the timeline: the segment's beginning, or a moment in it if the place is
    /// precise.
    public let time: Double
    /// Why there.
    public let reason: Reason
    /// Whether what was asked for lies outside of what can be played, and this is the nearest.
    public let isClamped: Bool
}
