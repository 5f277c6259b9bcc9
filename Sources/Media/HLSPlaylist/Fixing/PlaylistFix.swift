import ByteCoding
import TextCoding

/// A mechanical correction of one line of a playlist: a replacement of text, which does not change the meaning that the
/// author intended.
public struct PlaylistFix: Hashable, Sendable {
    /// The line number, starting at 1.
    public let line: Int
    /// The column in bytes, starting at 1, of the first byte that is replaced.
    public let column: Int
    /// The column after the last byte that is replaced, which is ``column`` for an insertion.
    public let endColumn: Int
    /// The new text, which ends in a line break if it inserts a line.
    public let replacement: String
    /// The description of the correction.
    public let message: String

    /// Creates a fix that replaces the part in which two texts of a line differ.
    init(line: Int, from old: [UInt8], to new: String, _ message: String) {
        let new = Array(new.utf8)
        var start = zip(old, new).prefix { $0 == $1 }.count
        // A character must not be split.
        while start > 0, start < max(old.count, new.count), Self.continues(old, start) || Self.continues(new, start) {
            start -= 1
        }
        var end = zip(old[start...].reversed(), new[start...].reversed()).prefix { $0 == $1 }.count
        while end > 0, Self.continues(old, old.count - end) { end -= 1 }
        self.line = line
        column = start + 1
        endColumn = old.count - end + 1
        replacement = String(decoding: new[start..<new.count - end], as: UTF8.self)
        self.message = message
    }

    private init(line: Int, column: Int, endColumn: Int, replacement: String, message: String) {
        (self.line, self.column, self.endColumn) = (line, column, endColumn)
        (self.replacement, self.message) = (replacement, message)
    }

    /// Returns the same replacement in another line.
    public func moved(toLine line: Int) -> PlaylistFix {
        PlaylistFix(line: line, column: column, endColumn: endColumn, replacement: replacement, message: message)
    }

    /// Returns the fixes in the order of the lines. Those at the same position keep their order.
    static func sorted(_ fixes: [PlaylistFix]) -> [PlaylistFix] {
        fixes.enumerated().sorted { left, right in
            (left.element.line, left.element.column, left.offset)
                < (right.element.line, right.element.column, right.offset)
        }.map(\.element)
    }

    private static func continues(_ bytes: [UInt8], _ index: Int) -> Bool {
        index < bytes.count && bytes[index] & 0xC0 == 0x80
    }

    /// Creates a fix that inserts a line before another one.
    init(inserting text: String, before line: Int, lineEnd: String, _ message: String) {
        (self.line, column, endColumn) = (line, 1, 1)
        replacement = text + lineEnd
        self.message = message
    }
}

extension Playlist {
    /// Returns the mechanical corrections of a playlist, at most one for each line, in order: of white space, misspelled
    /// names of tags and attributes, quotation marks, missing commas, the first line, the protocol version and the
    /// Target Duration. What cannot be corrected without knowing the author's intention is not changed.
    ///
    /// - Throws: ``PlaylistError`` with ``RuleID/limitExceeded`` when the playlist exceeds one of ``PlaylistLimits``.
    public static func fixes(
        for bytes: [UInt8],
        options: ParsingOptions = ParsingOptions()
    ) throws(PlaylistError) -> [PlaylistFix] {
        try PlaylistFixer(bytes, options).fixes()
    }

    /// Returns the bytes of a playlist with corrections, which must be those of ``fixes(for:options:)``.
    public static func applying(_ fixes: [PlaylistFix], to bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count + 64)
        var rest = PlaylistFix.sorted(fixes)[...]
        for (index, line) in PlaylistFixer.lines(bytes).enumerated() {
            var position = line.lowerBound
            while let fix = rest.first, fix.line == index + 1 {
                let start = min(max(position, line.lowerBound + fix.column - 1), line.upperBound)
                result += bytes[position..<start]
                result += fix.replacement.utf8
                position = min(max(start, line.lowerBound + fix.endColumn - 1), line.upperBound)
                rest.removeFirst()
            }
            result += bytes[position..<line.upperBound]
        }
        for fix in rest { result += fix.replacement.utf8 }
        return result
    }
}

/// Finds the corrections of a playlist.
struct PlaylistFixer {
    private let bytes: [UInt8]
    private let options: ParsingOptions
    private let lineEnd: String

    init(_ bytes: [UInt8], _ options: ParsingOptions) {
        self.bytes = bytes
        self.options = options
        lineEnd = PlaylistWriter.usesCRLF(bytes) ? "\r\n" : "\n"
    }

    /// Returns the ranges of the lines, with their line endings.
    static func lines(_ bytes: [UInt8]) -> [Range<Int>] {
        var lines: [Range<Int>] = []
        let source = PlaylistSource(bytes)
        let span = bytes.span.bytes
        var offset = 0
        while offset < bytes.count {
            let line = source.scan(span, from: offset)
            lines.append(line.start..<line.next)
            offset = line.next
        }
        return lines
    }

