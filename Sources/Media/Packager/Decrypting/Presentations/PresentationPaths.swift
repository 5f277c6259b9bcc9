import FileWriting
import Foundation
import HLSPlaylist
import MediaDecryption

/// The paths of a presentation's files, which must be in or below the folder of its main playlist. Playlists are
/// untrusted input and must not give access to other files on the disk.
struct PresentationPaths {
    /// The folder with symbolic links resolved.
    let root: String

    /// Resolves the folder of a playlist.
    ///
    /// - Throws: ``FileError``.
    init(playlist: String) throws {
        let folder = (playlist as NSString).deletingLastPathComponent
        guard let real = Self.realPath(folder.isEmpty ? "." : folder) else {
            throw FileError(.open, path: playlist, code: errno)
        }
        root = real
    }

    /// Returns the path of a file.
    func path(_ name: String) -> String { root + "/" + name }

    /// Returns the name of the file that a URI references, relative to ``root`` and without dot segments.
    ///
    /// - Parameters:
    ///   - uri: The URI in the playlist, after variable substitution.
    ///   - playlist: The name of the playlist.
    /// - Throws: ``DecryptionError`` if the URI does not reference a file in or below the playlist's folder.
    func name(of uri: String, in playlist: String) throws -> String {
        func refused(_ reason: String) -> DecryptionError {
            // The query is omitted, because it may contain tokens.
            DecryptionError(.refused, playlist, "cannot read \(URIReference.path(of: uri)): \(reason)")
        }
        guard URIReference.isRelative(uri) else {
            throw refused("only local files are read: download the presentation first")
        }
        let path = URIReference.path(of: uri)
        guard let decoded = path.removingPercentEncoding, !decoded.isEmpty, !decoded.utf8.contains(0) else {
            throw refused("the path is not a valid file name")
        }
        guard !decoded.hasPrefix("/") else { throw refused("absolute paths are not allowed") }
        let parts = decoded.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." }) else {
            throw refused("paths with dot segments or empty names are not allowed")
        }
        let folder = playlist.lastIndex(of: "/").map { String(playlist[...$0]) } ?? ""
        let name = folder + decoded
        guard let real = Self.realPath(self.path(name)) else {
            throw FileError(.open, path: self.path(name), code: errno)
        }
        guard real.hasPrefix(root.hasSuffix("/") ? root : root + "/") else {
            throw refused("the file is a symbolic link to a target outside the playlist's folder")
        }
        return name
    }

    static func realPath(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }
}
