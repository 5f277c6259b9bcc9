import HLSPlaylist

/// A presentation without an end: the playlists of its renditions, and the Multivariant Playlist. A state machine without
/// I/O.
///
///     segment written  ->  append  ->  the Multivariant Playlist, when it says something new
///                                      the rendition's playlists
///                                      deletions
///
/// The Multivariant Playlist comes when all renditions have a segment, so that it names no playlist that is not there.
struct LivePresentation: Sendable {
    private var renditions: [LiveRendition]
    private let options: PlaylistOptions
    private var descriptions: [Rendition]
    /// Keys that will be needed soon.
    private var announced: [KeyTag] = []
    private var stated: MultivariantPlaylist?

    /// Prepares a presentation.
    ///
    /// - Parameters:
    ///   - renditions: Their states.
    ///   - descriptions: What the Multivariant Playlist says of them, in the same order.
    init(_ renditions: [LiveRendition], descriptions: [Rendition], options: PlaylistOptions) {
        self.renditions = renditions
        self.descriptions = descriptions
        self.options = options
    }

    /// The state of a rendition.
    subscript(rendition: Int) -> LiveRendition { renditions[rendition] }

    /// Says anew what a rendition is: an input that came again may be coded otherwise.
    mutating func describe(_ rendition: Int, as description: Rendition) { descriptions[rendition] = description }

    /// Takes the next segment of a rendition.
    ///
    /// - Throws: ``JobFailure`` when renditions do not go together.
    mutating func append(_ segment: LiveSegment, to rendition: Int, now: PlaylistDate) throws -> [LiveAction] {
        let wasStated = stated != nil
        let actions = renditions[rendition].append(segment, now: now)
        let main = try restate()
        // Keys are announced before a playlist names them; at first there is nothing to be announced in.
        return wasStated ? main + actions : actions + main
    }

    /// Announces keys that will be needed soon.
    mutating func announce(_ keys: [KeyTag]) throws -> [LiveAction] {
        announced = keys
        return try restate()
    }

    /// Says that no segment will be added.
    mutating func end() -> [LiveAction] { renditions.indices.flatMap { renditions[$0].end() } }

    private mutating func restate() throws -> [LiveAction] {
        guard renditions.allSatisfy({ !$0.media.entries.isEmpty }) else { return [] }
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
