public import HLSPlaylist

/// What happens while a presentation plays, for people who watch the player.
public enum PlayerEvent: Sendable {
    /// A Multivariant Playlist was loaded: preload the keys that it names.
    case loadedMultivariant(MultivariantPlaylist)
    /// The first choice of a variant and renditions, and why the others were not chosen.
    case selected(Selection)
    /// A segment was fetched, decrypted and handed on.
    case played(PlayedSegment)
    /// The player goes on with another variant, and why.
    case switched(QualityDecision)
    /// A resource could not be fetched, and is tried again.
    case retrying(MediaLoadError, attempt: Int)
    /// A live playlist was loaded again; how many segments were new.
    case reloaded(ClearPiece.TrackKind, newSegments: Int)
    /// A live playlist does not come, or not as it should.
    case live(ClearPiece.TrackKind, LiveReloadNotice)
    /// Segments were passed over that are not there, or not any more.
    case missed(ClearPiece.TrackKind, TimelineNotice)
    /// What a viewer would see: playback starts, stalls, goes on, ends.
    case playback(BufferModel.Transition)
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
    /// How often the variant was changed.
    public var switches = SwitchCounts()
    /// How often a viewer would have waited, and how long; the start is left out.
    public var stalls = BufferModel.Stalls()
    /// From the call of `play` to the first decrypted segment of the main track.
    public var startUpTime: Duration?
    /// How often a resource was asked for again.
    public var retries = 0
    /// Seconds of media that were not there, of all tracks.
    public var missedSeconds = 0.0
}
