import ContentKeySession
import Foundation

/// A film, as the service describes it.
public struct Film: Codable, Hashable, Identifiable, Sendable {
    /// The identifier in the app, which also names the download.
    public var id: String
    /// The title for viewers.
    public var title: String
    /// The URL of the Multivariant Playlist.
    public var url: URL
    /// The URIs of the EXT-X-KEY tags. Apple has no API that returns them before playback, so the service does.
    public var keys: [String]
    /// The time in which the first playback of a download can start, in seconds; nil means unlimited.
    public var storageDuration: Int64?
    /// The time in which playback can start after the first playback of a download, in seconds; nil means unlimited.
    public var playbackDuration: Int64?

    /// Creates a film.
    public init(
        id: String,
        title: String,
        url: URL,
        keys: [String],
        storageDuration: Int64? = nil,
        playbackDuration: Int64? = nil
    ) {
        (self.id, self.title, self.url, self.keys) = (id, title, url, keys)
        (self.storageDuration, self.playbackDuration) = (storageDuration, playbackDuration)
    }

    /// The terms of the keys, from which the app computes the remaining time.
    var terms: KeyHistoryEntry.Terms {
        playbackDuration == nil
            ? .limited(storageDuration) : .dual(storage: storageDuration, playback: playbackDuration)
    }
}
