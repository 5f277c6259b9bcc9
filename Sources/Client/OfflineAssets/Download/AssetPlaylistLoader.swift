import ContentKeySession
import HLSPlaylist
import StreamPlayer

/// Loads the playlists of a presentation and selects the ones to download.
struct AssetPlaylistLoader: Sendable {
    let transport: any DownloadTransport
    let settings: DownloadSettings
    let time: ElapsedTime
    let chance: @Sendable () -> Double

    /// Loads the playlist at a URL, and its selected Media Playlists.
    ///
    /// - Throws: ``DownloadError`` `load`, `playlist`, `limit`, `no-variant`, `no-rendition` or `cancelled`.
    func load(_ url: String, _ selection: BundleSelection) async throws(DownloadError) -> AssetPlaylists {
        let address = try URIReference.web(url, against: url)
        let (playlist, from) = try await playlist(address, imported: nil)
        guard case .multivariant(let multivariant) = playlist else {
            guard case .media(let media) = playlist else { return AssetPlaylists(multivariant: nil, media: []) }
            let whole = AssetPlaylists.Media(
                playlist: media,
                url: from,
                kind: .variant,
                name: "variant-1",
                label: "",
                uri: ""
            )
            return AssetPlaylists(multivariant: nil, media: [whole])
        }
        guard !multivariant.variants.isEmpty else {
            throw DownloadError(.playlist, url: from, "the Multivariant Playlist has no variants")
        }
        let choice = try PresentationChoice(selection, of: multivariant, url: from)
        let wanted = AssetPlaylists.wanted(by: choice)
        guard wanted.count <= settings.limits.playlists else {
            throw DownloadError(
                .limit,
                url: from,
                "the presentation has more than \(settings.limits.playlists) Media Playlists"
            )
        }
        var media: [AssetPlaylists.Media] = []
        for (uri, kind, name, label) in wanted {
            let address = try URIReference.web(uri, against: from)
            let (playlist, place) = try await self.playlist(address, imported: multivariant.variables)
            guard case .media(let one) = playlist else {
                throw DownloadError(
                    .playlist,
                    url: place,
                    "expected a Media Playlist, found a Multivariant Playlist"
                )
            }
            media.append(.init(playlist: one, url: place, kind: kind, name: name, label: label, uri: uri))
        }
        return AssetPlaylists(multivariant: (multivariant, from, choice), media: media)
    }

    /// A playlist, and its URL after redirects.
    typealias Loaded = (playlist: Playlist, url: String)

    /// Loads one playlist.
    ///
    /// - Throws: ``DownloadError`` `load`, `playlist`, `limit` or `cancelled`.
    func loadPlaylist(_ url: String) async throws(DownloadError) -> Loaded {
        try await playlist(try URIReference.web(url, against: url), imported: nil)
    }

    private func playlist(_ url: String, imported: [String: String]?) async throws(DownloadError) -> Loaded {
        let (bytes, from) = try await bytes(url)
        // The parser reports other bytes that are not a playlist.
        let beginning = Array(bytes.prefix(SegmentRecognition.sufficientCount))
        let found = SegmentRecognition.mismatch(beginning, isEncrypted: true) ?? "text"
        guard ["text", "an HLS playlist"].contains(found) else {
            throw DownloadError(.playlist, url: from, "expected a playlist, found \(found)")
        }
        var limits = PlaylistLimits()
        limits.bytes = settings.limits.playlistBytes
        limits.segments = settings.limits.segments
        let options = ParsingOptions(url: from, importedVariables: imported, limits: limits)
        do throws(PlaylistError) {
            // Rule violations are kept: the player handles them.
            return (try Playlist(parsing: bytes, options: options), from)
        } catch {
            throw DownloadError(error.rule == .limitExceeded ? .limit : .playlist, url: from, "\(error)")
        }
    }

    private func bytes(_ url: String) async throws(DownloadError) -> (bytes: [UInt8], url: String) {
        var queue = DownloadQueue([0: url], settings: settings)
        while true {
            _ = queue.next(now: .seconds(1 << 40))
            let watchdog = Watchdog(span: settings.idleTimeout, minimumProgress: settings.minimumProgress)
            let ((result, retryAfter), isStalled) = await watchdog.watch { await exchange(url, $0) }
            switch result {
            case .success(let loaded): return loaded
            case .failure(var error):
                if isStalled, error.code == .cancelled { error = MediaLoadError(.deadline, url) }
                let retry = queue.failed(
                    0,
                    error,
                    length: 0,
                    retryAfter: retryAfter,
                    chance: chance(),
                    now: .zero
                )
                guard let retry, (try? await time.sleep(for: retry.pause)) != nil else {
                    throw DownloadError(Task.isCancelled ? MediaLoadError(.cancelled, url) : error)
                }
            }
        }
    }

    private func exchange(
        _ url: String,
        _ counter: Watchdog.Counter
    ) async -> (result: Result<(bytes: [UInt8], url: String), MediaLoadError>, retryAfter: Duration?) {
        var retryAfter: Duration?
        do throws(MediaLoadError) {
            let answer = try await transport.openSecurely(DownloadRequest(url: url, headTimeout: settings.headTimeout))
            retryAfter = answer.retryAfter
            switch answer.status {
            case 200: break
            case 404, 410: throw MediaLoadError(.notFound, url, status: answer.status)
            default: throw MediaLoadError(.status, url, status: answer.status)
            }
            var bytes: [UInt8] = []
            while let part = try await answer.body() {
                counter.add(part.count)
                guard bytes.count + part.count <= settings.limits.playlistBytes else {
                    throw MediaLoadError(.tooLarge, url)
                }
                bytes.append(contentsOf: part)
            }
            // A transport may not compare the body with its length.
            guard answer.length ?? 0 <= UInt64(bytes.count) else { throw MediaLoadError(.noConnection, url) }
            return (.success((bytes, answer.url)), nil)
        } catch {
            return (.failure(error), retryAfter)
        }
    }
}
