import FileWriting
import Foundation
import HLSPlaylist
import MediaDecryption

/// The files of a presentation, below the folder of the playlist that it begins with. Whoever wrote a playlist has not
/// been given the whole disk.
struct PresentationPaths {
    /// The folder, links resolved.
    let root: String

    /// Begins with a playlist.
    ///
    /// - Throws: ``FileFailure``.
    init(playlist: String) throws {
        let folder = (playlist as NSString).deletingLastPathComponent
        guard let real = Self.realPath(folder.isEmpty ? "." : folder) else {
            throw FileFailure(.open, path: playlist, code: errno)
        }
        root = real
    }

    /// The path of a file.
    func path(_ name: String) -> String { root + "/" + name }

    /// The name of what a URI refers to: relative to ``root``, without dots.
    ///
    /// - Parameters:
    ///   - uri: As it stands in a playlist, variables replaced.
    ///   - playlist: The name of that playlist.
    /// - Throws: ``DecryptionError`` for what is not a file below the playlist's folder.
    func name(of uri: String, in playlist: String) throws -> String {
        func refused(_ reason: String) -> DecryptionError {
            // Queries may hold tokens.
            DecryptionError(.refused, playlist, "it names \(URIReference.path(of: uri)), and \(reason)")
        }
        guard URIReference.isRelative(uri) else {
            throw refused("only files below the playlist's folder are read: download the presentation first")
        }
        let path = URIReference.path(of: uri)
        guard let decoded = path.removingPercentEncoding, !decoded.isEmpty, !decoded.utf8.contains(0) else {
            throw refused("that is no name of a file")
        }
        guard !decoded.hasPrefix("/") else { throw refused("an absolute path may lead anywhere") }
        let parts = decoded.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." }) else {
            throw refused("a path with dots or empty names may lead anywhere")
        }
        let folder = playlist.lastIndex(of: "/").map { String(playlist[...$0]) } ?? ""
        let name = folder + decoded
        guard let real = Self.realPath(self.path(name)) else {
            throw FileFailure(.open, path: self.path(name), code: errno)
        }
        guard real.hasPrefix(root.hasSuffix("/") ? root : root + "/") else {
            throw refused("that is a link out of the folder")
        }
        return name
    }

    static func realPath(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }
}
