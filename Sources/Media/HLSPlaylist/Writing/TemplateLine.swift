import ByteCoding

/// A line of the original playlist, which serves as a template for writing the changed playlist.
struct TemplateLine {
    /// The type of a line, by which the writer matches original lines with items.
    enum Slot: Hashable {
        case tag(TagName)
        case other
        case uri
    }

    enum Role {
        /// The line is preserved: a blank line, `#EXTM3U`, or an EXT-X-STREAM-INF tag that clients ignore.
        case copied
        /// The line is preserved directly after the preceding line: the URI line of an EXT-X-STREAM-INF tag that
        /// clients ignore.
        case bound
        /// The line is removed, because the reader ignored it, for example a URI line of a Multivariant Playlist
        /// without EXT-X-STREAM-INF.
        case dropped
        /// The line is matched with an item by its slot.
        case item(Slot, TemplateWriter.Item)
    }

    /// The line including its line ending.
    let raw: Range<Int>
    /// The content of the line, as the reader preserves it when it cannot parse the line.
    let text: String
    var role: Role
    let name: TagName?
}

/// Parses the original lines again while one playlist is written. All lines count toward the same limit of variable
/// substitution, as they did when the playlist was parsed.
final class TemplateReader {
    private let kind: Playlist.Kind
    private let variables: [String: String]
    private var contexts: [ObjectIdentifier: ReadingContext] = [:]

    /// - Parameter variables: The variables of the playlist that is written.
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
        // A byte order mark is not allowed, so it is removed.
        var offset = range.lowerBound == 0 && storage.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : range.lowerBound
        while offset < range.upperBound {
            var line = source.scan(bytes, from: offset)
            let raw = offset..<min(line.next, range.upperBound)
            offset = raw.upperBound
            line.end = min(line.end, range.upperBound)
            // The reader has already checked the bytes.
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

    /// Finds the EXT-X-STREAM-INF tags and URI lines that do not form a variant, by the same rules as the reader of
    /// Multivariant Playlists.
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
    /// Returns whether the tag is only allowed in playlists of the other kind.
    func isForeign(to kind: Playlist.Kind) -> Bool {
        family != .any && (family == .multivariant) != (kind == .multivariant)
    }
}
