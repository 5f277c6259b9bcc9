import ContentKeySession
import HLSPlaylist

/// The renditions that are played together.
struct PlaybackTracks {
    var readers: [TrackReader]
    /// The controller that chooses the main track's variant; nil for a Media Playlist.
    var controller: QualityController?
    /// The URL against which the Multivariant Playlist's URIs are resolved.
    let base: String
    /// The Multivariant Playlist; nil for a Media Playlist.
    private let multivariant: MultivariantPlaylist?

    /// Chooses a variant and renditions, and loads their playlists.
    init(
        url: String,
        _ settings: PlayerSettings,
        _ fetcher: ResourceFetcher,
        _ onEvent: @Sendable (PlayerEvent) async -> Void
    ) async throws(PlayerError) {
        let began = fetcher.clock.now
        let (playlist, base) = try await fetcher.playlist(url)
        self.base = base
        guard case .multivariant(let multivariant) = playlist else {
            self.multivariant = nil
            let media = try ResourceFetcher.LoadedPlaylist(playlist, asked: url, url: base)
            readers = [try TrackReader(.main, media, start: nil, began: began, now: fetcher.clock.now)]
            return
        }
        self.multivariant = multivariant
        await onEvent(.loadedMultivariant(multivariant))
        var selector = VariantSelector(settings.abilities, preferences: settings.preferences)
        if case .realTime = settings.pace, settings.abilities.throughput == nil {
            // Real-time playback starts with a throughput that most links support.
            selector.abilities.throughput = ThroughputEstimate().bitsPerSecond
        }
        let selection = selector.select(from: multivariant)
        await onEvent(.selected(selection))
        guard let variant = selection.variant else { throw PlayerError(.nothingPlayable, url) }
        var controller = QualityController(multivariant, selector: selector, settings: settings.quality)
        // The selector's choice is the controller's first choice.
        _ = controller.next(
            buffer: 0,
            throughput: selector.abilities.throughput ?? .max,
            now: fetcher.clock.now
        )
        self.controller = controller
        var wanted: [(DecryptedPiece.TrackKind, String)] = [(.main, variant.uri)]
        for chosen in selection.renditions {
            if let uri = chosen.rendition.uri, let kind = Self.kind(chosen.rendition.type, settings) {
                wanted.append((kind, uri))
            }
        }
        readers = []
        for (kind, uri) in wanted {
            let began = fetcher.clock.now
            let media = try await fetcher.media(try ResourceFetcher.resolve(uri, against: base))
            readers.append(
                try TrackReader(kind, media, start: multivariant.start, began: began, now: fetcher.clock.now)
            )
        }
    }

    private static func kind(_ type: MediaTag.MediaType, _ settings: PlayerSettings) -> DecryptedPiece.TrackKind? {
        switch type {
        case .audio: .audio
        case .video: .video
        case .subtitles: settings.loadsSubtitles ? .subtitles : nil
        default: nil
        }
    }

    /// Returns whether a variant is left that is not excluded.
    func hasAlternative(now: Duration) -> Bool {
        guard var controller else { return false }
        return controller.next(buffer: 0, throughput: .max, now: now).variant != nil
    }

    /// Switches to another variant, and to the audio rendition that belongs to it.
    nonisolated(nonsending) mutating func change(
        to variant: Variant,
        _ fetcher: ResourceFetcher
    ) async throws(PlayerError) {
        try await change(0, to: variant.uri, fetcher)
        guard let multivariant, let selector = controller?.selector else { return }
        for chosen in selector.renditions(for: variant, in: multivariant).chosen {
            guard let uri = chosen.rendition.uri, chosen.rendition.type == .audio,
                let index = readers.firstIndex(where: { $0.kind == .audio })
            else { continue }
            try await change(index, to: uri, fetcher)
        }
    }

    nonisolated(nonsending) private mutating func change(
        _ index: Int,
        to uri: String,
        _ fetcher: ResourceFetcher
    ) async throws(PlayerError) {
        let url = try ResourceFetcher.resolve(uri, against: base)
        guard url != readers[index].url else { return }
        let began = fetcher.clock.now
        let media = try await fetcher.media(url)
        try readers[index].change(to: media, began: began, now: fetcher.clock.now)
    }

    /// The position of the slowest track, in seconds of media since playback started.
    var position: Double { readers.map(\.position).min() ?? 0 }
}
