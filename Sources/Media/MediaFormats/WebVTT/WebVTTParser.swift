import ByteCoding

/// A parser that implements the algorithm of W3C WebVTT, 6.1, on UTF-8 bytes. It reads each line at most twice.
struct WebVTTParser {
    private let bytes: [UInt8]
    private var position = 0
    /// The number of the line that begins at `position`, from 1.
    private var line = 1
    private var hasSeenCue = false
    private var document: WebVTTDocument

    /// Returns the size of the byte order mark and `WEBVTT` in bytes; nil if the file does not begin with them.
    static func signatureSize(_ file: RawSpan) -> Int? {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let word = Array("WEBVTT".utf8)
        return file.withUnsafeBytes { file in
            let start = file.starts(with: mark) ? mark.count : 0
            let rest = file.dropFirst(start)
            guard rest.starts(with: word) else { return nil }
            guard let next = rest.dropFirst(word.count).first else { return start + word.count }
            return [0x20, 0x09, 0x0A, 0x0D].contains(next) ? start + word.count : nil
        }
    }

    init(_ file: RawSpan) throws(ParseError) {
        guard file.byteCount <= WebVTTDocument.maximumSize else {
            throw ParseError(
                .invalidLength,
                reading: "WebVTT file",
                offset: 0,
                reason: "the file has \(file.byteCount) bytes, the maximum is \(WebVTTDocument.maximumSize); "
                    + "split the file"
            )
        }
        guard let signature = Self.signatureSize(file) else {
            throw ParseError(.invalidValue, reading: "WebVTT file", offset: 0, reason: Self.signatureError(for: file))
        }
        bytes = Self.normalized(file, from: signature)
        document = WebVTTDocument(bytes: bytes)
    }

    /// Parses the file after the signature.
    mutating func parse() throws(ParseError) -> WebVTTDocument {
        let first = readLine()
        var header = first
        if position < bytes.count, bytes[position] != Self.lineFeed {
            header = first.lowerBound..<(try collectBlock(inHeader: true)).upperBound
        }
        document.header = WebVTTRange(trimmed(header))
        skipEmptyLines()
        while position < bytes.count {
            _ = try collectBlock(inHeader: false)
            skipEmptyLines()
        }
        // Cues are usually in order, so that sorting takes one pass.
        document.cues.sort { ($0.start, $0.line) < ($1.start, $1.line) }
        try document.checkOverlap()
        return document
    }

    /// Parses a block (section 6.1) and returns the range of its text.
    private mutating func collectBlock(inHeader: Bool) throws(ParseError) -> Range<Int> {
        let (start, firstLine) = (position, line)
        var count = 0
        var hasSeenArrow = false
        var cue: WebVTTCue?
        var isDefinition = false
        var text = position..<position
        while position < bytes.count {
            let (before, lineBefore) = (position, line)
            let current = readLine()
            count += 1
            if hasArrow(current) {
                guard !inHeader, count == 1 || (count == 2 && !hasSeenArrow) else {
                    (position, line) = (before, lineBefore)
                    break
                }
                hasSeenArrow = true
                guard let (start, end, settings) = timing(current) else { continue }
                cue = WebVTTCue(
                    start: start,
                    end: end,
                    line: lineBefore,
                    identifier: WebVTTRange(text),
                    settings: WebVTTRange(settings),
                    text: WebVTTRange(text)
                )
                text = position..<position
                hasSeenCue = true
                continue
            }
            if current.isEmpty { break }
            if inHeader, let map = WebVTTTimestampMap(bytes, current) { document.timestampMap = map }
            if !inHeader, count == 2, isDefinitionName(text) { isDefinition = true }
            text = (text.isEmpty ? current.lowerBound : text.lowerBound)..<current.upperBound
        }
        if inHeader { return text.isEmpty ? start..<start : text }
        if let cue {
            add(cue, text, firstLine)
        } else if isDefinition {
            try add(definition: text, firstLine)
        } else {
            countBlock(text, hasSeenArrow, firstLine)
        }
        return text
    }

    private mutating func add(_ cue: WebVTTCue, _ text: Range<Int>, _ firstLine: Int) {
        guard cue.end > cue.start else { return document.drop(.neverShown, line: firstLine) }
        document.cues.append(
            WebVTTCue(
                start: cue.start,
                end: cue.end,
                line: cue.line,
                identifier: cue.identifier,
                settings: cue.settings,
                text: WebVTTRange(text)
            )
        )
    }

