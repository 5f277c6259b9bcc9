import ContentKeySession
import HLSPlaylist

/// Fetches what a presentation names, again where that may help, and tells how long it took.
struct ResourceFetcher: Sendable {
    let loader: any MediaLoader
    let attempts: Int
    let firstPause: Duration
    let clock: ElapsedTime
    let onRetry: @Sendable (MediaLoadError, Int) async -> Void

    /// A resource, how long it took with all attempts, and how long the one took that brought it.
    ///
    /// - Parameter watch: Who decides on the way whether the download goes on.
    func fetch(
        _ resource: MediaResource,
        watch: DownloadWatch? = nil
    ) async throws(PlayerError) -> (media: LoadedMedia, time: Duration, transfer: Duration) {
        let begin = clock.now
        var pause = firstPause
        var attempt = 1
        while true {
            let last = clock.now
            do throws(MediaLoadError) {
                let media =
                    if let watch {
                        try await loader.load(resource) { watch.goesOn($0, elapsed: clock.now - last, now: clock.now) }
                    } else {
                        try await loader.load(resource)
                    }
                return (media, clock.now - begin, clock.now - last)
            } catch {
                guard error.mayPass, attempt < attempts, !Task.isCancelled else {
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

    /// A playlist, and where it came from.
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
            // What breaks a rule is passed over: a player plays what it can.
            return (
                try Playlist.parseLeniently(media.bytes, options: ParsingOptions(url: media.url)).playlist, media.url
            )
        } catch {
            throw PlayerError(.playlist(error), url)
        }
    }

    /// A Media Playlist.
    struct Media {
        let playlist: MediaPlaylist
        /// The URL that was asked for.
        let asked: String
        /// The URL that it came from.
        let url: String

        init(_ playlist: Playlist, asked: String, url: String) throws(PlayerError) {
            guard case .media(let media) = playlist else { throw PlayerError(.notMedia, asked) }
            (self.playlist, self.asked, self.url) = (media, asked, url)
        }
    }

    /// A Media Playlist.
    func media(_ url: String) async throws(PlayerError) -> Media {
        let (playlist, from) = try await playlist(url)
        return try Media(playlist, asked: url, url: from)
    }

    /// Resolves a URI of a playlist.
    ///
    /// - Throws: ``PlayerError`` where a playlist from a server names a file: what a server says must not read this
    ///   machine.
    static func resolve(_ uri: String, against base: String) throws(PlayerError) -> String {
        let url = URIReference.resolve(uri, against: base)
        let (scheme, own) = (URIReference.scheme(of: url), URIReference.scheme(of: base))
        guard scheme == "https" || scheme == "http" || (scheme == "file" && own == "file") else {
            throw PlayerError(.load(MediaLoadError(.badAddress, url)), url)
        }
        return url
    }
}
