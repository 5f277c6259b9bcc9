/// An output for decrypted media. Calls are sequential, in decode order.
public protocol MediaOutput: Sendable {
    /// True if the output supports a further init segment in a track. If not, the player does not switch from its first
    /// variant if that is MP4.
    var supportsInitializationChanges: Bool { get }
    /// Writes a piece of a track.
    func write(_ piece: DecryptedPiece) async throws
    /// Finishes the output after the last piece.
    func finish() async throws
}

/// A piece of decrypted media: an init segment or a segment.
public struct DecryptedPiece: Sendable {
    /// The kind of a track.
    public enum TrackKind: String, Sendable, Hashable {
        /// The variant's own playlist: video, or all media if there are no renditions.
        case main
        /// An audio rendition.
        case audio
        /// A subtitles rendition.
        case subtitles
        /// A video rendition.
        case video
    }

    /// The track.
    public var track: TrackKind
    /// All tracks of the presentation: an output into one stream waits for the init segments of all tracks.
    public var tracks: [TrackKind]
    /// True if the piece is an init segment for the following segments of the track.
    public var isInitialization: Bool
    /// The bytes.
    public var bytes: [UInt8]

    /// Creates a piece.
    public init(_ track: TrackKind, of tracks: [TrackKind], isInitialization: Bool, bytes: [UInt8]) {
        (self.track, self.tracks) = (track, tracks)
        (self.isInitialization, self.bytes) = (isInitialization, bytes)
    }
}

/// An output that discards everything, for measurements or to check whether a stream plays.
public struct DiscardingOutput: MediaOutput {
    /// True.
    public let supportsInitializationChanges = true
    /// Creates an output.
    public init() {}
    /// Does nothing.
    public func write(_: DecryptedPiece) async throws {}
    /// Does nothing.
    public func finish() async throws {}
}
