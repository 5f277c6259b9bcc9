import ByteCoding

/// The content of a line by its type.
///
///     line    = blank / uri / comment / tag
///     comment = "#" *any              that does not begin with "#EXT"
///     tag     = "#EXT" name [ ":" value ]
///
/// Section 4.1.
enum LineContent {
    case blank
    case uri(Range<Int>)
    case comment
    /// A tag that the draft does not define.
    case unknownTag(name: Range<Int>)
    /// A tag; its value is nil when there is no colon.
    case tag(TagName, value: Range<Int>?)

    @inline(__always)
    init(_ bytes: RawSpan, _ line: Range<Int>) {
        guard !line.isEmpty else {
            self = .blank
            return
        }
        guard bytes.unsafeLoad(fromByteOffset: line.lowerBound, as: UInt8.self) == 0x23 else {
            self = .uri(line)
            return
        }
        self = Self.tag(bytes, line)
    }

    @inline(__always)
    private static func tag(_ bytes: RawSpan, _ line: Range<Int>) -> LineContent {
        guard line.count >= 4,
            bytes.unsafeLoadUnaligned(fromByteOffset: line.lowerBound, as: UInt32.self).littleEndian == 0x5458_4523
        else { return .comment }
        var end = line.lowerBound + 4
        while end < line.upperBound, bytes.unsafeLoad(fromByteOffset: end, as: UInt8.self) != 0x3A { end += 1 }
        let name = line.lowerBound + 1..<end
        guard let tag = TagName.find(bytes, name) else { return .unknownTag(name: name) }
        return .tag(tag, value: end < line.upperBound ? end + 1..<line.upperBound : nil)
    }
}

extension ReadingContext {
    /// Checks the requirements of section 4.1 for every line, and returns the range of the line without disallowed
    /// white space.
    @inline(__always)
    func checked(_ bytes: RawSpan, _ line: ScannedLine) -> Range<Int> {
        if line.control >= 0 || !line.isASCII || line.end - line.start > options.limits.lineLength {
            reportContent(line)
            // The line is rejected, so its content is not parsed.
            if line.end - line.start > options.limits.lineLength { return line.start..<line.start }
        }
        guard line.end > line.start else { return line.start..<line.end }
        let first = bytes.unsafeLoad(fromByteOffset: line.start, as: UInt8.self)
        let last = bytes.unsafeLoad(fromByteOffset: line.end - 1, as: UInt8.self)
        guard first <= 0x20 || last <= 0x20 else { return line.start..<line.end }
        return trimmed(bytes, line)
    }

    @inline(never)
    private func trimmed(_ bytes: RawSpan, _ line: ScannedLine) -> Range<Int> {
        func isSpace(_ offset: Int) -> Bool {
            let byte = bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
            return byte == 0x20 || byte == 0x09 || byte == 0x0D
        }
        var start = line.start
        var end = line.end
        while start < end, isSpace(start) { start += 1 }
        while end > start, isSpace(end - 1) { end -= 1 }
        // The title of EXTINF and a comment are free text, which may end with white space.
        let content = LineContent(bytes, start..<line.end)
        if start == line.start {
            switch content {
            case .comment, .tag(.inf, _): return start..<line.end
            default: break
            }
        }
        let blanks = [line.start..<start, end..<line.end]
        if let blank = blanks.joined().first(where: { bytes.unsafeLoad(fromByteOffset: $0, as: UInt8.self) == 0x20 }) {
            report(.whitespace, at: blank, "the line begins or ends with spaces: remove them")
        }
        return start..<end
    }

    @inline(never)
    private func reportContent(_ line: ScannedLine) {
        if line.end - line.start > options.limits.lineLength {
            report(.limitExceeded, "the line is longer than \(options.limits.lineLength) bytes")
            return
        }
        // The draft requires tabs between the IDs in RECENTLY-REMOVED-DATERANGES.
        if line.control >= 0, !isTabOfSkip(line) {
            report(.controlCharacter, at: line.control, "the line contains a control character")
        }
        guard !line.isASCII else { return }
        guard let text = String(validating: source.bytes[line.start..<line.end], as: UTF8.self) else {
            return report(.notUTF8, "the line is not UTF-8")
        }
        if text.unicodeScalars.contains(where: { (0x80...0x9F).contains($0.value) }) {
            report(.controlCharacter, "the line contains a control character between U+0080 and U+009F")
        }
    }

    private func isTabOfSkip(_ line: ScannedLine) -> Bool {
        let bytes = source.bytes[line.start..<line.end]
        return bytes.starts(with: Array("#EXT-X-SKIP:".utf8))
            && !bytes.contains { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F }
    }
}
