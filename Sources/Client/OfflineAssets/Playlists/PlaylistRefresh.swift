import HLSPlaylist

/// A comparison of the server's current playlists with those of a bundle, ignoring the queries of URLs; if they match,
/// it contains the bundle with the new URLs.
///
/// Signed URLs expire, so that a download that was started yesterday could not be finished today. The reloaded
/// playlists contain the same files under valid URLs.
///
/// | Part of the bundle and of the new plan | Must be equal |
/// |---|---|
/// | files: number, names, byte ranges | yes |
/// | files: scheme, host and path of the URL | yes: another path is other content or another version |
/// | files: query of the URL | no |
/// | playlists: kind, every line and tag | yes |
/// | playlists: queries in quoted attributes, EXT-X-DEFINE | no |
struct PlaylistRefresh {
    /// The bundle with its new URLs; the contents of complete files are kept.
    let description: BundleDescription
    /// The local playlists that differ from those in the folder.
    let playlists: [(file: String, bytes: [UInt8])]

    /// Compares the bundle with a new plan.
    ///
    /// - Parameters:
    ///   - known: The current description of the bundle.
    ///   - local: The bytes of the bundle's playlists by name; damaged playlists are omitted and not compared.
    ///   - plan: The plan of the server's current playlists.
    ///   - url: The URL of these playlists.
    /// - Throws: ``DownloadError`` `changed-on-server`.
    init(
        _ known: BundleDescription,
        local: [String: [UInt8]],
        plan: BundlePlan,
        from url: String
    ) throws(DownloadError) {
        let files = known.resources
        guard files.count == plan.resources.count, known.playlists.count == plan.playlists.count else {
            throw Self.changed(url, "the number of playlists or files has changed")
        }
        var description = known
        for (index, resource) in plan.resources.enumerated() {
            let old = files[index]
            guard old.file == resource.file, old.range == resource.range,
                URLAddress.withoutQuery(old.url) == URLAddress.withoutQuery(resource.url)
            else { throw Self.changed(resource.url, "a file is in the position of another file") }
            description.resources[index] = BundleResource(
                file: old.file,
                url: resource.url,
                range: old.range,
                content: old.content
            )
        }
        var playlists: [(file: String, bytes: [UInt8])] = []
        for (old, new) in zip(known.playlists, plan.playlists) {
            guard old.file == new.playlist.file, old.kind == new.playlist.kind else {
                throw Self.changed(new.playlist.url, "a playlist is in the position of another playlist")
            }
            guard let bytes = local[old.file] else {
                playlists.append((old.file, new.bytes))
                continue
            }
            guard bytes != new.bytes else { continue }
            guard Self.shape(bytes) == Self.shape(new.bytes) else {
                throw Self.changed(new.playlist.url, "the playlist has changed since the download started")
            }
            playlists.append((old.file, new.bytes))
        }
        description.playlists = plan.playlists.map(\.playlist)
        description.summary.originalURL = url
        description.summary.keys = plan.keyIdentifiers
        (self.description, self.playlists) = (description, playlists)
    }

    private static func changed(_ url: String, _ what: String) -> DownloadError {
        DownloadError(
            .changedOnServer,
            url: url,
            "\(what): the content has changed on the server, download it into another folder"
        )
    }

    /// Returns a playlist without the parts that a new signature changes.
    static func shape(_ playlist: [UInt8]) -> [UInt8] {
        var shape: [UInt8] = []
        shape.reserveCapacity(playlist.count)
        for line in playlist.split(separator: 0x0A) where !line.starts(with: "#EXT-X-DEFINE:".utf8) {
            let isTag = line.starts(with: "#EXT".utf8)
            var (isQuoted, isQuery) = (false, false)
            for byte in line {
                switch byte {
                case 0x22: (isQuoted, isQuery) = (!isQuoted, false)
                case 0x3F where isTag && isQuoted: isQuery = true
                default: break
                }
                if !isQuery { shape.append(byte) }
            }
            shape.append(0x0A)
        }
        return shape
    }
}

/// Functions for parts of URLs.
enum URLAddress {
    /// Returns scheme, host and path, which a new signature does not change.
    static func withoutQuery(_ url: String) -> Substring { url.prefix { $0 != "?" && $0 != "#" } }
}
