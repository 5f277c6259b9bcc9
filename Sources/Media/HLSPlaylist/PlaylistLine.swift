import ByteCoding

/// One line of a playlist, with its parsed tag, for tools that show, compare or check playlists.
public struct PlaylistLine: Sendable {
    /// The content of a line.
    public enum Content: Sendable {
        /// An empty line.
        case blank
        /// A line that begins with `#`, but not with `#EXT`.
        case comment
        /// A URI, after variable substitution.
        case uri(String)
        /// A tag that the draft defines.
        case tag(PlaylistTag)
        /// A tag that the draft does not define: its name without the `#`.
        case unknownTag(String)
        /// A tag that could not be parsed, that clients ignore, or that is not allowed at this position. The
        /// diagnostics of the reader contain the reason.
        case refused(TagName)
    }

    /// The line number, starting at 1.
    public let number: Int
    /// The content of the line.
    public let content: Content
    let source: PlaylistSource
    let range: Range<Int>

    /// The text of the line without the line ending, exactly as in the file.
    public var text: String { source.text(range) }

    /// Returns the text of an attribute's value exactly as in the file, including quotation marks; nil when the line
    /// has no such attribute.
    public func rawAttribute(_ name: String) -> String? { attributeRange(name).map { source.text($0.value) } }

    /// Returns the column in bytes, starting at 1, of the name of an attribute; 0 when the line has no such attribute.
    public func column(ofAttribute name: String) -> Int {
        attributeRange(name).map { $0.name - range.lowerBound + 1 } ?? 0
    }

    /// Returns the name of the attribute to which a column belongs; nil if it does not belong to an attribute.
    func attribute(atColumn column: Int) -> String? {
        let offset = range.lowerBound + column - 1
        return attributes().last { $0.name.lowerBound <= offset && offset <= $0.value.upperBound }
            .map { source.text($0.name) }
    }

    /// Returns the column after the text that begins at a column; see ``Diagnostic/endColumn``.
    func endColumn(from column: Int) -> Int {
        DiagnosticRange.end(source.bytes, range.lowerBound + column - 1) - range.lowerBound + 1
    }

    /// The names of the attributes, in order.
    public var attributeNames: [String] { attributes().map { source.text($0.name) } }

    /// The bytes of ``text``.
    var bytes: ArraySlice<UInt8> { source.bytes[range] }

    private func attributeRange(_ name: String) -> (name: Int, value: Range<Int>)? {
        attributes().first { source.text($0.name) == name }.map { ($0.name.lowerBound, $0.value) }
    }

    private func attributes() -> [(name: Range<Int>, value: Range<Int>)] {
        let bytes = source.bytes
        guard let colon = range.first(where: { bytes[$0] == 0x3A }) else { return [] }
        var result: [(name: Range<Int>, value: Range<Int>)] = []
        var position = colon + 1
        while position < range.upperBound {
            let start = position
            guard let equals = (position..<range.upperBound).first(where: { bytes[$0] == 0x3D }) else { break }
            position = equals + 1
            var isQuoted = false
            while position < range.upperBound, isQuoted || bytes[position] != 0x2C {
                if bytes[position] == 0x22 { isQuoted.toggle() }
                position += 1
            }
            // The reader accepts white space around names and values.
            result.append((source.withoutBlanks(start..<equals), source.withoutBlanks(equals + 1..<position)))
            position += 1
        }
        return result
    }
}

extension Playlist {
    /// Returns the lines of a playlist, parsed leniently.
    ///
    /// - Throws: ``PlaylistError`` with ``RuleID/limitExceeded`` when the playlist exceeds one of ``PlaylistLimits``.
    ///   No other error is thrown.
    public static func lines(
        of bytes: [UInt8],
        options: ParsingOptions = ParsingOptions()
    ) throws(PlaylistError) -> [PlaylistLine] {
        let context = ReadingContext(source: PlaylistSource(bytes), options: options, isLenient: true)
        guard bytes.count <= min(options.limits.bytes, Int(Int32.max)) else {
            context.report(
                .limitExceeded,
                line: 0,
                "the playlist is larger than the limit of \(options.limits.bytes) bytes"
            )
            try context.check()
            return []
        }
        var reader = LineListReader(context: context, kind: PlaylistReader.kind(context.source))
        return try reader.read()
    }
}

/// Parses every line separately.
private struct LineListReader {
    let context: ReadingContext
    let kind: Playlist.Kind
    var uniqueTags: Set<TagName> = []
    var lines: [PlaylistLine] = []

    init(context: ReadingContext, kind: Playlist.Kind) {
        self.context = context
        self.kind = kind
    }

    mutating func read() throws(PlaylistError) -> [PlaylistLine] {
        let storage = context.source.bytes
        let bytes = storage.span.bytes
        var offset = PlaylistReader.start(context)
        while offset < bytes.byteCount {
            let line = context.source.scan(bytes, from: offset)
            offset = line.next
            context.begin(line)
            let range = context.checked(bytes, line)
            lines.append(
                PlaylistLine(
                    number: context.lineNumber,
                    content: content(LineContent(bytes, range)),
                    source: context.source,
                    range: range
                )
            )
            try context.check()
        }
        return lines
    }

    private mutating func content(_ line: LineContent) -> PlaylistLine.Content {
        switch line {
        case .blank: return .blank
        case .comment: return .comment
        case .uri(let range): return .uri(context.text(range, reading: "URI"))
        case .unknownTag(let name): return .unknownTag(context.source.text(name))
        case .tag(let name, let value):
            guard !name.isForeign(to: kind), let tag = PlaylistTag(context, name, value),
                !name.isUnique || uniqueTags.insert(name).inserted
            else {
                return .refused(name)
            }
            if case .define(let define) = tag { context.define(define, in: kind) }
            return .tag(tag)
        }
    }
}
