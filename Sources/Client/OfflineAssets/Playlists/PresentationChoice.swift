import HLSPlaylist
import StreamPlayer

/// The result of a selection for one Multivariant Playlist.
struct PresentationChoice: Equatable {
    /// The selected variants, in the order of the playlist.
    var variants: [Variant] = []
    /// The selected renditions in the order of the playlist, including those without a Media Playlist.
    var renditions: [MediaTag] = []
    var iFrames: [IFrameStreamInfTag] = []

    /// Selects variants and renditions.
    ///
    /// - Throws: ``DownloadError`` `no-variant` or `no-rendition`, with a list of the alternatives.
    init(_ selection: BundleSelection, of playlist: MultivariantPlaylist, url: String) throws(DownloadError) {
        let picked = try Self.variants(selection, playlist, url)
        variants = playlist.variants.filter(picked.contains)
        let wanted = try Self.renditions(selection, picked, playlist, url)
        renditions = playlist.renditions.filter(wanted.contains)
        iFrames = selection.includesIFrames ? playlist.iFrameVariants : []
    }

    private static func variants(
        _ selection: BundleSelection,
        _ playlist: MultivariantPlaylist,
        _ url: String
    ) throws(DownloadError) -> Set<Variant> {
        func failure(_ what: String) -> DownloadError {
            let all = playlist.variants.prefix(20).map { variant in
                (variant.resolution.map { "\($0) " } ?? "") + "\(variant.bandwidth) bit/s"
            }
            return DownloadError(
                .noVariant,
                url: url,
                "no variant matches the selection (\(what)); available variants: \(all.joined(separator: ", "))"
            )
        }
        guard case .each(let qualifiers) = selection.variants else {
            guard let first = VariantSelector(.everything).select(from: playlist).variant else { throw failure("all") }
            return Set(playlist.variants.filter { $0.pathwayID == first.pathwayID })
        }
        var picked: Set<Variant> = []
        for qualifier in qualifiers {
            var candidates = playlist
            if let codec = qualifier.codec {
                candidates.variants = playlist.variants.filter { $0.codecs.contains { $0.hasPrefix(codec) } }
            }
            var abilities = PlayerCapabilities.everything
            abilities.bandwidthCap = qualifier.maximumBandwidth
            abilities.displaySize = qualifier.maximumResolution
            let choice = VariantSelector(abilities).select(from: candidates)
            guard let variant = choice.variant, choice.fit == .good else { throw failure(qualifier.description) }
            picked.insert(variant)
        }
        guard !picked.isEmpty else { throw failure("none") }
        return picked
    }

    private static func renditions(
        _ selection: BundleSelection,
        _ variants: Set<Variant>,
        _ playlist: MultivariantPlaylist,
        _ url: String
    ) throws(DownloadError) -> Set<MediaTag> {
        let offered = variants.reduce(into: Set<MediaTag>()) { $0.formUnion(groups(of: $1, playlist)) }
        func failure(_ what: String) -> DownloadError {
            let all = playlist.renditions.filter(offered.contains).prefix(20).map { rendition in
                "\(rendition.type) \(rendition.language ?? "-")"
            }
            return DownloadError(
                .noRendition,
                url: url,
                "no rendition matches the selection (\(what)); available renditions: \(all.isEmpty ? "none" : all.joined(separator: ", "))"
            )
        }
        let defaults = chosen(variants, playlist, RenditionPreferences()).union(offered.filter { $0.uri == nil })
        switch selection.renditions {
        case .defaults: return defaults
        case .all: return offered
        case .matching(let qualifiers):
            if let idle = qualifiers.first(where: { qualifier in !offered.contains(where: qualifier.matches) }) {
                throw failure(idle.description)
            }
            let spokenOf = Set(qualifiers.map(\.type))
            return defaults.filter { !spokenOf.contains($0.type) && !spokenOf.contains(nil) }
                .union(offered.filter { rendition in qualifiers.contains { $0.matches(rendition) } })
        case .languages(let audio, let subtitles):
            var result = defaults
            for (type, languages) in [(MediaTag.MediaType.audio, audio), (.subtitles, subtitles)]
            where !languages.isEmpty {
                result = result.filter { $0.type != type || $0.isForced == true }
                for language in languages {
                    var preferences = RenditionPreferences(languages: [language], isUserChoice: true)
                    preferences.subtitles = type == .subtitles ? .on : .off
                    let found = chosen(variants, playlist, preferences, hasLanguage: true).filter { $0.type == type }
                    guard !found.isEmpty else { throw failure("\(type) in \(language)") }
                    result.formUnion(found)
                }
                // A group without these languages keeps its default, so that its variants are not silent.
                let groups = Set(result.filter { $0.type == type }.map(\.groupID))
                result.formUnion(defaults.filter { $0.type == type && !groups.contains($0.groupID) })
            }
            return result
        }
    }

    private static func groups(of variant: Variant, _ playlist: MultivariantPlaylist) -> Set<MediaTag> {
        var captions: String?
        if case .group(let group)? = variant.closedCaptions { captions = group }
        let groups: [(MediaTag.MediaType, String?)] = [
            (.audio, variant.audio), (.video, variant.video), (.subtitles, variant.subtitles),
            (.closedCaptions, captions),
        ]
        return Set(
            playlist.renditions.filter { rendition in groups.contains { $0 == (rendition.type, rendition.groupID) } }
        )
    }

    private static func chosen(
        _ variants: Set<Variant>,
        _ playlist: MultivariantPlaylist,
        _ preferences: RenditionPreferences,
        hasLanguage: Bool = false
    ) -> Set<MediaTag> {
        let selector = VariantSelector(.everything, preferences: preferences)
        let all = variants.flatMap { selector.renditions(for: $0, in: playlist).chosen }
        guard hasLanguage else { return Set(all.map(\.rendition)) }
        return Set(
            all.filter { selected in
                selected.reasons.contains { if case .language = $0 { true } else { false } }
            }.map(\.rendition)
        )
    }
}
