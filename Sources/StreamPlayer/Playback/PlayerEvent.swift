public import HLSPlaylist

/// What happens while a presentation plays, for people who watch the player.
public enum PlayerEvent: Sendable {
    /// A Multivariant Playlist was loaded: preload the keys that it names.
    case loadedMultivariant(MultivariantPlaylist)
    /// The first choice of a variant and renditions, and why the others were not chosen.
    case selected(Selection)
    /// A segment was fetched, decrypted and handed on.
    case played(PlayedSegment)
    /// The player goes on with another variant; its number in the playlist, and the reason.
    case switched(to: Int, reason: String)
    /// A resource could not be fetched, and is tried again.
    case retrying(MediaLoadError, attempt: Int)
    /// A live playlist was loaded again; how many segments were new.
    case reloaded(ClearPiece.TrackKind, newSegments: Int)
    /// Segments that are not there: EXT-X-GAP, or gone from a live playlist before they were played.
    case skipped(ClearPiece.TrackKind, segments: UInt64)
    /// The viewer would have waited: nothing was left to play.
    case stalled
}

/// A segment that was played.
public struct PlayedSegment: Sendable {
    /// The track.
    public let track: ClearPiece.TrackKind
    /// Its media sequence number.
    public let mediaSequenceNumber: UInt64
    /// Its URI as it stands in the playlist, without query.
    public let name: String
    /// Its length in seconds of media.
    public let duration: Double
    /// Its size in bytes, as it came.
    public let byteCount: Int
    /// How long fetching took, all attempts together.
    public let loadTime: Duration
    /// Whether it was encrypted.
    public let isEncrypted: Bool
}

/// What was played, in numbers.
public struct PlaybackReport: Sendable, Equatable {
    /// Segments by track.
    public var segments: [ClearPiece.TrackKind: Int] = [:]
    /// Seconds of media of the main track.
    public var duration = 0.0
    /// Bytes of media as they came.
    public var byteCount = 0
    /// How many segments were encrypted.
    public var encryptedSegments = 0
    /// How often the variant was switched.
    public var switches = 0
    /// How often a viewer would have waited, the start left out.
    public var stalls = 0
    /// How long, together.
    public var stallTime = Duration.zero
    /// From the call of `play` to the first decrypted segment of the main track.
    public var startUpTime: Duration?
    /// How often a resource was asked for again.
    public var retries = 0
    /// Segments that were not there.
    public var skippedSegments: UInt64 = 0
}
