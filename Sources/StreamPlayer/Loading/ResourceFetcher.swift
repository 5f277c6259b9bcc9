import HLSPlaylist

/// Fetches what a presentation names, again where that may help, and tells how long it took.
struct ResourceFetcher: Sendable {
    let loader: any MediaLoader
    let attempts: Int
    let firstPause: Duration
    let sleep: @Sendable (Duration) async throws -> Void
    let now: @Sendable () -> Duration
    let onRetry: @Sendable (MediaLoadError, Int) async -> Void

    /// A resource, and how long it took with all attempts.
    func fetch(_ resource: MediaResource) async throws(PlayerError) -> (media: LoadedMedia, time: Duration) {
        let begin = now()
        var pause = firstPause
        var attempt = 1
        while true {
            do throws(MediaLoadError) {
                let media = try await loader.load(resource)
                return (media, now() - begin)
            } catch {
                guard error.mayPass, attempt < attempts, !Task.isCancelled else {
                    throw PlayerError(.load(error), resource.url)
                }
                attempt += 1
                await onRetry(error, attempt)
                guard (try? await sleep(pause)) != nil else {
                    throw PlayerError(.load(MediaLoadError(.cancelled, resource.url)), resource.url)
                }
                pause *= 2
            }
        }
    }

    /// A playlist.
    func playlist(_ url: String) async throws(PlayerError) -> (playlist: Playlist, url: String, time: Duration) {
        let (media, time) = try await fetch(MediaResource(url, maximumSize: 64 << 20))
        do throws(PlaylistError) {
            // What breaks a rule is passed over: a player plays what it can.
            let (playlist, _) = try Playlist.parseLeniently(media.bytes, options: ParsingOptions(url: media.url))
            return (playlist, media.url, time)
        } catch {
            throw PlayerError(.playlist(error), url)
        }
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
