/// What a player should play, and why not something else.
public struct Selection: Sendable {
    /// How the chosen variant fits the limits.
    public enum Fit: Sendable, Hashable {
        /// It is within throughput, cap and display.
        case good
        /// No variant within the throughput and the cap is as small as the display: the smallest of them was chosen.
        case largerThanDisplay
        /// No playable variant is within the throughput and the cap: the one with the lowest peak was chosen. It may
        /// stall.
        case aboveBandwidth
        /// No variant can be played.
        case nothingPlayable
    }

    /// A variant that was not chosen.
    public struct RejectedVariant: Hashable, Sendable {
        /// The variant.
        public let variant: Variant
        /// Its place in ``MultivariantPlaylist/variants``, from 0.
        public let index: Int
        /// Why: all that makes it unplayable and all limits that it passes, or else what makes the chosen one better.
        public let reasons: [VariantRejection]

        /// Whether it could be played all the same.
        public var isPlayable: Bool { reasons.allSatisfy(\.isPlayable) }
    }

    /// The chosen variant; nil when none can be played.
    public let variant: Variant?
    /// How it fits.
    public let fit: Fit
    /// Its enhancement layers that the player can decode: SUPPLEMENTAL-CODECS.
    public let supplementalCodecs: [SupplementalCodec]
    /// The renditions to play with it, of the groups that it names: at most one of video, audio, subtitles and closed
    /// captions each, in this order. A rendition without a URI is in the variant's own Media Playlist.
    public let renditions: [SelectedRendition]
    /// The other variants, in the order of the playlist.
    public let rejected: [RejectedVariant]
    /// The other renditions of the groups that the variant names, in the order of ``renditions``.
    public let rejectedRenditions: [RejectedRendition]

    /// The chosen rendition of a type; nil when there is none.
    public func rendition(_ type: MediaTag.MediaType) -> MediaTag? {
        renditions.first { $0.rendition.type == type }?.rendition
    }
}
