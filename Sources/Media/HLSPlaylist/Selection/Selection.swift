/// The variant and the renditions that a player should play, and the reasons why the others were rejected.
public struct Selection: Sendable {
    /// The relation of the selected variant to the limits.
    public enum Fit: Sendable, Hashable {
        /// The variant is within the throughput, the bandwidth cap and the display size.
        case good
        /// All variants within the throughput and the bandwidth cap are larger than the display, so the smallest of
        /// them was selected.
        case largerThanDisplay
        /// No playable variant is within the throughput and the bandwidth cap, so the one with the lowest peak bit rate
        /// was selected. Playback may stall.
        case aboveBandwidth
        /// No variant is playable.
        case nothingPlayable
    }

    /// A variant that was not selected.
    public struct RejectedVariant: Hashable, Sendable {
        /// The variant.
        public let variant: Variant
        /// The index in ``MultivariantPlaylist/variants``.
        public let index: Int
        /// The reasons: everything that makes the variant unplayable and all limits that it exceeds; otherwise, the
        /// criterion by which the selected variant is better.
        public let reasons: [VariantRejection]

        /// True if the player could play the variant nevertheless.
        public var isPlayable: Bool { reasons.allSatisfy(\.isPlayable) }
    }

    /// The selected variant; nil when none is playable.
    public let variant: Variant?
    /// The relation of the selected variant to the limits.
    public let fit: Fit
    /// The enhancement layers of the variant (SUPPLEMENTAL-CODECS) that the player supports.
    public let supplementalCodecs: [SupplementalCodec]
    /// The renditions to play with the variant, from its rendition groups: at most one each of video, audio, subtitles
    /// and closed captions, in this order. A rendition without a URI is included in the variant's Media Playlist.
    public let renditions: [SelectedRendition]
    /// The other variants, in the order of the playlist.
    public let rejected: [RejectedVariant]
    /// The other renditions of the variant's rendition groups, in the order of ``renditions``.
    public let rejectedRenditions: [RejectedRendition]

    /// Returns the selected rendition of a type; nil when there is none.
    public func rendition(_ type: MediaTag.MediaType) -> MediaTag? {
        renditions.first { $0.rendition.type == type }?.rendition
    }
}
