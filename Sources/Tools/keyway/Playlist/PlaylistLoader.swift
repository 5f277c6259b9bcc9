import Foundation
import HLSPlaylist

/// Reads playlists from files and from the web.
struct PlaylistLoader: Sendable {
    /// How long one answer may take, in seconds.
    var timeout = 30.0
    /// Headers of HTTP requests; they go to ``origins`` alone.
    var headers: [String: String] = [:]
    /// The hosts that the user has named, each with the Authorization header that a name and password in its URL make.
    var origins: [String: String?] = [:]
    /// Files that a playlist names must lie below this folder; nil for the folder of that playlist.
    var root: String?
    /// The greatest size of a playlist, in bytes.
    var limit = PlaylistLimits().bytes

    /// A playlist as it came.
    struct Loaded: Sendable {
        /// Where it was found; on the web, after redirections.
        let location: PlaylistLocation
        let bytes: [UInt8]
        /// What is odd about how it came, to stand behind its name.
        var note: String?
    }

    /// Reads a playlist that the user has named.
    func load(_ location: PlaylistLocation) async throws(CommandFailure) -> Loaded {
        switch location {
        case .standardInput:
            return Loaded(location: location, bytes: try InputFile.read("-", maximum: limit))
        case .file(let path):
            return Loaded(location: location, bytes: try InputFile.read(path, maximum: limit))
        case .web(let url):
            do {
                return try await fetch(url, limit)
            } catch {
                throw .file("cannot read \(location.name): \(error.reason)", next: "check the address and the server")
            }
        }
    }

    /// Reads a playlist that another one names.
    ///
    /// - Parameters:
    ///   - uri: Its URI, resolved.
    ///   - parent: Where the playlist was found that names it.
    ///   - limit: The greatest size, in bytes.
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
        case .standardInput: throw .init(reason: "it is the standard input")
        }
    }

    /// Whoever wrote a playlist has not been given the whole disk.
    private func requireBelowRoot(_ path: String, _ parent: PlaylistLocation) throws(PlaylistLocation.Refusal) {
        var folder = "."
        if case .file(let file) = parent { folder = (file as NSString).deletingLastPathComponent }
        let allowed = realPath(root ?? (folder.isEmpty ? "." : folder))
        guard let real = realPath(path) else { throw .init(reason: lastSystemError()) }
        guard let allowed, real.hasPrefix(allowed.hasSuffix("/") ? allowed : allowed + "/") else {
            throw .init(
                reason: root == nil
                    ? "it lies outside the folder of the playlist that names it; --root widens that"
                    : "it lies outside the folder that --root names"
            )
        }
    }

    private func realPath(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }

    private func fetch(_ url: URL, _ limit: Int) async throws(HTTPDownload.Failure) -> Loaded {
        let answer = try await HTTPDownload.get(url, limit: limit, timeout: timeout) { [headers, origins] url in
            guard let authorization = origins[url.origin] else { return [:] }
            return (authorization.map { ["Authorization": $0] } ?? [:]).merging(headers) { $1 }
        }
        var loaded = Loaded(location: .web(answer.url), bytes: answer.bytes)
        loaded.note = Self.note(contentType: answer.contentType, url: answer.url)
        return loaded
    }

    /// Clients take what they get for a playlist by its type or by its name (section 4).
    private static func note(contentType: String?, url: URL) -> String? {
        let type = contentType?.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased() ?? ""
        let isPlaylist = [
            "application/vnd.apple.mpegurl", "audio/mpegurl", "application/x-mpegurl", "audio/x-mpegurl",
        ].contains(type)
        let path = url.path.lowercased()
        guard !isPlaylist, !path.hasSuffix(".m3u8"), !path.hasSuffix(".m3u") else { return nil }
        let found = type.isEmpty ? "no Content-Type" : "the Content-Type \(PlaylistText.shown(type, limit: 60))"
        return "\(found), and a path that does not end in .m3u8: players may not take it for a playlist"
    }
}
