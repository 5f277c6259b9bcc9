import HLSPlaylist

/// The renditions that are played together.
struct Tracks {
    var readers: [TrackReader]
    /// What the variant was chosen from; nil for a Media Playlist.
    let multivariant: MultivariantPlaylist?
    /// The URL that URIs of the Multivariant Playlist are relative to.
    let base: String
    /// The variant that plays.
    var variant: Variant?

    /// Chooses a variant and renditions, and loads their playlists.
    init(
        _ playlist: Playlist,
        url: String,
        base: String,
        _ settings: PlayerSettings,
        _ fetcher: ResourceFetcher,
        _ onEvent: @Sendable (PlayerEvent) async -> Void
    ) async throws(PlayerError) {
        self.base = base
        switch playlist {
        case .media(let media):
            multivariant = nil
            readers = [try TrackReader(.main, media, url: url, base: base)]
        case .multivariant(let multivariant):
            self.multivariant = multivariant
            await onEvent(.loadedMultivariant(multivariant))
            let selection = VariantSelector(settings.abilities, preferences: settings.preferences)
                .select(from: multivariant)
            await onEvent(.selected(selection))
            guard let variant = selection.variant else { throw PlayerError(.nothingPlayable, url) }
            self.variant = variant
            readers = [try await Self.reader(.main, variant.uri, base, fetcher)]
            for chosen in selection.renditions {
                guard let uri = chosen.rendition.uri, let kind = Self.kind(chosen.rendition.type, settings) else {
                    continue
                }
                readers.append(try await Self.reader(kind, uri, base, fetcher))
            }
        }
    }

    private static func kind(_ type: MediaTag.MediaType, _ settings: PlayerSettings) -> ClearPiece.TrackKind? {
        switch type {
        case .audio: .audio
        case .video: .video
        case .subtitles: settings.loadsSubtitles ? .subtitles : nil
        default: nil
        }
    }

    static func reader(
        _ kind: ClearPiece.TrackKind,
        _ uri: String,
        _ base: String,
        _ fetcher: ResourceFetcher
    ) async throws(PlayerError) -> TrackReader {
        let url = try ResourceFetcher.resolve(uri, against: base)
        let (playlist, base, _) = try await fetcher.playlist(url)
        guard case .media(let media) = playlist else { throw PlayerError(.notMedia, url) }
        return try TrackReader(kind, media, url: url, base: base)
    }

    /// The track whose segment is due: of those that have more, the one that is furthest behind.
    func next(limit: Double?) -> Int? {
        let open = readers.indices.filter { index in
            !readers[index].isAtEnd && limit.map { readers[index].position < $0 } ?? true
        }
        return open.min { readers[$0].position < readers[$1].position }
    }

    /// How far all tracks have come, in seconds of media.
    var position: Double { readers.map(\.position).min() ?? 0 }
}
