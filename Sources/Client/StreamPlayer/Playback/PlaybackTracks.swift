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

    /// Chooses a variant and renditions, and loads their playlists. If a playlist of the variant cannot be played,
    /// another variant is chosen; subtitles that cannot be played are omitted.
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
            readers = [
                try TrackReader(
                    .main,
                    media,
                    start: nil,
                    usesParts: settings.usesParts,
                    began: began,
                    now: fetcher.clock.now
                )
            ]
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
        guard var variant = selection.variant else { throw PlayerError(.nothingPlayable, url) }
        var controller = QualityController(multivariant, selector: selector, settings: settings.quality)
        let throughput = selector.abilities.throughput ?? .max
        // The selector's choice is the controller's first choice.
        _ = controller.next(buffer: 0, throughput: throughput, now: fetcher.clock.now)
        var fetcher = fetcher
        fetcher.variables = multivariant.variables
        readers = []
        while readers.isEmpty {
            do throws(PlayerError) {
                let renditions = selector.renditions(for: variant, in: multivariant).chosen
                fetcher.retriesMissing = !Self.hasOtherVariant(than: variant, controller, now: fetcher.clock.now)
                readers = try await load(variant, renditions, settings, fetcher, onEvent)
            } catch {
                guard let failure = VariantFailure(error) else { throw error }
                controller.failed(variant, failure, now: fetcher.clock.now)
                let decision = controller.next(buffer: 0, throughput: throughput, now: fetcher.clock.now)
                guard let next = decision.variant, next.uri != variant.uri else { throw error }
                await onEvent(.switched(decision))
                variant = next
            }
        }
        self.controller = controller
    }

    /// Loads the playlists of a variant and its renditions.
    nonisolated(nonsending) private func load(
        _ variant: Variant,
        _ renditions: [SelectedRendition],
        _ settings: PlayerSettings,
        _ fetcher: ResourceFetcher,
        _ onEvent: @Sendable (PlayerEvent) async -> Void
    ) async throws(PlayerError) -> [TrackReader] {
        var wanted: [(DecryptedPiece.TrackKind, String)] = [(.main, variant.uri)]
        for chosen in renditions {
            if let uri = chosen.rendition.uri, let kind = Self.kind(chosen.rendition.type, settings) {
                wanted.append((kind, uri))
            }
        }
        var readers: [TrackReader] = []
        for (kind, uri) in wanted {
            let began = fetcher.clock.now
            do throws(PlayerError) {
                let media = try await fetcher.media(try ResourceFetcher.resolve(uri, against: base))
                readers.append(
                    try TrackReader(
                        kind,
                        media,
                        start: multivariant?.start,
                        usesParts: settings.usesParts,
                        began: began,
                        now: fetcher.clock.now
                    )
                )
            } catch {
                guard kind == .subtitles, !error.isCancellation else { throw error }
                await onEvent(.omitted(kind, error))
            }
        }
        return readers
    }

    private static func kind(_ type: MediaTag.MediaType, _ settings: PlayerSettings) -> DecryptedPiece.TrackKind? {
        switch type {
        case .audio: .audio
        case .video: .video
        case .subtitles: settings.loadsSubtitles ? .subtitles : nil
        default: nil
        }
    }

    /// The variables of the Multivariant Playlist, which Media Playlists may import; nil for a Media Playlist.
    var variables: [String: String]? { multivariant?.variables }

    /// Returns whether another variant than the current one can be played.
    func hasOtherVariant(now: Duration) -> Bool {
        guard let controller, let current = controller.current else { return false }
        return Self.hasOtherVariant(than: current, controller, now: now)
    }

    private static func hasOtherVariant(
        than variant: Variant,
        _ controller: QualityController,
        now: Duration
    ) -> Bool {
        var controller = controller
        controller.failed(variant, .noResponse, now: now)
        return controller.next(buffer: 0, throughput: .max, now: now).variant != nil
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
