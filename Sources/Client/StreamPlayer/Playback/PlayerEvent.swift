public import HLSPlaylist

/// An event of playback, for logs and metrics.
public enum PlayerEvent: Sendable {
    /// A Multivariant Playlist was loaded, so that its session keys can be preloaded.
    case loadedMultivariant(MultivariantPlaylist)
    /// The first choice of a variant and renditions, with the reasons for the rejection of the others.
    case selected(Selection)
    /// A segment was loaded, decrypted and written to the output.
    case played(PlayedSegment)
    /// A track is not played any further, because of this error. Playback continues without it.
    case omitted(DecryptedPiece.TrackKind, PlayerError)
    /// The player switched to another variant, with the reason.
    case switched(QualityDecision)
    /// A resource could not be loaded, and is retried.
    case retrying(MediaLoadError, attempt: Int)
    /// A live playlist was reloaded; the value is the number of new segments.
    case reloaded(DecryptedPiece.TrackKind, newSegments: Int)
    /// A live playlist could not be loaded, or is stale or invalid.
    case live(DecryptedPiece.TrackKind, LiveReloadNotice)
    /// Segments were skipped because they are missing or were removed from the playlist.
    case missed(DecryptedPiece.TrackKind, TimelineNotice)
    /// The simulated playback of a viewer starts, stalls, resumes or ends.
    case playback(BufferModel.Transition)
}

/// A segment that was played.
public struct PlayedSegment: Sendable {
    /// The track.
    public let track: DecryptedPiece.TrackKind
    /// The media sequence number.
    public let mediaSequenceNumber: UInt64
    /// The index of the part in its segment; nil for a whole segment.
    public let part: Int?
    /// The URI as in the playlist, without query.
    public let name: String
    /// The duration in seconds.
    public let duration: Double
    /// The size of the loaded segment in bytes, before decryption.
    public let byteCount: Int
    /// The load time, including all attempts.
    public let loadTime: Duration
    /// True if the segment was encrypted.
    public let isEncrypted: Bool
}

/// The latency of a live presentation during playback, in seconds.
public struct LatencyRange: Sendable, Equatable {
    /// The smallest latency.
    public internal(set) var minimum: Double
    /// The largest latency.
    public internal(set) var maximum: Double
    /// The latency at the last measurement.
    public internal(set) var last: Double

    init(_ latency: Double) { (minimum, maximum, last) = (latency, latency, latency) }

    mutating func add(_ latency: Double) {
        (minimum, maximum, last) = (min(minimum, latency), max(maximum, latency), latency)
    }
}

/// A report of the playback.
public struct PlaybackReport: Sendable, Equatable {
    /// The number of segments by track; a segment of which the parts are played one by one counts once.
    public var segments: [DecryptedPiece.TrackKind: Int] = [:]
    /// The number of parts, of all tracks.
    public var parts = 0
    /// The time from the date of a picture (EXT-X-PROGRAM-DATE-TIME) to its playback in a live presentation; nil if
    /// unknown.
    public var latency: LatencyRange?
    /// The duration of the main track, in seconds.
    public var duration = 0.0
    /// The total size of the loaded media in bytes, before decryption.
    public var byteCount = 0
    /// The number of encrypted segments.
    public var encryptedSegments = 0
    /// The number of switches between variants.
    public var switches = SwitchCounts()
    /// The number and duration of stalls, without the start.
    public var stalls = BufferModel.Stalls()
    /// The time from the call of `play` to the first decrypted segment of the main track.
    public var startUpTime: Duration?
    /// The number of retries of resources.
    public var retries = 0
    /// The seconds of media that were missing, of all tracks.
    public var missedSeconds = 0.0
}
