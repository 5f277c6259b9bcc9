/// Step 1 of ``VariantSelector``: the checks whether variants are playable.
struct PlayabilityChecks {
    private let abilities: PlayerCapabilities
    private let keyFormats: [String: Set<KeyFormat>]
    /// The key formats of the EXT-X-SESSION-KEY tags.
    private let sessionKeyFormats: Set<KeyFormat>
    /// The content steering pathway that is applied.
    private let pathway: String?
    /// The smallest number of channels in each audio group in which all renditions exceed the player's maximum.
    private var excessChannels: [String: UInt64] = [:]

    init(_ selector: VariantSelector, _ playlist: MultivariantPlaylist) {
        abilities = selector.abilities
        keyFormats = selector.keyFormats
        sessionKeyFormats = Set(playlist.sessionKeys.filter { $0.key.method != .none }.map(\.key.keyFormat))
        let first = playlist.contentSteering?.pathwayID
        let hasVariants = playlist.variants.contains { Self.pathway($0) == first }
        pathway = selector.abilities.pathwayID ?? (hasVariants ? first : nil)
        guard let maximum = abilities.maximumAudioChannels else { return }
        var fewest: [String: UInt64] = [:]
        for rendition in playlist.renditions where rendition.type == .audio {
            fewest[rendition.groupID] = min(fewest[rendition.groupID] ?? .max, rendition.channelCount ?? 0)
        }
        excessChannels = fewest.filter { $0.value > maximum }
    }

    private static func pathway(_ variant: Variant) -> String { variant.pathwayID ?? "." }

    /// Returns the specifiers that the draft does not define. Empty specifiers are a syntax error, but do not make the
    /// variant unplayable.
    static func unknownLayouts(_ variant: Variant) -> [VideoLayout.Specifier] {
        specifiers(variant).filter { !$0.rawValue.isEmpty && !VideoLayout.Specifier.defined.contains($0) }
    }

    private static func specifiers(_ variant: Variant) -> [VideoLayout.Specifier] {
        variant.requiredVideoLayout.flatMap { VideoLayout($0).specifiers }
    }

    func obstacles(_ variant: Variant) -> [VariantRejection] {
        var result: [VariantRejection] = []
        if let pathway, Self.pathway(variant) != pathway {
            result.append(.pathway(Self.pathway(variant), applied: pathway))
        }
        let unknown = Self.unknownLayouts(variant).filter { !abilities.videoLayouts.contains($0) }
        if !unknown.isEmpty { result.append(.videoLayoutUnknown(unknown)) }
        let other = Self.specifiers(variant).filter {
            VideoLayout.Specifier.defined.contains($0) && !abilities.videoLayouts.contains($0)
        }
        if !other.isEmpty { result.append(.videoLayoutNotRendered(other)) }
        let codecs = variant.codecs.map { Codec($0) }.filter { $0.kind != .text && !abilities.codecs.supports($0) }
        if !codecs.isEmpty { result.append(.codecsUnsupported(codecs)) }
        result += keys(variant)
        if let level = variant.hdcpLevel, !abilities.hdcp.satisfies(level) {
            result.append(.hdcpTooLow(level, output: abilities.hdcp))
        }
        if let range = range(variant), !abilities.videoRanges.contains(range) {
            let isKnown = VideoRange.defined.contains(range)
            result.append(isKnown ? .videoRangeNotDisplayable(range) : .videoRangeUnknown(range))
        }
        if let maximum = abilities.maximumAudioChannels, let group = variant.audio, let fewest = excessChannels[group] {
            result.append(.audioChannels(group: group, fewest: fewest, maximum: maximum))
        }
        return result
    }

    /// Returns the value of VIDEO-RANGE. The default value only applies to variants with video.
    private func range(_ variant: Variant) -> VideoRange? {
        if let range = variant.videoRange { return range }
        let hasVideo = variant.resolution != nil || variant.codecs.contains { Codec.kind(of: $0) == .video }
        return hasVideo ? .sdr : nil
    }

    /// Returns the rejections because of key formats and of the labels in ALLOWED-CPC. One usable key format is enough.
    /// A key format without an entry in ALLOWED-CPC is usable by all devices.
    private func keys(_ variant: Variant) -> [VariantRejection] {
        let own = Set(abilities.keySystems.keys)
        let needed = keyFormats[variant.uri] ?? (sessionKeyFormats.isEmpty ? nil : sessionKeyFormats)
        let usable: Set<KeyFormat>
        if let needed {
            if needed.isEmpty { return [] }
            usable = needed.intersection(own)
        } else {
            guard let allowed = variant.allowedCPC else { return [] }
            let listed = Set(allowed.entries.map(\.keyFormat)).intersection(own)
            usable = listed.isEmpty ? own.subtracting([.identity]) : listed
        }
        if usable.isEmpty {
            let formats = needed ?? Set(variant.allowedCPC?.entries.map(\.keyFormat) ?? [])
            return [.keyFormatUnsupported(formats.sorted { $0.rawValue < $1.rawValue })]
        }
        guard let allowed = variant.allowedCPC else { return [] }
        var refusals: [VariantRejection] = []
        for format in usable.sorted(by: { $0.rawValue < $1.rawValue }) {
            let labels = abilities.keySystems[format] ?? []
            guard let required = allowed[format], labels.isDisjoint(with: required) else { return [] }
            refusals.append(.cpcNotMatched(format, required: required, satisfied: labels.sorted()))
        }
        return refusals
    }
}
