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
    /// The observations of the HTTP response with the Multivariant Playlist; nil for files.
    public var http: HTTPObservation?
    /// The keys that the presentation refers to, with their licenses; empty if no key was requested.
    public var keys: [MeasuredKey] = []

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
    public func audio(of variant: Variant) -> [MeasuredRendition] {
        guard let group = variant.streamInf.audio else { return [] }
        return renditions.filter { rendition in
            rendition.roles.renditions.contains { $0.tag.type == .audio && $0.tag.groupID == group }
        }
    }
}
