import HLSPlaylist

/// A presentation without an end: the playlists of its renditions, the Multivariant Playlist and the DASH manifest. A state
/// machine without I/O.
///
///     segment written  ->  append  ->  the Multivariant Playlist, when it says something new
///                                      the rendition's playlists
///                                      the DASH manifest
///                                      deletions
///
/// The Multivariant Playlist comes when all renditions have a segment, so that it names no playlist that is not there. The
/// manifest comes behind the playlists: a run that goes on begins with the numbers that playlists say, and what the
/// manifest lacks is found in them.
struct LivePresentation: Sendable {
    private var renditions: [LiveRendition]
    private let options: PlaylistOptions
    private var descriptions: [Rendition]
    /// Keys that will be needed soon.
    private var announced: [KeyTag] = []
    private var stated: MultivariantPlaylist?
    /// Whether there are playlists; with DASH alone there are none.
    private let hasPlaylists: Bool
    /// Nil: there is none.
    private(set) var manifest: LiveManifest?

    /// Prepares a presentation.
    ///
    /// - Parameters:
    ///   - renditions: Their states.
    ///   - descriptions: What the Multivariant Playlist and the manifest say of them, in the same order.
    ///   - manifest: The DASH manifest as far as there is one.
    init(
        _ renditions: [LiveRendition],
        descriptions: [Rendition],
        options: PlaylistOptions,
        hasPlaylists: Bool = true,
        manifest: LiveManifest? = nil
    ) {
        self.renditions = renditions
        self.descriptions = descriptions
        self.options = options
        self.hasPlaylists = hasPlaylists
        self.manifest = manifest
    }

    /// The state of a rendition.
    subscript(rendition: Int) -> LiveRendition { renditions[rendition] }

    /// Says anew what a rendition is: an input that came again may be coded otherwise.
    mutating func describe(_ rendition: Int, as description: Rendition) { descriptions[rendition] = description }

    /// Takes the next segment of a rendition.
    ///
    /// - Throws: ``JobFailure`` when renditions do not go together; `SignalingError`.
    mutating func append(_ segment: LiveSegment, to rendition: Int, now: PlaylistDate) throws -> [LiveAction] {
        let wasStated = stated != nil
        let playlists = renditions[rendition].append(segment, now: now)
        let main = try restate()
        let isChanged =
            try manifest?.append(
                segment,
                of: descriptions[rendition],
                at: rendition,
                bandwidth: renditions[rendition].bitRates.media.peak,
                now: now
            ) ?? false
        // Keys are announced before a playlist names them; at first there is nothing to be announced in.
        return (wasStated ? main + playlists : playlists + main) + (isChanged ? replaceManifest : [])
            + renditions[rendition].expire(now)
    }

    /// Announces keys that will be needed soon.
    mutating func announce(_ keys: [KeyTag]) throws -> [LiveAction] {
        announced = keys
        return try restate()
    }

    /// Says that no segment will be added.
    ///
    /// - Throws: `SignalingError`.
    mutating func end(now: PlaylistDate) throws -> [LiveAction] {
        let playlists = renditions.indices.flatMap { renditions[$0].end() }
        return playlists + (try manifest?.finish(now: now) == true ? replaceManifest : [])
    }

    private var replaceManifest: [LiveAction] { manifest.map { [.replaceManifest($0.manifest)] } ?? [] }

    private mutating func restate() throws -> [LiveAction] {
        guard hasPlaylists, renditions.allSatisfy({ !$0.media.entries.isEmpty }) else { return [] }
        var drafts: [PresentationPlaylists.Draft] = []
        for (state, description) in zip(renditions, descriptions) {
            var draft = PresentationPlaylists.Draft(
                rendition: description,
                keys: state.keys,
                playlist: MediaPlaylist(targetDuration: state.media.targetDuration),
                iFrames: state.iFrames?.entries.isEmpty == false
                    ? MediaPlaylist(targetDuration: state.media.targetDuration) : nil
            )
            (draft.bitRate, draft.iFrameBitRate) = state.bitRates
            drafts.append(draft)
        }
        var main = try MultivariantPlaylist(drafts, options)
        var known = Set(main.sessionKeys.map(\.key))
        main.sessionKeys += announced.filter { known.insert($0).inserted }.map { SessionKeyTag($0) }
        guard main != stated else { return [] }
        stated = main
        return [.replaceMain(main)]
    }
}
