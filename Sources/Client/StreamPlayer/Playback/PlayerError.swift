public import ContentKeySession
public import HLSPlaylist

/// Why a presentation does not play, or plays no further.
public struct PlayerError: Error, CustomStringConvertible {
    /// What went wrong.
    public enum Cause: Sendable {
        /// A resource could not be fetched, after all tries.
        case load(MediaLoadError)
        /// What was fetched is no playlist.
        case playlist(PlaylistError)
        /// There is a Multivariant Playlist where a Media Playlist has to be.
        case notMedia
        /// No variant can be played by what this player is able to do.
        case nothingPlayable
        /// Nobody was named who answers for the key formats of a segment.
        case noKeySystem
        /// There is no key, or it may not be used.
        case key(ContentKeyError)
        /// A segment could not be decrypted or read; the reason.
        case media(String)
        /// A live playlist went back, or has nothing more to play.
        case live(String)
        /// What takes the clear media did not.
        case output(String)
    }

    /// What went wrong.
    public let cause: Cause
    /// Where: a URL without query, a key's URI, a list of key formats.
    public let place: String

    /// Makes an error.
    public init(_ cause: Cause, _ place: String) {
        (self.cause, self.place) = (cause, MediaLoadError.place(place))
    }

    /// The name of what went wrong, stable.
    public var code: String {
        switch cause {
        case .load(let error): error.code.rawValue
        case .playlist(let error): error.rule.rawValue
        case .notMedia: "not-media"
        case .nothingPlayable: "nothing-playable"
        case .noKeySystem: "no-key-system"
        case .key(let error): error.code.rawValue
        case .media: "media"
        case .live: "live"
        case .output: "output"
        }
    }

    /// One line.
    public var description: String {
        switch cause {
        case .load(let error): "\(error)"
        case .playlist(let error): "\(place): \(error)"
        case .notMedia: "\(place): is a Multivariant Playlist, and a Media Playlist is needed"
        case .nothingPlayable: "\(place): no variant can be played"
        case .noKeySystem: "no key system for \(place)"
        case .key(let error): "\(place): \(error)"
        case .media(let reason), .live(let reason), .output(let reason): "\(place): \(reason)"
        }
    }
}
