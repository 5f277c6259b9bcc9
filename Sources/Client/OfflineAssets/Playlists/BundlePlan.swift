import FPSCrypto
import HLSPlaylist
import StreamPlayer

/// What a download has to fetch, and the playlists that will name it: a value, made of the playlists of a presentation.
struct BundlePlan: Sendable {
    /// The local playlists with their bytes; `main.m3u8` is the first.
    let playlists: [(playlist: BundlePlaylist, bytes: [UInt8])]
    /// The files, in the order in which they are to be fetched.
    let resources: [BundleResource]
    /// The keys, grouped by what they unlock.
    let keys: [[DownloadKey]]
    /// The length of the longest playlist, in seconds.
    let duration: Double
    /// What the keys are called, each once.
    var keyIdentifiers: [String] {
        var known: Set<String> = []
        return keys.joined().map(\.identifier).filter { known.insert($0).inserted }
    }

    /// Plans a download.
    ///
    /// - Throws: ``DownloadError`` `live`, `playlist`, `limit`.
    init(_ presentation: PresentationPlaylists, limits: DownloadLimits) throws(DownloadError) {
        guard presentation.media.count <= limits.playlists else {
            throw DownloadError(.limit, "playlists", "there are more than \(limits.playlists) Media Playlists")
        }
        var table = ResourceTable()
        var keys = KeyGroups()
        for media in presentation.media {
            try Self.check(media, limits)
            try LocalMediaPlaylist.gather(media, into: &table, &keys)
            guard table.count <= limits.resources else {
                throw DownloadError(.limit, url: media.url, "there are more than \(limits.resources) files")
            }
        }
        table.makeResources()
        let known = table.resources.reduce(UInt64(0)) { sum, resource in
            let (more, overflow) = sum.addingReportingOverflow(
                resource.range.map { $0.upperBound - $0.lowerBound } ?? 0
            )
            return overflow ? .max : more
        }
        guard known <= limits.bytes else {
            throw DownloadError(.limit, "media", "they are larger than \(limits.bytes) bytes")
        }
        var local: [(playlist: BundlePlaylist, bytes: [UInt8])] = []
        if let (playlist, url, choice) = presentation.multivariant {
            let bytes = try LocalMultivariantPlaylist.write(playlist, url, choice, presentation.media, keys)
            local.append(
                (.init(file: "main.m3u8", url: url, kind: .multivariant, label: "", sha256: SHA256.hash(bytes)), bytes)
            )
        }
        for media in presentation.media {
            let bytes = try LocalMediaPlaylist.write(media, table)
            let file = presentation.multivariant == nil ? "main.m3u8" : "\(media.name).m3u8"
            let sha256 = SHA256.hash(bytes)
            local.append(
                (.init(file: file, url: media.url, kind: media.kind, label: media.label, sha256: sha256), bytes)
            )
        }
        playlists = local
        resources = table.resources
        self.keys = keys.groups
        duration = presentation.media.map(\.playlist.duration).max() ?? 0
    }

    private static func check(_ media: PresentationPlaylists.Media, _ limits: DownloadLimits) throws(DownloadError) {
        let playlist = media.playlist
        guard playlist.isEnded else {
            throw DownloadError(
                .live,
                url: media.url,
                "the playlist has no EXT-X-ENDLIST: the stream is live, and can be downloaded when it is over"
            )
        }
        guard playlist.skip == nil else {
            throw DownloadError(.playlist, url: media.url, "it is a delta update, which leaves out segments")
        }
        guard !playlist.segments.isEmpty else {
            throw DownloadError(.playlist, url: media.url, "it has no segments")
        }
        guard playlist.segments.count <= limits.segments else {
            throw DownloadError(.limit, url: media.url, "it has more than \(limits.segments) segments")
        }
        guard playlist.duration.isFinite, playlist.duration < 1e9 else {
            throw DownloadError(.limit, url: media.url, "it is longer than 30 years")
        }
    }
}

/// The keys of a presentation, each once, in the order in which they are needed, grouped by what they unlock.
struct KeyGroups {
    private(set) var groups: [[DownloadKey]] = []
    private var known: Set<[DownloadKey]> = []
    private(set) var identifiers: Set<String> = []

    /// Adds the keys that apply at one place of a playlist.
    mutating func add(_ context: KeyContext, base: String) {
        let group = context.keys.compactMap { tag in
            Self.identifier(of: tag, base: base).map { DownloadKey(identifier: $0, tag: tag) }
        }
        guard !group.isEmpty else { return }
        identifiers.formUnion(group.map(\.identifier))
        if known.insert(group).inserted { groups.append(group) }
    }

    /// What a content key session calls the key of a tag; nil where the tag has no URI.
    static func identifier(of tag: KeyTag, base: String) -> String? {
        // A FairPlay key's URI is a name, and no address.
        tag.uri.map { tag.keyFormat == .identity ? URIReference.resolve($0, against: base) : $0 }
    }
}
