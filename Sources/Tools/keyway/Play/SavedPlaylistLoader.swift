import StreamPlayer
import Synchronization

/// A loader for a playlist that was saved to a file: the first load of its URL returns the file. Everything else is
/// loaded from the web, also reloads of a live playlist.
final class SavedPlaylistLoader: MediaLoader {
    private let url: String
    private let file: String
    private let web: any MediaLoader
    private let isLoaded = Mutex(false)

    /// Creates a loader.
    ///
    /// - Parameters:
    ///   - url: The URL that the playlist was saved from.
    ///   - file: The `file:` URL of the playlist.
    ///   - web: The loader of everything else.
    init(url: String, file: String, web: any MediaLoader) { (self.url, self.file, self.web) = (url, file, web) }

    func load(_ resource: MediaResource) async throws(MediaLoadError) -> LoadedMedia {
        guard isFirstLoad(of: resource) else { return try await web.load(resource) }
        return LoadedMedia(
            bytes: try await FileMediaLoader().load(MediaResource(file, maximumSize: resource.maximumSize)).bytes,
            url: url
        )
    }

    func load(
        _ resource: MediaResource,
        shouldContinue: @escaping @Sendable (MediaProgress) async -> Bool
    ) async throws(MediaLoadError) -> LoadedMedia {
        try await web.load(resource, shouldContinue: shouldContinue)
    }

    private func isFirstLoad(of resource: MediaResource) -> Bool {
        guard resource.url == url else { return false }
        return isLoaded.withLock { isLoaded in
            defer { isLoaded = true }
            return !isLoaded
        }
    }
}
