/// Where clear media go. Calls come one at a time, in the order in which the media are to be decoded.
public protocol MediaOutput: Sendable {
    /// Whether a track may go on with another init segment. Where it may not, the player stays with its first variant if
    /// that is MP4.
    var takesNewInitializations: Bool { get }
    /// Takes a piece of a track.
    func write(_ piece: ClearPiece) async throws
    /// Nothing follows.
    func finish() async throws
}

/// A piece of clear media.
public struct ClearPiece: Sendable {
    /// What a track carries.
    public enum TrackKind: String, Sendable, Hashable {
        /// What the variant's own playlist has: video, or all there is.
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
    /// All tracks of the presentation: what is to go into one stream waits for the init segments of all.
    public var tracks: [TrackKind]
    /// An init segment that the following segments of the track belong to.
    public var isInitialization: Bool
    /// The bytes.
    public var bytes: [UInt8]

    /// Makes a piece.
    public init(_ track: TrackKind, of tracks: [TrackKind], isInitialization: Bool, bytes: [UInt8]) {
        (self.track, self.tracks) = (track, tracks)
        (self.isInitialization, self.bytes) = (isInitialization, bytes)
    }
}

/// Takes everything and keeps nothing: to measure, or to see whether a stream plays.
public struct DiscardingOutput: MediaOutput {
    /// True.
    public let takesNewInitializations = true
    /// Makes one.
    public init() {}
    /// Does nothing.
    public func write(_: ClearPiece) async throws {}
    /// Does nothing.
    public func finish() async throws {}
}
