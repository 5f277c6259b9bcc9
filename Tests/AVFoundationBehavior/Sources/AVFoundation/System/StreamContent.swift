import Foundation

/// A presentation on a server or in a package, as far as keys and downloads concern it.
package struct StreamContent: Hashable, Codable, Sendable {
    /// An EXT-X-KEY or EXT-X-SESSION-KEY tag.
    package struct Key: Hashable, Codable, Sendable {
        /// METHOD and KEYFORMAT together: FairPlay, or AES-128 with KEYFORMAT identity.
        package enum Method: String, Hashable, Codable, Sendable { case fairPlay, aes128 }
        package var uri: String
        package var method: Method
        /// KEYFORMATVERSIONS.
        package var versions: [Int]
        /// The part of the presentation that needs the key, in seconds; nil for all of it.
        package var range: Range<Double>?

        package init(
            _ uri: String,
            method: Method = .fairPlay,
            versions: [Int] = [1],
            range: Range<Double>? = nil
        ) {
            (self.uri, self.method, self.versions, self.range) = (uri, method, versions, range)
        }

        func isNeeded(at seconds: Double) -> Bool { range?.contains(seconds) ?? true }
    }

    /// A variant: video, with audio if no rendition has it.
    package struct Variant: Hashable, Codable, Sendable {
        package var name: String
        package var peakBitRate: Double
        package var height: Double
        package var keys: [Key]

        package init(_ name: String = "v1", peakBitRate: Double = 1_000_000, height: Double = 720, keys: [Key] = []) {
            (self.name, self.peakBitRate, self.height, self.keys) = (name, peakBitRate, height, keys)
        }
    }

    /// A rendition that can be selected.
    package struct Rendition: Hashable, Codable, Sendable {
        package enum Kind: String, Hashable, Codable, Sendable, CaseIterable { case audio, subtitles, video }
        package var name: String
        package var kind: Kind
        package var language: String?
        package var isDefault: Bool
        package var keys: [Key]

        package init(
            _ name: String,
            kind: Kind = .audio,
            language: String? = nil,
            isDefault: Bool = false,
            keys: [Key] = []
        ) {
            (self.name, self.kind, self.language, self.isDefault, self.keys) = (name, kind, language, isDefault, keys)
        }
    }

    /// An interstitial: another asset that interrupts this one.
    package struct Interstitial: Hashable, Codable, Sendable {
        /// The start in seconds of this presentation.
        package var start: Double
        package var url: URL
        package init(at start: Double, url: URL) { (self.start, self.url) = (start, url) }
    }

    /// The selected renditions: at most one of each kind.
    package struct Selection: Hashable, Codable, Sendable {
        private var renditions: [Rendition.Kind: Rendition] = [:]
        package init() {}
        package subscript(kind: Rendition.Kind) -> Rendition? {
            get { renditions[kind] }
            set { renditions[kind] = newValue }
        }
        package var all: [Rendition] { Rendition.Kind.allCases.compactMap { renditions[$0] } }
    }

    /// The duration in seconds; nil for a live presentation.
    package var duration: Double?
    package var variants: [Variant]
    package var renditions: [Rendition]
    /// The keys of EXT-X-SESSION-KEY tags.
    package var sessionKeys: [Key]
    package var interstitials: [Interstitial]

    package init(
        duration: Double? = 60,
        variants: [Variant] = [Variant()],
        renditions: [Rendition] = [],
        sessionKeys: [Key] = [],
        interstitials: [Interstitial] = []
    ) {
        (self.duration, self.variants, self.renditions) = (duration, variants, renditions)
        (self.sessionKeys, self.interstitials) = (sessionKeys, interstitials)
    }

    /// A presentation with one variant that needs one FairPlay key.
    package static func protected(_ uri: String, duration: Double? = 60) -> StreamContent {
        StreamContent(duration: duration, variants: [Variant(keys: [Key(uri)])])
    }

    /// True if any part needs a key.
    package var isProtected: Bool {
        !sessionKeys.isEmpty || variants.contains { !$0.keys.isEmpty } || renditions.contains { !$0.keys.isEmpty }
    }

    /// The renditions that the system selects: the default of each kind, otherwise the first audio rendition.
    var automaticSelection: Selection {
        var selection = Selection()
        for kind in Rendition.Kind.allCases {
            let choices = renditions.filter { $0.kind == kind }
            selection[kind] = choices.first(where: \.isDefault) ?? (kind == .audio ? choices.first : nil)
        }
        return selection
    }

    /// The keys of a variant and selected renditions, each URI and range once.
    func keys(_ variant: Variant?, _ selections: [Selection]) -> [Key] {
        var keys: [Key] = []
        for key in (variant?.keys ?? []) + selections.flatMap({ $0.all.flatMap(\.keys) }) where !keys.contains(key) {
            keys.append(key)
        }
        return keys
    }
}
