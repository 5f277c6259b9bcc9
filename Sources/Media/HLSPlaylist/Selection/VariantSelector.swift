/// Chooses what to play of a Multivariant Playlist (sections 4.4.6.2, 6.3.1 and 7.5), without any I/O.
///
///     let selection = VariantSelector(abilities).select(from: playlist)
///     for rejected in selection.rejected { print(rejected.variant.uri, rejected.reasons) }
///
/// The same playlist and the same abilities always give the same choice:
///
/// 1. Variants that cannot be played are set aside: of another pathway than the applied one; with a REQ-VIDEO-LAYOUT
///    that is unknown or not rendered; with video, audio or unknown formats in CODECS that are not decoded (text
///    formats only stand against subtitles, and without CODECS nothing is known); whose keys come in no key format of
///    the player; whose ALLOWED-CPC has no label of the device; whose HDCP-LEVEL the output has not; whose VIDEO-RANGE
///    is unknown or cannot be shown; whose audio has too many channels.
/// 2. Of the rest, those are candidates whose BANDWIDTH is within the throughput times the safety factor and within the
///    cap, and whose RESOLUTION is not larger than the display.
/// 3. When there are none, the display is let go: the variant with the fewest pixels within the bandwidth is chosen.
///    When there are none either, the one with the lowest BANDWIDTH is chosen. What is equal then is compared as in 4.
/// 4. Of several candidates the first by this order is chosen: the higher SCORE, if all variants have one (those with
///    an unknown REQ-VIDEO-LAYOUT do not count, since clients ignore them); more pixels; HDR before SDR; HEVC, Dolby
///    Vision, AV1 and VP9 before H.264 before others; the higher FRAME-RATE; more SUPPLEMENTAL-CODECS that can be
///    decoded; the higher BANDWIDTH; the higher AVERAGE-BANDWIDTH; the earlier in the playlist.
///
/// The key formats that a variant needs come from ``keyFormats`` or else from the EXT-X-SESSION-KEY tags; one of them
/// is enough. When neither says anything, they are taken to be those that ALLOWED-CPC lists and the player has; if the
/// player has none of these, its other DRM systems.
public struct VariantSelector: Sendable {
    /// What the player can do.
    public var abilities: PlayerAbilities
    /// Which renditions are wanted.
    public var preferences: RenditionPreferences
    /// The key formats of the EXT-X-KEY tags in the variants' Media Playlists, by the variants' URIs as the playlist
    /// has them; an empty set means that nothing is encrypted.
    public var keyFormats: [String: Set<KeyFormat>]
    /// How much more than its BANDWIDTH must be there before ``switchTarget(throughput:current:in:)`` goes up to a
    /// variant, as a share of it.
    public var upSwitchMargin = 0.15

    /// Makes a selector.
    public init(
        _ abilities: PlayerAbilities,
        preferences: RenditionPreferences = RenditionPreferences(),
        keyFormats: [String: Set<KeyFormat>] = [:]
    ) {
        self.abilities = abilities
        self.preferences = preferences
        self.keyFormats = keyFormats
    }

    /// Chooses a variant and its renditions.
    public func select(from playlist: MultivariantPlaylist) -> Selection {
        let assessment = VariantAssessment(self, playlist)
        let choice = assessment.choose(throughput: abilities.throughput)
        guard let choice else {
            return Selection(
                variant: nil,
                fit: .nothingPlayable,
                supplementalCodecs: [],
                renditions: [],
                rejected: assessment.rejections(choice, throughput: abilities.throughput),
                rejectedRenditions: []
            )
        }
        let variant = playlist.variants[choice.index]
        let renditions = self.renditions(for: variant, in: playlist)
        return Selection(
            variant: variant,
            fit: choice.fit,
            supplementalCodecs: usableSupplementalCodecs(variant),
            renditions: renditions.chosen,
            rejected: assessment.rejections(choice, throughput: abilities.throughput),
            rejectedRenditions: renditions.rejected
        )
    }

    /// Tells a player that is playing to which variant it should switch for the throughput of now.
    ///
    /// 1. A variant that cannot be played any more, is above the cap or larger than the display is left for the one
    ///    that ``select(from:)`` gives.
    /// 2. So is one whose peak is above the throughput times the safety factor.
    /// 3. Otherwise a better variant is taken if it fits with ``upSwitchMargin`` to spare; between the two marks
    ///    nothing changes, so that a throughput that wavers does not make the picture waver.
    ///
    /// - Parameters:
    ///   - throughput: Bits per second.
    ///   - current: The variant that is playing.
    /// - Returns: Another variant; nil to stay.
    public func switchTarget(throughput: UInt64, current: Variant, in playlist: MultivariantPlaylist) -> Variant? {
        let assessment = VariantAssessment(self, playlist)
        guard let index = playlist.variants.firstIndex(of: current), assessment.isPlayable(index),
            assessment.limits(index, throughput: throughput).isEmpty
        else {
            let target = assessment.choose(throughput: throughput).map { playlist.variants[$0.index] }
            return target == current ? nil : target
        }
        let margin = upSwitchMargin > 0 ? upSwitchMargin : 0
        let spare = UInt64(exactly: (Double(throughput) / (1 + margin)).rounded(.down)) ?? throughput
        guard let choice = assessment.choose(throughput: spare), choice.fit == .good,
            assessment.isBetter(choice.index, than: index)
        else { return nil }
        return playlist.variants[choice.index]
    }

    /// The enhancement layers of a variant that the player can decode.
    func usableSupplementalCodecs(_ variant: Variant) -> [SupplementalCodec] {
        variant.supplementalCodecs.map { SupplementalCodec($0) }.filter { abilities.codecs.supports($0.codec) }
    }
}
