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
            case .comment, .tag(.inf, _):
                var end = line.end
                while bytes.unsafeLoad(fromByteOffset: end - 1, as: UInt8.self) == 0x0D { end -= 1 }
                return start..<end
            default: break
            }
        }
        let blanks = [line.start..<start, end..<line.end]
        let blank = blanks.joined().first { bytes.unsafeLoad(fromByteOffset: $0, as: UInt8.self) != 0x0D }
        if let blank {
            report(
                .whitespace,
                at: blank,
                "the line \(blank < start ? "begins" : "ends") with a \(blankName(blank)): remove it"
            )
        }
        return start..<end
    }

    /// Reports the white space around the value of a tag.
    func reportBlanks(of name: TagName, _ value: Range<Int>, _ trimmed: Range<Int>) {
        guard trimmed.count < value.count else { return }
        let offset = trimmed.lowerBound > value.lowerBound ? value.lowerBound : trimmed.upperBound
        report(
            .whitespace,
            at: offset,
            "\(name.rawValue): a \(blankName(offset)) is next to the value: remove it"
        )
    }

    /// The name of the space or tab at an offset, for messages.
    func blankName(_ offset: Int) -> String { source.bytes[offset] == 0x09 ? "tab" : "space" }

    @inline(never)
    private func reportContent(_ line: ScannedLine) {
        if line.end - line.start > options.limits.lineLength {
            report(.limitExceeded, "the line is longer than \(options.limits.lineLength) bytes")
            return
        }
        if line.control >= 0 { reportControl(line) }
        guard !line.isASCII else { return }
        guard let text = String(validating: source.bytes[line.start..<line.end], as: UTF8.self) else {
            return report(.notUTF8, "the line is not UTF-8")
        }
        if text.unicodeScalars.contains(where: { (0x80...0x9F).contains($0.value) }) {
            report(.controlCharacter, "the line contains a control character between U+0080 and U+009F")
        }
    }

    /// Reports the first control character. A tab that is only white space is reported as such by the reader of the
    /// line, and the draft requires tabs between the IDs in RECENTLY-REMOVED-DATERANGES.
    private func reportControl(_ line: ScannedLine) {
        let bytes = source.bytes
        let content = source.withoutBlanks(line.start..<line.end)
        var range = content
        var title: Range<Int>?
        var tag: TagName?
        if case .tag(let name, let value?) = LineContent(bytes.span.bytes, content) {
            tag = name
            range = source.withoutBlanks(value)
        }
        if tag == .inf, let comma = bytes[content].firstIndex(of: 0x2C) {
            title = source.withoutBlanks(comma + 1..<line.end)
            range = comma + 1..<line.end
        }
        var isQuoted = false
        var tab: Int?
        for offset in range {
            let byte = bytes[offset]
            if byte == 0x22 { isQuoted.toggle() }
            guard byte < 0x20 || byte == 0x7F else { continue }
            // The writer does not accept a tab within a title.
            if byte == 0x09, let title, !title.contains(offset) {
                tab = tab ?? offset
            } else if byte != 0x09 || tag != .skip && (isQuoted || tag?.hasAttributes != true) {
                let code = String(byte, radix: 16, uppercase: true)
                let character = byte == 0x09 ? "a tab" : "the control character U+00\(byte < 16 ? "0" : "")\(code)"
                return report(.controlCharacter, at: offset, "the line contains \(character): remove it")
            }
        }
        guard let tab else { return }
        let place = bytes[tab - 1] == 0x2C ? "a tab after the comma" : "a tab next to the title"
        report(.tabInTitle, at: tab, "EXTINF: \(place), which players ignore")
    }
}
