public import ContentKeySession
public import HLSPlaylist

/// An error that prevents or ends the playback of a presentation.
public struct PlayerError: Error, CustomStringConvertible {
    /// The cause of the error.
    public enum Cause: Sendable {
        /// A resource could not be loaded, after all retries.
        case load(MediaLoadError)
        /// The loaded resource is not a valid playlist.
        case playlist(PlaylistError)
        /// A Multivariant Playlist was loaded where a Media Playlist is required.
        case notMedia
        /// The player's abilities do not allow any variant.
        case nothingPlayable
        /// No segment of the main track was played; the value is the duration of its missing segments (EXT-X-GAP), in
        /// seconds.
        case nothingPlayed(missedSeconds: Double)
        /// There is no session for the key formats of a segment.
        case noKeySystem
        /// The key could not be loaded, or its use is not allowed.
        case key(ContentKeyError)
        /// A segment could not be parsed or decrypted; the value is the reason.
        case media(String)
        /// A live playlist went backward or is no longer updated; the value is the reason.
        case live(String)
        /// The output failed; the value is the reason.
        case output(String)
    }

    /// The cause of the error.
    public let cause: Cause
    /// The location of the error: a URL without query, a key URI, or a list of key formats.
    public let place: String

    /// Creates an error.
    public init(_ cause: Cause, _ place: String) {
        (self.cause, self.place) = (cause, MediaLoadError.place(place))
    }

    /// True if playback was cancelled.
    var isCancellation: Bool {
        switch cause {
        case .load(let error): error.code == .cancelled
        case .key(let error): error.code == .cancelled
        default: false
        }
    }

    /// The delay before the next attempt that the server requires.
    var retryAfter: Duration? {
        if case .load(let error) = cause { error.retryAfter } else { nil }
    }

    /// The stable name of the cause.
    public var code: String {
        switch cause {
        case .load(let error): error.code.rawValue
        case .playlist(let error): error.rule.rawValue
        case .notMedia: "not-media"
        case .nothingPlayable: "nothing-playable"
        case .nothingPlayed: "nothing-played"
        case .noKeySystem: "no-key-system"
        case .key(let error): error.code.rawValue
        case .media: "media"
        case .live: "live"
        case .output: "output"
        }
    }

    /// The location and the cause, on one line.
    public var description: String {
        switch cause {
        case .load(let error): "\(error)"
        case .playlist(let error): "\(place): \(error)"
        case .notMedia: "\(place): expected a Media Playlist, found a Multivariant Playlist"
        case .nothingPlayable: "\(place): no variant can be played"
        case .nothingPlayed(let missed) where missed > 0:
            "\(place): nothing was played, because its segments are missing (EXT-X-GAP)"
        case .nothingPlayed:
            "\(place): nothing was played, because the playlist has no segment after its start position"
        case .noKeySystem: "no key system for \(place)"
        case .key(let error): "\(place): \(error)"
        case .media(let reason), .live(let reason), .output(let reason): "\(place): \(reason)"
        }
    }
}
