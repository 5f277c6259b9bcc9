import ContentKeySession
import FPSCrypto
import HLSPlaylist
import StreamPlayer
import TextCoding

/// The plan of a download: its local playlists, files and keys, computed from the playlists of a presentation.
struct BundlePlan: Sendable {
    /// The local playlists with their bytes; the first is `main.m3u8`.
    let playlists: [(playlist: BundlePlaylist, bytes: [UInt8])]
    /// The files, in download order.
    let resources: [BundleResource]
    /// The keys, grouped by the content that they decrypt.
    let keys: [[DownloadKey]]
    /// The duration of the longest playlist, in seconds.
    let duration: Double
    /// The identifiers of the keys, without duplicates.
    var keyIdentifiers: [String] {
        var known: Set<String> = []
        return keys.joined().map(\.identifier).filter { known.insert($0).inserted }
    }

    /// Plans a download.
    ///
    /// - Throws: ``DownloadError`` `live`, `playlist` or `limit`.
    init(_ presentation: AssetPlaylists, limits: DownloadLimits) throws(DownloadError) {
        guard presentation.media.count <= limits.playlists else {
            throw DownloadError(
                .limit,
                "playlists",
                "the presentation has more than \(limits.playlists) Media Playlists"
            )
        }
        var table = ResourceTable()
        var keys = KeyGroups()
        for media in presentation.media {
            try Self.check(media, limits)
            try LocalMediaPlaylist.gather(media, into: &table, &keys)
            guard table.count <= limits.resources else {
                throw DownloadError(.limit, url: media.url, "the presentation has more than \(limits.resources) files")
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
            throw DownloadError(.limit, "media", "the media are larger than \(limits.bytes) bytes")
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

    private static func check(_ media: AssetPlaylists.Media, _ limits: DownloadLimits) throws(DownloadError) {
        let playlist = media.playlist
        guard playlist.isEnded else {
            throw DownloadError(
                .live,
                url: media.url,
                "the playlist has no EXT-X-ENDLIST, so the stream is live, or its playlist was cut off"
            )
        }
        guard playlist.skip == nil else {
            throw DownloadError(.playlist, url: media.url, "the playlist is a delta update, which omits segments")
        }
        guard !playlist.segments.isEmpty else {
            throw DownloadError(.playlist, url: media.url, "the playlist has no segments")
        }
        guard playlist.segments.count <= limits.segments else {
            throw DownloadError(.limit, url: media.url, "the playlist has more than \(limits.segments) segments")
        }
        guard playlist.duration.isFinite, playlist.duration < 1e9 else {
            throw DownloadError(.limit, url: media.url, "the playlist is longer than 30 years")
        }
    }
}

/// The keys of a presentation, without duplicates, in the order in which they are needed, grouped by the content that
/// they decrypt.
struct KeyGroups {
    private(set) var groups: [[DownloadKey]] = []
    private var known: Set<[DownloadKey]> = []
    private(set) var identifiers: Set<String> = []

    /// Adds the keys of an EXT-X-KEY context.
    mutating func add(_ context: KeyContext, base: String) {
        let group = context.keys.compactMap { tag in
            Self.identifier(of: tag, base: base).map { Self.key(tag, identifier: $0) }
        }
        guard !group.isEmpty else { return }
        identifiers.formUnion(group.map(\.identifier))
        if known.insert(group).inserted { groups.append(group) }
    }

    private static func key(_ tag: KeyTag, identifier: String) -> DownloadKey {
        guard tag.keyFormat == .identity, let uri = tag.uri, DataURI.isDataURI(uri) else {
            return DownloadKey(identifier: identifier, tag: tag)
        }
        var tag = tag
        tag.uri = identifier
        return DownloadKey(identifier: identifier, tag: tag, inlineKey: InlineKey.key(in: uri) ?? RedactedBytes([]))
    }

    /// Returns the identifier of a tag's key for a content key session; nil if the tag has no URI.
    static func identifier(of tag: KeyTag, base: String) -> String? {
        tag.uri.map { uri in
            // A FairPlay key URI is an identifier, not an address.
            guard tag.keyFormat == .identity, !InlineKey.isName(uri) else { return uri }
            return DataURI.isDataURI(uri) ? InlineKey.name(of: uri) : URIReference.resolve(uri, against: base)
        }
    }
}
