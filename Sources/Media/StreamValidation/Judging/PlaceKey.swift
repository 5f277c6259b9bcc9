import HLSPlaylist

/// The place of a finding in a form that stays the same when hosts, tokens, line numbers and Media Sequence Numbers change.
///
///     key    = path [ "#" detail ]
///     path   = path of the playlist, relative to the folder of the validated playlist if it is below it
///     detail = path of the segment, of the variant or I-frame playlist; or TYPE/GROUP-ID/NAME of a rendition; or the name
///              of the tag
///
/// Neither part has a host, user information, a query or a fragment.
struct PlaceKeys {
    private let folder: String
    private let lines: [String: [PlaylistLine]]

    init(_ presentation: MeasuredPresentation) {
        let files = [presentation.multivariant].compactMap { $0 } + presentation.renditions.map(\.file)
        folder = files.first.map { Self.folder(of: Self.path(of: $0.name)) } ?? ""
        lines = Dictionary(files.map { ($0.name, $0.lines) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the key of a place.
    func key(of place: ValidationFinding.Place) -> String {
        let path = relative(Self.path(of: place.playlist))
        let detail = place.segment.map { Self.path(of: $0) } ?? detail(of: place.line, in: place.playlist)
        return detail.map { "\(path)#\($0)" } ?? path
    }

    private func relative(_ path: String) -> String {
        guard !folder.isEmpty, path.hasPrefix(folder), path.utf8.count > folder.utf8.count else { return path }
        return String(path.dropFirst(folder.count))
    }

    /// Returns what a line of a playlist is about.
    private func detail(of line: Int, in playlist: String) -> String? {
        guard let lines = lines[playlist], lines.indices.contains(line - 1) else { return nil }
        switch lines[line - 1].content {
        case .uri(let uri): return Self.path(of: uri)
        case .tag(.streamInf):
            // The URI follows at once; only comments and empty lines can be between.
            for next in lines[line...].prefix(16) {
                if case .uri(let uri) = next.content { return Self.path(of: uri) }
            }
            return nil
        case .tag(.media(let tag)): return "\(tag.type.rawValue)/\(tag.groupID)/\(tag.name)"
        case .tag(.iFrameStreamInf(let tag)): return Self.path(of: tag.uri)
        case .tag, .refused, .unknownTag: return String(lines[line - 1].text.prefix { $0 != ":" }.dropFirst())
        case .comment, .blank: return nil
        }
    }

    /// Returns the path of a URI without scheme, host, query and fragment; a relative reference stays relative.
    static func path(of uri: String) -> String {
        var path = uri.prefix { $0 != "?" && $0 != "#" }
        if let scheme = path.firstRange(of: "://") {
            let rest = path[scheme.upperBound...]
            path = rest.firstIndex(of: "/").map { rest[$0...] } ?? ""
        } else if path.hasPrefix("data:") {
            path = "data:"
        }
        return String(path)
    }

    private static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    }
}

/// A pattern of places: `*` matches any number of any characters, and everything else itself. A pattern without `#` is
/// compared with the playlist alone.
public struct PlacePattern: Hashable, Sendable {
    /// The maximum size of a pattern in bytes.
    public static let maximumSize = 1024
    /// The text of the pattern.
    public let text: String

    /// Creates a pattern; nil if the text is empty or longer than ``maximumSize``.
    public init?(_ text: String) {
        guard !text.isEmpty, text.utf8.count <= Self.maximumSize else { return nil }
        self.text = text
    }

    /// Creates the pattern of a single place, of any size.
    public init(literal text: String) { self.text = text }

    /// Returns whether the key of a place matches. The time is linear in the product of both sizes.
    public func matches(_ key: String) -> Bool {
        let subject = Array((text.contains("#") ? key[...] : key.prefix { $0 != "#" }).utf8)
        let pattern = Array(text.utf8)
        let star = UInt8(ascii: "*")
        var (position, index) = (0, 0)
        // The last asterisk, and the position up to which it matches.
        var retry: (index: Int, position: Int)?
        while position < subject.count {
            if index < pattern.count, pattern[index] == star {
                retry = (index, position)
                index += 1
            } else if index < pattern.count, pattern[index] == subject[position] {
                (position, index) = (position + 1, index + 1)
            } else if let last = retry {
                retry = (last.index, last.position + 1)
                (position, index) = (last.position + 1, last.index + 1)
            } else {
                return false
            }
        }
        return pattern[index...].allSatisfy { $0 == star }
    }
}
