public import HLSPlaylist

/// A presentation with everything that was measured in it.
public struct MeasuredPresentation: Sendable {
    /// The Multivariant Playlist; nil if only a Media Playlist was validated.
    public var multivariant: LintFile?
    /// The Media Playlists, each once, in the order of the tags that first refer to them: variants, renditions, I-frame
    /// variants.
    public var renditions: [MeasuredRendition]
    /// The Media Playlists that could not be loaded.
    public var missing: [MissingPlaylist] = []
    /// True if segments were left out because the validation had loaded as many bytes as it may.
    public var isCutOff = false
    /// The violations that ``StreamWatch`` observed while the presentation changed; one for each rule and playlist.
    public var observations: [ValidationFinding] = []
    /// The violations of rules for playlists in earlier snapshots and their changes; one for each rule and playlist.
    public var playlistObservations: [LintFinding] = []
    /// The observations of the HTTP response with the Multivariant Playlist; nil for files.
    public var http: HTTPObservation?
    /// The observations of the hosts that deliver over TLS; without those of which nothing is known.
    public var tls: [TLSHost: TLSObservation] = [:]
    /// The keys that the presentation refers to, with their licenses; empty if no key was requested.
    public var keys: [MeasuredKey] = []

    /// The session data, steering manifests and asset lists.
    public var references: [MeasuredReference] = []
    /// The interstitials, each once.
    public var interstitials: [MeasuredInterstitial] = []

    /// A Media Playlist that could not be loaded.
    public struct MissingPlaylist: Hashable, Sendable {
        /// The resolved URI.
        public var uri: String
        /// The line of the first tag that refers to it.
        public var line: Int
        /// The reason, as a part of a sentence.
        public var reason: String
    }

    /// Creates a presentation.
    public init(multivariant: LintFile?, renditions: [MeasuredRendition]) {
        self.multivariant = multivariant
        self.renditions = renditions
    }

    /// The parsed Multivariant Playlist.
    public var playlist: MultivariantPlaylist? {
        if case .multivariant(let playlist)? = multivariant?.playlist { playlist } else { nil }
    }

    /// The renditions that are variants, or the only one.
    public var variants: [MeasuredRendition] {
        multivariant == nil ? renditions : renditions.filter { !$0.roles.variants.isEmpty }
    }

    /// Returns the audio renditions with Media Playlists that a variant can be played with.
    public func audio(of variant: Variant) -> [MeasuredRendition] { renditions(.audio, of: variant) }

    /// Returns the renditions of a type with Media Playlists that a variant can be played with.
    func renditions(_ type: MediaTag.MediaType, of variant: Variant) -> [MeasuredRendition] {
        let group: String? =
            switch type {
            case .audio: variant.streamInf.audio
            case .video: variant.streamInf.attributes.video
            case .subtitles: variant.streamInf.subtitles
            default: nil
            }
        guard let group else { return [] }
        return renditions.filter { rendition in
            rendition.roles.renditions.contains { $0.tag.type == type && $0.tag.groupID == group }
        }
    }
}
