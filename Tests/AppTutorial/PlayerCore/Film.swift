import Foundation

/// A film, as your service describes it.
public struct Film: Sendable {
    /// The identifier of the film in your service.
    public var id: String
    /// The title for viewers.
    public var title: String
    /// The URL of the Multivariant Playlist.
    public var url: URL
    /// The URIs of the EXT-X-KEY tags, such as `skd://film/video`; empty for a clear film.
    public var keys: [String]

    /// Creates a film.
    public init(id: String, title: String, url: URL, keys: [String] = []) {
        (self.id, self.title, self.url, self.keys) = (id, title, url, keys)
    }
}
