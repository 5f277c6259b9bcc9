public import HLSPlaylist

/// The variants and renditions to download.
///
/// The default is that of AVAssetDownloadTask: the best variant and the default renditions. A Media Playlist has no
/// alternatives.
public struct BundleSelection: Sendable, Hashable, CustomStringConvertible {
    /// The selected variants.
    public enum Variants: Sendable, Hashable {
        /// The best variant that matches each qualifier.
        case each([VariantQualifier])
        /// All variants of the pathway that a player starts with.
        case all
    }

    /// The selected renditions from the groups of the selected variants.
    public enum Renditions: Sendable, Hashable {
        /// The renditions that a player selects without preferences.
        case defaults
        /// The best rendition for each language; ``defaults`` for a type without languages. Languages are matched as in
        /// RFC 4647: `en` matches `en-GB`.
        case languages(audio: [String], subtitles: [String])
        /// All renditions that match a qualifier; ``defaults`` for a type without qualifiers.
        case matching([RenditionQualifier])
        /// All renditions.
        case all
    }

    /// The selected variants; by default the best one.
    public var variants = Variants.each([VariantQualifier()])
    /// The selected renditions; ``Renditions/defaults`` by default.
    public var renditions = Renditions.defaults
    /// True if I-frame playlists are downloaded, for trick play; false by default.
    public var includesIFrames = false

    /// Creates a selection.
    public init(
        variants: Variants = .each([VariantQualifier()]),
        renditions: Renditions = .defaults,
        includesIFrames: Bool = false
    ) {
        (self.variants, self.renditions, self.includesIFrames) = (variants, renditions, includesIFrames)
    }

    /// A selection of everything.
    public static let all = BundleSelection(variants: .all, renditions: .all, includesIFrames: true)

    /// The selection on one line. Equal selections have equal descriptions; the description is stored in the bundle.
    public var description: String {
        let first =
            switch variants {
            case .all: "all variants"
            case .each(let qualifiers): qualifiers.map(\.description).joined(separator: " and ")
            }
        let second =
            switch renditions {
            case .defaults: "default renditions"
            case .all: "all renditions"
            case .languages(let audio, let subtitles):
                "audio \(audio.joined(separator: ",")); subtitles \(subtitles.joined(separator: ","))"
            case .matching(let qualifiers): qualifiers.map(\.description).joined(separator: " and ")
            }
        return "\(first); \(second)" + (includesIFrames ? "; I-frames" : "")
    }
}

/// A condition for variants; the best matching variant is selected, in the order of `VariantSelector`.
public struct VariantQualifier: Sendable, Hashable, CustomStringConvertible {
    /// The maximum BANDWIDTH in bits per second; nil means any.
    public var maximumBandwidth: UInt64?
    /// The maximum RESOLUTION; nil means any.
    public var maximumResolution: Resolution?
    /// The prefix of one of the CODECS, such as `hvc1`; nil means any.
    public var codec: String?

    /// Creates a qualifier; the default selects the best variant.
    public init(maximumBandwidth: UInt64? = nil, maximumResolution: Resolution? = nil, codec: String? = nil) {
        (self.maximumBandwidth, self.maximumResolution, self.codec) = (maximumBandwidth, maximumResolution, codec)
    }

    /// The qualifier, on one line.
    public var description: String {
        let words = [
            maximumBandwidth.map { "up to \($0) bit/s" }, maximumResolution.map { "up to \($0)" },
            codec.map { "with \($0)" },
        ]
        return "the best variant" + words.compactMap { $0.map { " " + $0 } }.joined()
    }
}

/// A condition for renditions.
public struct RenditionQualifier: Sendable, Hashable, CustomStringConvertible {
    /// The TYPE; nil means any.
    public var type: MediaTag.MediaType?
    /// The GROUP-ID; nil means any.
    public var groupID: String?
    /// The LANGUAGE or a prefix: `en` matches `en-GB`. Nil means any.
    public var language: String?

    /// Creates a qualifier.
    public init(type: MediaTag.MediaType? = nil, groupID: String? = nil, language: String? = nil) {
        (self.type, self.groupID, self.language) = (type, groupID, language)
    }

    /// Returns whether a rendition matches.
    public func matches(_ rendition: MediaTag) -> Bool {
        if let type, rendition.type != type { return false }
        if let groupID, rendition.groupID != groupID { return false }
        guard let language = language?.lowercased() else { return true }
        let own = rendition.language?.lowercased() ?? ""
        return own == language || own.hasPrefix(language + "-")
    }

    /// The qualifier, on one line.
    public var description: String {
        let words = [type?.rawValue, groupID.map { "group \($0)" }, language.map { "language \($0)" }].compactMap { $0 }
        return words.isEmpty ? "every rendition" : words.joined(separator: " ")
    }
}
