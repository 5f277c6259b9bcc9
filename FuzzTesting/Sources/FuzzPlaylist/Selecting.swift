import HLSPlaylist
import Mutations

/// A player with random properties (`choice`) selects a variant: each is either selected or rejected for a reason.
func checkSelection(_ playlist: MultivariantPlaylist, choice: Int) {
    var random = Xorshift(seed: UInt64(truncatingIfNeeded: choice))
    var selector = VariantSelector(abilities(playlist, &random), preferences: preferences(playlist, &random))
    selector.upSwitchMargin = random.pick([0.25, 0.25, 0, -1, .nan, 1e300])
    let formats: [KeyFormat] = [.fairPlay, .identity, .init(rawValue: "org.w3.clearkey")]
    for variant in playlist.variants where random.next() % 4 == 0 {
        selector.keyFormats[variant.uri] = random.next() % 3 == 0 ? [] : [random.pick(formats)]
    }
    let selection = selector.select(from: playlist)
    precondition(selection.rejected.count == playlist.variants.count - (selection.variant == nil ? 0 : 1))
    for rejected in selection.rejected {
        precondition(!rejected.reasons.isEmpty && playlist.variants[rejected.index] == rejected.variant)
        precondition(rejected.reasons.allSatisfy { !$0.description.isEmpty })
        precondition(rejected.isPlayable == rejected.reasons.allSatisfy(\.isPlayable))
    }
    precondition(selection.renditions.allSatisfy { !$0.reasons.contains { $0.description.isEmpty } })
    precondition(selection.rejectedRenditions.allSatisfy { !$0.reason.description.isEmpty })
    for attributes in playlist.variants.map(\.streamInf.attributes) {
        precondition(attributes.codecList.map(\.description) == attributes.codecs)
    }
    for type in MediaTag.MediaType.defined { _ = selection.rendition(type) }
    if let current = playlist.variants.randomElement(using: &random) {
        let throughput = random.pick([0, 700_000, 5_000_000, .max] as [UInt64])
        let target = selector.switchTarget(throughput: throughput, current: current, in: playlist)
        precondition(target.map { playlist.variants.contains($0) && $0 != current } ?? true)
    }
}

private func abilities(_ playlist: MultivariantPlaylist, _ random: inout Xorshift) -> PlayerCapabilities {
    let bandwidths = playlist.variants.map(\.bandwidth) + [1_000_000, .max]
    let codecs: [CodecSupport] = [
        .basic, .highDefinition, .ultraHighDefinition, CodecSupport { $0.isWellFormed }, CodecSupport { _ in true },
    ]
    var abilities = PlayerCapabilities(codecs: random.pick(codecs))
    if random.next() % 2 == 0 { abilities.throughput = random.pick(bandwidths) }
    abilities.safetyFactor = random.pick([0.8, 0.8, 1, 0, -1, .infinity, .nan])
    if random.next() % 4 == 0 { abilities.bandwidthCap = random.pick(bandwidths) }
    if random.next() % 2 == 0 {
        abilities.displaySize = random.pick([Resolution(width: 1920, height: 1080), Resolution(width: 0, height: 640)])
    }
    abilities.keySystems = random.pick([
        [.identity: []], [.fairPlay: ["AppleMain", "Main"], .identity: []], [.fairPlay: []], [:],
    ])
    abilities.hdcp = random.pick(PlayerCapabilities.HDCPState.allCases)
    abilities.videoRanges = random.pick([[.sdr], [.sdr, .hlg, .pq], []])
    abilities.showsStereo = random.next() % 2 == 0
    abilities.maximumAudioChannels = random.pick([nil, nil, 2, 6])
    abilities.pathwayID = random.pick([nil, nil] + playlist.variants.map { $0.pathwayID ?? "." })
    return abilities
}

private func preferences(_ playlist: MultivariantPlaylist, _ random: inout Xorshift) -> RenditionPreferences {
    let languages = playlist.renditions.compactMap(\.language) + ["en", "de-DE", "*"]
    let characteristics = playlist.renditions.flatMap(\.characteristics) + ["public.accessibility.describes-video"]
    return RenditionPreferences(
        languages: random.pick([[], [random.pick(languages)], [random.pick(languages), random.pick(languages)]]),
        subtitleLanguages: random.pick([nil, [random.pick(languages)]]),
        isUserChoice: random.next() % 2 == 0,
        characteristics: random.pick([[], [random.pick(characteristics)]]),
        subtitles: random.pick(RenditionPreferences.Subtitles.allCases)
    )
}
