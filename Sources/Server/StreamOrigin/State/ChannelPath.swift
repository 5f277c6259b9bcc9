import HLSPlaylist
import HTTPListening
import TextCoding

/// Paths of files in the served folder: relative to it, with `/`, and decoded.
package enum ChannelPath {
    /// The maximum length of a path, in bytes.
    static let maximumLength = 512
    /// The maximum number of components of a path.
    static let maximumDepth = 8

    /// Returns the path of a request's target, which begins with `/`; nil if no file can have it.
    ///
    /// A component that begins with a dot is refused, so that a request neither leaves the folder nor reaches hidden and
    /// temporary files. Each file has one spelling: a path with an encoded letter, digit or slash, or with an empty
    /// component, would bypass the rules of a proxy for the path as written.
    package static func path(ofTarget target: some StringProtocol) -> String? {
        // Other bytes must be encoded in a URI. A path is logged as it was sent, so they could also forge log entries.
        guard target.utf8.count <= 3 * maximumLength, target.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            RequestPath.isExact(String(target)), !target.lowercased().contains("%2f"),
            let path = PercentEncoding.decode(target.dropFirst()), isValid(path)
        else { return nil }
        return path
    }

    /// Returns whether a path names a file that can be served.
    package static func isValid(_ path: String) -> Bool {
        guard !path.isEmpty, path.utf8.count <= maximumLength else { return false }
        let components = path.split(separator: "/", omittingEmptySubsequences: false)
        return components.count <= maximumDepth
            && components.allSatisfy { component in
                guard let first = component.utf8.first, first != UInt8(ascii: ".") else { return false }
                return component.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\\") }
            }
    }

    /// Returns the path of a resource that a playlist refers to; nil if it is not in the folder.
    static func resolve(_ uri: String, against playlist: String) -> String? {
        guard URIReference.isRelative(uri) else { return nil }
        let reference = URIReference.path(of: uri)
        guard !reference.isEmpty, !reference.hasPrefix("/") else { return nil }
        let encoded = URIReference.resolve(reference, against: playlist)
        guard let path = PercentEncoding.decode(encoded), isValid(path) else { return nil }
        return path
    }

    /// Returns the channel of a path: its first folder; empty for files in the served folder itself.
    package static func channel(of path: some StringProtocol) -> String {
        path.firstIndex(of: "/").map { String(path[..<$0]) } ?? ""
    }

    /// Returns whether a path is that of a playlist.
    package static func isPlaylist(_ path: some StringProtocol) -> Bool { path.hasSuffix(".m3u8") }

    /// Returns whether a path is that of a DASH manifest.
    package static func isManifest(_ path: some StringProtocol) -> Bool { path.hasSuffix(".mpd") }
}
