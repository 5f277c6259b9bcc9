import ContentKeySession
import HLSPlaylist

/// Loads the resources of a presentation with retries, and measures the time.
struct ResourceFetcher: Sendable {
    let loader: any MediaLoader
    let attempts: Int
    let initialRetryDelay: Duration
    /// The maximum delay that a server can require with Retry-After.
    let maximumRetryAfter: Duration
    let clock: ElapsedTime
    /// The time for which attempts continue after an error of the server or the connection, in addition to
    /// ``attempts``: an interruption that the buffer covers does not end live playback.
    var minimumRetryTime = Duration.zero
    /// True if a resource that does not exist is requested again: at the live edge, it may be listed shortly before it
    /// is available.
    var retriesMissing = true
    /// The variables of the Multivariant Playlist, for EXT-X-DEFINE with IMPORT.
    var variables: [String: String]?
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
                let mayContinue = attempt < attempts || (error.isInterruption && clock.now - begin < minimumRetryTime)
                let isFinal = !error.isTemporary || (error.code == .notFound && !retriesMissing)
                guard !isFinal, mayContinue, !Task.isCancelled else {
                    throw PlayerError(.load(error), resource.url)
                }
                attempt += 1
                await onRetry(error, attempt)
                let wait = max(pause, min(error.retryAfter ?? .zero, maximumRetryAfter))
                guard (try? await clock.sleep(for: wait)) != nil else {
                    throw PlayerError(.load(MediaLoadError(.cancelled, resource.url)), resource.url)
                }
                // During a long interruption, the delay does not become longer than the interruption may last.
                pause = minimumRetryTime > .zero ? min(pause * 2, .seconds(2)) : pause * 2
            }
        }
    }

    /// Loads a playlist. Returns it with its URL after redirects.
    ///
    /// - Parameters:
    ///   - url: The URL of the playlist.
    ///   - retries: Whether the load is retried after temporary errors.
    ///   - idleTimeout: The maximum time without progress; nil means the loader's.
    func playlist(
        _ url: String,
        retries: Bool = true,
        idleTimeout: Duration? = nil
    ) async throws(PlayerError) -> (playlist: Playlist, url: String) {
        var resource = MediaResource(url, maximumSize: 64 << 20)
        resource.isText = true
        resource.idleTimeout = idleTimeout
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
            let options = ParsingOptions(url: media.url, importedVariables: variables)
            return (try Playlist(parsing: media.bytes, options: options), media.url)
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
