import Foundation
import HLSPlaylist
import ToolSupport

/// A loader of playlists from files and from the web.
struct PlaylistLoader: Sendable {
    /// The timeout of a request, in seconds.
    var timeout = 30.0
    /// The HTTP client.
    var client = WebClient()
    /// The URL that playlists in files and in standard input were saved from.
    var savedFrom: URL?
    /// The variables that Media Playlists on the command line import; nil for none.
    var variables: [String: String]?
    /// The folder that must contain the files that a playlist references; nil for the folder of that playlist.
    var root: String?
    /// The maximum size of a playlist, in bytes.
    var limit = PlaylistLimits().bytes

    /// A loaded playlist.
    struct Loaded: Sendable {
        /// The location of the playlist; on the web, after redirections.
        let location: PlaylistLocation
        let bytes: [UInt8]
        /// A note about the delivery of the playlist.
        var note: String?
    }

    /// Loads a playlist from the command line.
    func load(_ location: PlaylistLocation) async throws(CommandFailure) -> Loaded {
        switch location {
        case .standardInput:
            return Loaded(location: origin(of: location), bytes: try InputFile.read("-", maximum: limit))
        case .file(let path):
            return Loaded(location: origin(of: location), bytes: try InputFile.read(path, maximum: limit))
        case .web(let url):
            do {
                return try await fetch(url, limit)
            } catch {
                throw .file("cannot read \(location.name): \(error.reason)", next: "check the URL and the server")
            }
        }
    }

    private func origin(of location: PlaylistLocation) -> PlaylistLocation {
        savedFrom.map { .web($0) } ?? location
    }

    /// Returns the options to parse a playlist on the command line.
    func options(for loaded: Loaded) -> ParsingOptions {
        ParsingOptions(
            url: loaded.location.isRemote ? loaded.location.base : nil,
            importedVariables: variables
        )
    }

    /// Loads a playlist that another playlist references.
    ///
    /// - Parameters:
    ///   - uri: The URI of the playlist, resolved.
    ///   - parent: The location of the playlist that contains the URI.
    ///   - limit: The maximum size, in bytes.
    func load(_ uri: String, from parent: PlaylistLocation, limit: Int) async throws(PlaylistLocation.Refusal) -> Loaded
    {
        let location = try parent.child(uri)
        switch location {
        case .web(let url):
            do {
                return try await fetch(url, limit)
            } catch {
                throw .init(reason: error.reason)
            }
        case .file(let path):
            try requireBelowRoot(path, parent)
            do {
                return Loaded(location: location, bytes: try InputFile.readRegular(path, maximum: limit))
            } catch {
                throw .init(reason: error.what)
            }
        case .standardInput: throw .init(reason: "a playlist cannot reference standard input")
        }
    }

    /// Requires that a file is in the allowed folder: a playlist must not give access to other files of this machine.
    func requireBelowRoot(_ path: String, _ parent: PlaylistLocation) throws(PlaylistLocation.Refusal) {
        var folder = "."
        if case .file(let file) = parent { folder = (file as NSString).deletingLastPathComponent }
        let allowed = realPath(root ?? (folder.isEmpty ? "." : folder))
        guard let real = realPath(path) else { throw .init(reason: lastSystemError()) }
        guard let allowed, real.hasPrefix(allowed.hasSuffix("/") ? allowed : allowed + "/") else {
            throw .init(
                reason: root == nil
                    ? "the file is outside the folder of the playlist that references it; allow a larger folder with --root"
                    : "the file is outside the folder that --root specifies"
            )
        }
    }

    private func realPath(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }

    func fetch(_ url: URL, _ limit: Int) async throws(HTTPDownload.Failure) -> Loaded {
        let response = try await HTTPDownload.get(url, limit: limit, timeout: timeout, by: client)
        var loaded = Loaded(location: .web(response.url), bytes: response.bytes)
        loaded.note = Self.note(contentType: response.contentType, url: response.url)
        return loaded
    }

    /// Returns a note if neither the Content-Type nor the path identifies a playlist (section 4).
    private static func note(contentType: String?, url: URL) -> String? {
        let type = contentType?.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased() ?? ""
        let isPlaylist = [
            "application/vnd.apple.mpegurl", "audio/mpegurl", "application/x-mpegurl", "audio/x-mpegurl",
        ].contains(type)
        let path = url.path.lowercased()
        guard !isPlaylist, !path.hasSuffix(".m3u8"), !path.hasSuffix(".m3u") else { return nil }
        let found = type.isEmpty ? "no Content-Type" : "the Content-Type \(PlaylistText.printable(type, limit: 60))"
        return "\(found), and a path that does not end in .m3u8: players may not recognize it as a playlist"
    }
}
