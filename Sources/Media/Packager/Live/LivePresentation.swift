import HLSPlaylist

/// A live presentation: the playlists of its renditions, the Multivariant Playlist and the DASH manifest. A state
/// machine without I/O.
///
///     segment written  ->  append  ->  the Multivariant Playlist, if it has changed
///                                      the rendition's playlists
///                                      the DASH manifest
///                                      deletions
///
/// The Multivariant Playlist is written once all renditions have a segment, so that it does not reference a missing
/// playlist. The manifest is written after the playlists: a run that continues another one starts with the numbers in
/// the playlists, and segments that are missing in the manifest are found in them.
struct LivePresentation: Sendable {
    private var renditions: [LiveRendition]
    private let options: PlaylistOptions
    private var descriptions: [Rendition]
    /// The keys that are announced before their use.
    private var announced: [KeyTag] = []
    private var published: MultivariantPlaylist?
    /// True if there are playlists; with only DASH there are none.
    private let hasPlaylists: Bool
    /// The DASH manifest; nil if none is written.
    private(set) var manifest: ManifestBuilder?

    /// Creates a presentation.
    ///
    /// - Parameters:
    ///   - renditions: The states of the renditions.
    ///   - descriptions: The descriptions of the renditions for the Multivariant Playlist and the manifest, in the same
    ///     order.
    ///   - manifest: The DASH manifest; nil for none.
    init(
        _ renditions: [LiveRendition],
        descriptions: [Rendition],
        options: PlaylistOptions,
        hasPlaylists: Bool = true,
        manifest: ManifestBuilder? = nil
    ) {
        self.renditions = renditions
        self.descriptions = descriptions
        self.options = options
        self.hasPlaylists = hasPlaylists
        self.manifest = manifest
    }

    /// The state of a rendition.
    subscript(rendition: Int) -> LiveRendition { renditions[rendition] }

    /// Replaces the description of a rendition: an input may be encoded differently after it reconnects.
    mutating func describe(_ rendition: Int, as description: Rendition) { descriptions[rendition] = description }

    /// Adds the next segment of a rendition.
    ///
    /// - Throws: ``JobFailure`` if the renditions do not match; `SignalingError`.
    mutating func append(_ segment: Rendition.Segment, to rendition: Int, now: PlaylistDate) throws -> [LiveAction] {
        let wasPublished = published != nil
        let playlists = renditions[rendition].append(
            segment,
            // A rendition without a track has no media to wait for.
            nextURI: segment.isGap ? nil : segment.followingURI,
            reports: reports(for: rendition),
            now: now
        )
        let main = try updateMultivariantPlaylist()
        let isChanged =
            try manifest?.append(
                segment,
                of: descriptions[rendition],
                at: rendition,
                bandwidth: renditions[rendition].bitRates.media.peak,
                now: now
            ) ?? false
        // Keys are announced before a playlist uses them; at the start there is no Multivariant Playlist for them yet.
        return (wasPublished ? main + playlists : playlists + main) + (isChanged ? replaceManifest : [])
            + renditions[rendition].expire(now)
    }

    /// Adds the next part of a rendition.
    ///
    /// - Parameters:
    ///   - open: The segment with the parts that are available.
    ///   - nextMap: The URI of the init segment of the next segment, if it has another one.
    /// - Throws: `SignalingError`.
    mutating func append(
        partOf open: Rendition.Segment,
        nextMap: String?,
        to rendition: Int,
        now: PlaylistDate
    ) throws -> [LiveAction] {
        renditions[rendition].update(open: open, nextMap: nextMap)
        // The key of a segment that has just been opened, if it arrived too late to be announced.
        let main = published == nil ? [] : try updateMultivariantPlaylist()
        let playlist = renditions[rendition].replacement(reports(for: rendition))
        let isChanged =
            try manifest?.append(
                open,
                of: descriptions[rendition],
                at: rendition,
                bandwidth: renditions[rendition].bitRates.media.peak,
                now: now
            ) ?? false
        return main + playlist + (isChanged ? replaceManifest : [])
    }

    /// Returns the reports about the other renditions that have segments or parts.
    private func reports(for rendition: Int) -> [RenditionReportTag] {
        guard renditions[rendition].media.lowLatency != nil else { return [] }
        return renditions.indices.filter { $0 != rendition }.compactMap { renditions[$0].report }
    }

    /// Announces keys before their use.
    mutating func announce(_ keys: [KeyTag]) throws -> [LiveAction] {
        announced = keys
        return try updateMultivariantPlaylist()
    }

    /// Marks the presentation as complete.
    ///
    /// - Throws: `SignalingError`.
    mutating func end(now: PlaylistDate) throws -> [LiveAction] {
        let playlists = renditions.indices.flatMap { renditions[$0].end() }
        // Nothing is encrypted any more with the keys that were announced for later.
        announced = []
        return playlists + (published == nil ? [] : try updateMultivariantPlaylist())
            + (try manifest?.finish(now: now) == true ? replaceManifest : [])
    }

    private var replaceManifest: [LiveAction] { manifest.map { [.replaceManifest($0.manifest)] } ?? [] }

    private mutating func updateMultivariantPlaylist() throws -> [LiveAction] {
        guard hasPlaylists, renditions.allSatisfy({ !$0.media.segments.isEmpty }) else { return [] }
        let drafts = zip(renditions, descriptions).map { state, description in
            PresentationPlaylists.Draft(
                rendition: description,
                keys: state.media.keys,
                bitRate: state.bitRates.media,
                iFrameBitRate: state.iFrames?.segments.isEmpty == false ? state.bitRates.iFrames : nil
            )
        }
        var main = try MultivariantPlaylist(drafts, options)
        var known = Set(main.sessionKeys.map(\.key))
        main.sessionKeys += announced.filter { known.insert($0).inserted }.map { SessionKeyTag($0) }
        guard main != published else { return [] }
        published = main
        return [.replaceMain(main)]
    }
}
