import ContentKeySession
import HLSPlaylist

/// Loads the resources of a presentation with retries, and measures the time.
struct ResourceFetcher: Sendable {
    let loader: any MediaLoader
    let attempts: Int
    let initialRetryDelay: Duration
    let clock: ElapsedTime
    let onRetry: @Sendable (MediaLoadError, Int) async -> Void

    /// Returns a resource, the time of all attempts, and the time of the successful attempt.
    ///
    /// - Parameters:
    ///   - resource: The resource to load.
    ///   - watch: The monitor that can abandon the download.
    func fetch(
        _ resource: MediaResource,
        watch: DownloadMonitor? = nil
    ) async throws(PlayerError) -> (media: LoadedMedia, time: Duration, transfer: Duration) {
        let begin = clock.now
        var pause = initialRetryDelay
        var attempt = 1
        while true {
            let last = clock.now
            do throws(MediaLoadError) {
                let media =
                    if let watch {
                        try await loader.load(resource) {
                            watch.shouldContinue($0, elapsed: clock.now - last, now: clock.now)
                        }
                    } else {
                        try await loader.load(resource)
                    }
                return (media, clock.now - begin, clock.now - last)
            } catch {
                guard error.isTemporary, attempt < attempts, !Task.isCancelled else {
                    throw PlayerError(.load(error), resource.url)
                }
                attempt += 1
                await onRetry(error, attempt)
                guard (try? await clock.sleep(for: pause)) != nil else {
                    throw PlayerError(.load(MediaLoadError(.cancelled, resource.url)), resource.url)
                }
                pause *= 2
            }
        }
    }

    /// Loads a playlist. Returns it with its URL after redirects.
    func playlist(_ url: String, retries: Bool = true) async throws(PlayerError) -> (playlist: Playlist, url: String) {
        let resource = MediaResource(url, maximumSize: 64 << 20)
        let media: LoadedMedia
        if retries {
            media = try await fetch(resource).media
        } else {
            do throws(MediaLoadError) {
                media = try await loader.load(resource)
            } catch {
                throw PlayerError(.load(error), url)
            }
        }
        do throws(PlaylistError) {
            return (try Playlist(parsing: media.bytes, options: ParsingOptions(url: media.url)), media.url)
        } catch {
            throw PlayerError(.playlist(error), url)
        }
    }

    /// A Media Playlist.
    struct LoadedPlaylist {
        let playlist: MediaPlaylist
        /// The requested URL.
        let asked: String
        /// The URL after redirects.
        let url: String

        init(_ playlist: Playlist, asked: String, url: String) throws(PlayerError) {
            guard case .media(let media) = playlist else { throw PlayerError(.notMedia, asked) }
            (self.playlist, self.asked, self.url) = (media, asked, url)
        }
    }

    /// Loads a Media Playlist.
    func media(_ url: String) async throws(PlayerError) -> LoadedPlaylist {
        let (playlist, from) = try await playlist(url)
        return try LoadedPlaylist(playlist, asked: url, url: from)
    }

    /// Resolves a URI of a playlist.
    ///
    /// - Throws: ``PlayerError`` if a playlist from a server specifies a file URL: a server must not be able to read
    ///   local files.
    static func resolve(_ uri: String, against base: String) throws(PlayerError) -> String {
        let url = URIReference.resolve(uri, against: base)
        let (scheme, own) = (URIReference.scheme(of: url), URIReference.scheme(of: base))
        guard scheme == "https" || scheme == "http" || (scheme == "file" && own == "file") else {
            throw PlayerError(.load(MediaLoadError(.badAddress, url)), url)
        }
        return url
    }
}