    func fixes() throws(PlaylistError) -> [PlaylistFix] {
        guard bytes.count <= options.limits.bytes else {
            _ = try Playlist.parseLeniently(bytes, options: options)
            return []
        }
        let ranges = Self.lines(bytes)
        var texts: [String] = []
        var messages: [Int: [String]] = [:]
        for (index, range) in ranges.enumerated() {
            let content = content(range)
            let start = index == 0 && bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
            texts.append(String(decoding: bytes[content].dropFirst(start), as: UTF8.self))
            if start > 0 { messages[index] = ["the byte order mark is removed"] }
        }
        fixLines(&texts, &messages)
        var insertions: [PlaylistFix] = []
        try fixHeader(&texts, &messages, &insertions)
        let changes = messages.keys.sorted().map { index in
            PlaylistFix(
                line: index + 1,
                from: Array(bytes[content(ranges[index])]),
                to: texts[index],
                (messages[index] ?? []).joined(separator: "; ")
            )
        }
        return PlaylistFix.sorted(insertions + changes)
    }

    /// Corrects each line. A tag that a playlist may have only once does not become a second one.
    private func fixLines(_ texts: inout [String], _ messages: inout [Int: [String]]) {
        func name(_ text: String) -> TagName? { TagName(rawValue: String(text.dropFirst().prefix { $0 != ":" })) }
        var names = Set(texts.lazy.filter { $0.hasPrefix("#EXT") }.compactMap(name))
        for index in texts.indices where texts[index].utf8.count <= options.limits.lineLength {
            let line = LineFixer(texts[index])
            // Text that is not UTF-8 has replacement characters, which must not be written.
            guard !line.corrections.isEmpty, !texts[index].unicodeScalars.contains("\u{FFFD}") else { continue }
            if let tag = line.tag, name(texts[index]) != tag {
                guard Self.isTag(line.text), !tag.isUnique || names.insert(tag).inserted else { continue }
            }
            texts[index] = line.text
            messages[index, default: []] += line.corrections
        }
    }

    /// Returns whether a line is a tag with a valid value: a comment may begin with the name of a tag in lowercase.
    private static func isTag(_ line: String) -> Bool {
        guard let lines = try? Playlist.lines(of: Array(line.utf8)), case .tag? = lines.first?.content else {
            return false
        }
        return true
    }

    /// Returns the range of a line without its line ending.
    private func content(_ range: Range<Int>) -> Range<Int> {
        var end = range.upperBound
        if end > range.lowerBound, bytes[end - 1] == 0x0A {
            end -= 1
            if end > range.lowerBound, bytes[end - 1] == 0x0D { end -= 1 }
        }
        return range.lowerBound..<end
    }

    /// Corrects the first line, the protocol version and the Target Duration of a playlist whose lines are correct.
    private func fixHeader(
        _ texts: inout [String],
        _ messages: inout [Int: [String]],
        _ insertions: inout [PlaylistFix]
    ) throws(PlaylistError) {
        let isFirst = texts.first == "#EXTM3U"
        // A file that is not a playlist does not become one.
        guard isFirst || texts.contains(where: { $0.hasPrefix("#EXT-X-") || $0.hasPrefix("#EXTINF:") }) else { return }
        if !isFirst {
            insertions.append(
                PlaylistFix(inserting: "#EXTM3U", before: 1, lineEnd: lineEnd, "#EXTM3U is added as the first line")
            )
        }
        // Line numbers must stay the same.
        let corrected = Array(((isFirst ? "" : "#EXTM3U\n") + texts.joined(separator: "\n") + "\n").utf8)
        let file = try LintFile(name: "", bytes: corrected, options: options)
        let second = isFirst ? 2 : 1
        func set(_ tag: TagName, _ value: UInt64, _ message: String) {
            let line = "#\(tag.rawValue):\(value)"
            guard let index = texts.firstIndex(where: { $0.hasPrefix("#\(tag.rawValue):") }) else {
                insertions.append(PlaylistFix(inserting: line, before: second, lineEnd: lineEnd, message))
                return
            }
            texts[index] = line
            messages[index, default: []].append(message)
        }
        let required = RequiredVersion(file)
        if file.version > 0, file.version < required.version {
            set(.version, required.version, "\(required.reason) requires version \(required.version)")
        }
        guard case .media(let playlist) = file.playlist else { return }
        let longest = playlist.segments.reduce(0) { max($0, $1.duration) }.rounded()
        guard longest < 1e9, !playlist.segments.isEmpty else { return }
        if !texts.contains(where: { $0.hasPrefix("#\(TagName.targetDuration.rawValue)") }) {
            let value = UInt64(max(1, longest))
            set(
                .targetDuration,
                value,
                "EXT-X-TARGETDURATION is added: the longest segment has \(counted(value, "second"))"
            )
        } else if Double(playlist.targetDuration) < longest, playlist.targetDuration > 0,
            playlist.isEnded || playlist.playlistType == .vod, !playlist.isIFramesOnly
        {
            // In a live playlist, the Target Duration must not change.
            set(.targetDuration, UInt64(longest), "the longest segment has \(counted(UInt64(longest), "second"))")
        }
    }
}
