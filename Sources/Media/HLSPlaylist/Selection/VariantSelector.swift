/// Selects the variant and the renditions of a Multivariant Playlist to play (sections 4.4.6.2, 6.3.1 and 7.5). It does
/// not perform I/O.
///
///     let selection = VariantSelector(abilities).select(from: playlist)
///     for rejected in selection.rejected { print(rejected.variant.uri, rejected.reasons) }
///
/// The same playlist and the same capabilities always produce the same selection:
///
/// 1. Unplayable variants are rejected. A variant is unplayable if it belongs to a pathway other than the applied one;
///    if REQ-VIDEO-LAYOUT has specifiers that are unknown or that the player cannot render; if CODECS has video, audio
///    or unknown formats that the player does not support (unsupported text formats only exclude subtitles, and without
///    CODECS all formats are assumed to be supported); if the player supports none of its key formats; if ALLOWED-CPC
///    has no label that the device satisfies; if the output does not satisfy its HDCP-LEVEL; if its VIDEO-RANGE is
///    unknown or not supported by the display; if its audio has too many channels.
/// 2. The candidates are the playable variants whose BANDWIDTH does not exceed the throughput times the safety factor
///    and the bandwidth cap, and whose RESOLUTION is not larger than the display.
/// 3. If there are no candidates, the display size is ignored: the variant with the fewest pixels within the bandwidth
///    is selected. If there is no such variant, the one with the lowest BANDWIDTH is selected. Variants that are equal
///    by this criterion are compared as in step 4.
/// 4. Of several candidates, the best one by these criteria is selected, in this order: the higher SCORE, if all
///    variants have one (except those with an unknown REQ-VIDEO-LAYOUT, which clients ignore); more pixels; HDR before
///    SDR; HEVC, Dolby Vision, AV1 and VP9 before H.264 before others; the higher FRAME-RATE; more supported
///    SUPPLEMENTAL-CODECS; the higher BANDWIDTH; the higher AVERAGE-BANDWIDTH; the earlier position in the playlist.
///
/// The key formats of a variant are those in ``keyFormats``; without an entry there, those of the EXT-X-SESSION-KEY
/// tags. The player has to support one of them. If both are missing, the key formats are assumed to be those that
/// ALLOWED-CPC lists and the player supports; if there is none, all DRM key formats of the player.
public struct VariantSelector: Sendable {
    /// The capabilities of the player.
    public var abilities: PlayerCapabilities
    /// The preferences for renditions.
    public var preferences: RenditionPreferences
    /// The key formats of the EXT-X-KEY tags in the variants' Media Playlists, by the unresolved URIs of the variants;
    /// an empty set means that the variant is not encrypted.
    public var keyFormats: [String: Set<KeyFormat>]
    /// The additional throughput, as a fraction of a variant's BANDWIDTH, that ``switchTarget(throughput:current:in:)``
    /// requires to switch up to the variant.
    public var upSwitchMargin = 0.15

    /// Creates a selector.
    public init(
        _ abilities: PlayerCapabilities,
        preferences: RenditionPreferences = RenditionPreferences(),
        keyFormats: [String: Set<KeyFormat>] = [:]
    ) {
        self.abilities = abilities
        self.preferences = preferences
        self.keyFormats = keyFormats
    }

    /// Selects a variant and its renditions.
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

    /// Returns the variant to which a player should switch at the current throughput.
    ///
    /// 1. If the current variant is no longer playable, exceeds the bandwidth cap or is larger than the display, the
    /// player
    ///    should switch to the variant that ``select(from:)`` selects.
    /// 2. The same applies if its BANDWIDTH exceeds the throughput times the safety factor.
    /// 3. Otherwise, the player should switch to a better variant if it also fits with ``upSwitchMargin``. This
    /// hysteresis
    ///    prevents frequent switches when the throughput fluctuates.
    ///
    /// - Parameters:
    ///   - throughput: The throughput in bits per second.
    ///   - current: The variant that is playing.
    /// - Returns: The variant to switch to; nil to keep the current one.
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

    /// Returns the enhancement layers of a variant that the player supports.
    func usableSupplementalCodecs(_ variant: Variant) -> [SupplementalCodec] {
        variant.supplementalCodecs.map { SupplementalCodec($0) }.filter { abilities.codecs.supports($0.codec) }
    }
}
