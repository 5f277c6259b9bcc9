public import HLSPlaylist

/// What of a presentation is downloaded.
///
/// Without anything said it is what AVAssetDownloadTask takes: the best variant, and the renditions that would play by
/// themselves. A Media Playlist leaves no choice.
public struct BundleSelection: Sendable, Hashable, CustomStringConvertible {
    /// Which variants.
    public enum Variants: Sendable, Hashable {
        /// The best of those that fit, for each qualifier.
        case each([VariantQualifier])
        /// Every one of the pathway that a player begins with.
        case all
    }

    /// Which renditions, of the groups that the chosen variants name.
    public enum Renditions: Sendable, Hashable {
        /// Those that a player chooses if nobody says anything.
        case defaults
        /// The best for each language; what no language is given for, as with ``defaults``. A language is looked up as
        /// RFC 4647 says: `en` takes `en-GB`.
        case languages(audio: [String], subtitles: [String])
        /// Every one that fits a qualifier; of a type that no qualifier speaks of, as with ``defaults``.
        case matching([RenditionQualifier])
        /// Every one.
        case all
    }

    /// Which variants; the best one by default.
    public var variants = Variants.each([VariantQualifier()])
    /// Which renditions; ``Renditions/defaults`` by default.
    public var renditions = Renditions.defaults
    /// Whether the playlists of I-frames are taken, for trick play; false by default.
    public var includesIFrames = false

    /// Makes a selection.
    public init(
        variants: Variants = .each([VariantQualifier()]),
        renditions: Renditions = .defaults,
        includesIFrames: Bool = false
    ) {
        (self.variants, self.renditions, self.includesIFrames) = (variants, renditions, includesIFrames)
    }

    /// Everything there is.
    public static let all = BundleSelection(variants: .all, renditions: .all, includesIFrames: true)

    /// One line; the same for the same selection. A bundle keeps it.
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

/// Which variants fit; the best of them is meant, by the order of `VariantSelector`.
public struct VariantQualifier: Sendable, Hashable, CustomStringConvertible {
    /// The greatest BANDWIDTH in bits per second; nil: any.
    public var maximumBandwidth: UInt64?
    /// The greatest RESOLUTION; nil: any.
    public var maximumResolution: Resolution?
    /// How one of its CODECS begins, such as `hvc1`; nil: any.
    public var codec: String?

    /// Makes a qualifier; without anything said it is the best variant there is.
    public init(maximumBandwidth: UInt64? = nil, maximumResolution: Resolution? = nil, codec: String? = nil) {
        (self.maximumBandwidth, self.maximumResolution, self.codec) = (maximumBandwidth, maximumResolution, codec)
    }

    /// One line.
    public var description: String {
        let words = [
            maximumBandwidth.map { "up to \($0) bit/s" }, maximumResolution.map { "up to \($0)" },
            codec.map { "with \($0)" },
        ]
        return "the best variant" + words.compactMap { $0.map { " " + $0 } }.joined()
    }
}

/// Which renditions fit.
public struct RenditionQualifier: Sendable, Hashable, CustomStringConvertible {
    /// TYPE; nil: any.
    public var type: MediaTag.MediaType?
    /// GROUP-ID; nil: any.
    public var groupID: String?
    /// LANGUAGE, or what it begins with: `en` takes `en-GB`. Nil: any.
    public var language: String?

    /// Makes a qualifier.
    public init(type: MediaTag.MediaType? = nil, groupID: String? = nil, language: String? = nil) {
        (self.type, self.groupID, self.language) = (type, groupID, language)
    }

    /// Whether a rendition is meant.
    public func matches(_ rendition: MediaTag) -> Bool {
        if let type, rendition.type != type { return false }
        if let groupID, rendition.groupID != groupID { return false }
        guard let language = language?.lowercased() else { return true }
        let own = rendition.language?.lowercased() ?? ""
        return own == language || own.hasPrefix(language + "-")
    }

    /// One line.
    public var description: String {
        let words = [type?.rawValue, groupID.map { "group \($0)" }, language.map { "language \($0)" }].compactMap { $0 }
        return words.isEmpty ? "every rendition" : words.joined(separator: " ")
    }
}
