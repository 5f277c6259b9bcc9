import HLSPlaylist

/// Whether the playlists that a server gives out now are those of a bundle, but for the queries of their URLs; and if so,
/// the bundle with the new addresses. A value.
///
/// Signed URLs end: with them a film that was begun yesterday cannot be finished today. Its playlists, loaded anew, name the
/// same files under URLs that hold again.
///
/// | Of the bundle and of the new plan | Must be the same |
/// |---|---|
/// | files: how many, their names, the byte ranges | yes |
/// | files: scheme, host and path of the URL | yes: another path is another film, or another version of it |
/// | files: query of the URL | no |
/// | playlists: what they are of, every line and tag | yes |
/// | playlists: queries in quoted attributes, EXT-X-DEFINE | no |
struct Redelivery {
    /// The bundle with its new addresses; what is known of complete files stays.
    let description: BundleDescription
    /// Local playlists that differ from those in the folder.
    let playlists: [(file: String, bytes: [UInt8])]

    /// Compares.
    ///
    /// - Parameters:
    ///   - known: the bundle as it is.
    ///   - local: the bytes of its playlists by their names; those that are damaged are not there, and not compared.
    ///   - plan: of the playlists that the server gives out now.
    ///   - url: where these were asked for.
    /// - Throws: ``DownloadError`` `changed-on-server`.
    init(
        _ known: BundleDescription,
        local: [String: [UInt8]],
        plan: BundlePlan,
        from url: String
    ) throws(DownloadError) {
        let files = known.resources
        guard files.count == plan.resources.count, known.playlists.count == plan.playlists.count else {
            throw Self.changed(url, "it has other playlists or files")
        }
        var description = known
        for (index, resource) in plan.resources.enumerated() {
            let old = files[index]
            guard old.file == resource.file, old.range == resource.range,
                URLAddress.withoutQuery(old.url) == URLAddress.withoutQuery(resource.url)
            else { throw Self.changed(resource.url, "it stands where another file was") }
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
                throw Self.changed(new.playlist.url, "it stands where another playlist was")
            }
            guard let bytes = local[old.file] else {
                playlists.append((old.file, new.bytes))
                continue
            }
            guard bytes != new.bytes else { continue }
            guard Self.shape(bytes) == Self.shape(new.bytes) else {
                throw Self.changed(new.playlist.url, "it is another one than when the download began")
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
            "\(what): the film was changed on the server, download it into another folder"
        )
    }

    /// A playlist without what a new signature changes.
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

/// URLs as far as their parts go.
enum URLAddress {
    /// Scheme, host and path: what stays when a URL is signed anew.
    static func withoutQuery(_ url: String) -> Substring { url.prefix { $0 != "?" && $0 != "#" } }
}