    private mutating func add(definition: Range<Int>, _ firstLine: Int) throws(ParseError) {
        guard !hasSeenCue else { return document.drop(.definitionAfterCue, line: firstLine) }
        document.definitions.append(WebVTTRange(definition))
        document.definitionSize += definition.count
        guard document.definitionSize <= WebVTTDocument.maximumDefinitionSize else {
            throw ParseError(
                .invalidLength,
                reading: "STYLE and REGION blocks of a WebVTT file",
                offset: 0,
                reason: "with the block at line \(firstLine) they have \(document.definitionSize) bytes, more than the "
                    + "maximum of \(WebVTTDocument.maximumDefinitionSize); shorten them"
            )
        }
    }

    /// Counts a block that is not stored: a comment, or a block that is dropped.
    private mutating func countBlock(_ text: Range<Int>, _ hasSeenArrow: Bool, _ firstLine: Int) {
        let name = Array("NOTE".utf8)
        let rest = bytes[text].dropFirst(name.count)
        if hasSeenArrow {
            document.drop(.invalidTiming, line: firstLine)
        } else if bytes[text].starts(with: name), rest.first.map(isWhiteSpace) ?? true {
            document.commentCount += 1
        } else if !text.isEmpty {
            document.drop(.unknownBlock, line: firstLine)
        }
    }

    /// Parses the timings and settings of a cue (section 6.3). Returns nil if the timings are invalid.
    private func timing(_ line: Range<Int>) -> (start: Int64, end: Int64, settings: Range<Int>)? {
        var index = line.lowerBound
        skipWhiteSpace(&index, line.upperBound)
        guard let start = WebVTTTimestamp.read(bytes, &index, end: line.upperBound) else { return nil }
        skipWhiteSpace(&index, line.upperBound)
        guard bytes[index..<line.upperBound].starts(with: Self.arrow) else { return nil }
        index += Self.arrow.count
        skipWhiteSpace(&index, line.upperBound)
        guard let end = WebVTTTimestamp.read(bytes, &index, end: line.upperBound) else { return nil }
        return (start, end, trimmed(index..<line.upperBound))
    }

    private static let lineFeed = UInt8(ascii: "\n")
    private static let arrow = Array("-->".utf8)

    private mutating func readLine() -> Range<Int> {
        let start = position
        while position < bytes.count, bytes[position] != Self.lineFeed { position += 1 }
        let end = position
        if position < bytes.count { position += 1 }
        line += 1
        return start..<end
    }

    private mutating func skipEmptyLines() {
        while position < bytes.count, bytes[position] == Self.lineFeed {
            position += 1
            line += 1
        }
    }

    private func hasArrow(_ line: Range<Int>) -> Bool {
        var dashes = 0
        for index in line {
            if bytes[index] == UInt8(ascii: ">"), dashes >= 2 { return true }
            dashes = bytes[index] == UInt8(ascii: "-") ? dashes + 1 : 0
        }
        return false
    }

    private func isDefinitionName(_ line: Range<Int>) -> Bool {
        ["STYLE", "REGION"].contains { name in
            bytes[line].starts(with: name.utf8) && bytes[line].dropFirst(name.utf8.count).allSatisfy(isWhiteSpace)
        }
    }

    private func isWhiteSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0C }

    private func skipWhiteSpace(_ index: inout Int, _ end: Int) {
        while index < end, isWhiteSpace(bytes[index]) { index += 1 }
    }

    private func trimmed(_ range: Range<Int>) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        skipWhiteSpace(&start, end)
        while end > start, isWhiteSpace(bytes[end - 1]) { end -= 1 }
        return start..<end
    }

    /// Returns the file from `start`, with LF for every line break and U+FFFD for each byte 0 (section 6.1).
    private static func normalized(_ file: RawSpan, from start: Int) -> [UInt8] {
        file.withUnsafeBytes { file in
            var bytes: [UInt8] = []
            bytes.reserveCapacity(file.count)
            var last: UInt8 = 0
            for byte in file[start...] {
                switch byte {
                case 0x0D: bytes.append(lineFeed)
                case 0x0A: if last != 0x0D { bytes.append(lineFeed) }
                case 0: bytes.append(contentsOf: [0xEF, 0xBF, 0xBD])
                default: bytes.append(byte)
                }
                last = byte
            }
            return bytes
        }
    }

    /// Returns the error message for a file without the WebVTT signature.
    private static func signatureError(for file: RawSpan) -> String {
        file.withUnsafeBytes { file in
            if file.starts(with: [0xFF, 0xFE]) || file.starts(with: [0xFE, 0xFF]) {
                return "the file is encoded in UTF-16; convert it to UTF-8"
            }
            return "line 1 must begin with WEBVTT, followed by white space or a line break; "
                + "convert other subtitles to WebVTT first"
        }
    }
}
