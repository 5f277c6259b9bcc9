import ByteCoding

/// An old line, after which a changed playlist is written.
struct TemplateLine {
    /// What one kind of line has to be looked for by.
    enum Slot: Hashable {
        case tag(TagName)
        case other
        case uri
    }

    enum Role {
        /// It stays: a blank line, `#EXTM3U`, an EXT-X-STREAM-INF tag that clients ignore.
        case copied
        /// It stays behind the line before: the URI line of such a tag.
        case bound
        /// The reader made nothing of it, such as a URI line of a Multivariant Playlist without EXT-X-STREAM-INF: it
        /// goes.
        case dropped
        /// It is found again by its slot.
        case item(Slot, TemplateWriter.Item)
    }

    /// The line with its end.
    let raw: Range<Int>
    /// Its content, as the reader keeps it when it does not understand it.
    let text: String
    var role: Role
    let name: TagName?
}

/// Reads old lines again while one playlist is written. All share one count of what variables may add, as they did when
/// they were read.
final class TemplateReader {
    private let kind: Playlist.Kind
    private let variables: [String: String]
    private var contexts: [ObjectIdentifier: ReadingContext] = [:]

    /// - Parameter variables: Those that the playlist has which is written.
    init(_ kind: Playlist.Kind, variables: [String: String]) {
        self.kind = kind
        self.variables = variables
    }

    private func context(_ source: PlaylistSource) -> ReadingContext {
        if let context = contexts[ObjectIdentifier(source)] { return context }
        let context = ReadingContext(source: source, options: ParsingOptions(), isLenient: false)
        context.variables = VariableTable(variables)
        contexts[ObjectIdentifier(source)] = context
        return context
    }

    func lines(of source: PlaylistSource, _ range: Range<Int>) -> [TemplateLine] {
        let context = context(source)
        let storage = source.bytes
        let bytes = storage.span.bytes
        var lines: [TemplateLine] = []
        // The byte order mark, which must not be there, goes.
        var offset = range.lowerBound == 0 && storage.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : range.lowerBound
        while offset < range.upperBound {
            var line = LineScanner.scan(bytes, from: offset)
            let raw = offset..<min(line.next, range.upperBound)
            offset = raw.upperBound
            line.end = min(line.end, range.upperBound)
            // The reader has judged the bytes.
            line.isASCII = true
            line.control = -1
            context.lineStart = line.start
            lines.append(Self.line(context, bytes, context.checked(bytes, line), raw, kind))
        }
        if kind == .multivariant { Self.bindURIs(&lines) }
        return lines
    }

    private static func line(
        _ context: ReadingContext,
        _ bytes: RawSpan,
        _ content: Range<Int>,
        _ raw: Range<Int>,
        _ kind: Playlist.Kind
    ) -> TemplateLine {
        func line(_ role: TemplateLine.Role, _ name: TagName? = nil) -> TemplateLine {
            TemplateLine(raw: raw, text: context.source.text(content), role: role, name: name)
        }
        let other = TemplateLine.Role.item(.other, .other(context.source.text(content)))
        switch LineContent(bytes, content) {
        case .blank: return line(.copied)
        case .uri(let range): return line(.item(.uri, .uri(context.text(range, reading: "URI"))))
        case .comment, .unknownTag: return line(other)
        case .tag(.extM3U, _): return line(.copied)
        case .tag(let name, let value):
            guard !name.isForeign(to: kind), let tag = PlaylistTag(context, name, value) else {
                return line(other, name)
            }
            return line(.item(.tag(name), .tag(tag)), name)
        }
    }

    /// Finds the EXT-X-STREAM-INF tags and URI lines that make no variant, as the reader of Multivariant Playlists
    /// does.
    private static func bindURIs(_ lines: inout [TemplateLine]) {
        var pending: Int?
        for index in lines.indices {
            if lines[index].name == .streamInf {
                if let pending { lines[pending].role = .dropped }
                pending = index
            } else if case .item(.uri, _) = lines[index].role {
                if let owner = pending {
                    if case .item(.other, _) = lines[owner].role {
                        lines[owner].role = .copied
                        lines[index].role = .bound
                    }
                } else {
                    lines[index].role = .dropped
                }
                pending = nil
            }
        }
        if let pending { lines[pending].role = .dropped }
    }
}

extension TagName {
    /// Whether it belongs to playlists of the other kind.
    func isForeign(to kind: Playlist.Kind) -> Bool {
        family != .any && (family == .multivariant) != (kind == .multivariant)
    }
}
