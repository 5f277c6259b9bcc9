/// What is in a WebVTT file, its cues counted (W3C WebVTT, section 4).
package struct WebVTTSummary: Sendable {
    /// How many cues there are.
    package private(set) var cues = 0
    /// When the first one begins, in seconds.
    package private(set) var start: Double?
    /// When the last one ends, in seconds.
    package private(set) var end: Double?
    /// The X-TIMESTAMP-MAP header of HLS as it stands there; nil: there is none.
    package private(set) var timestampMap: String?
    /// How many lines with an arrow have times that cannot be read.
    package private(set) var malformed = 0

    /// Counts the cues of a file.
    package init(_ file: RawSpan) {
        var start = 0
        while start < file.byteCount {
            var end = start
            while end < file.byteCount, file.unsafeLoad(fromByteOffset: end, as: UInt8.self) != 0x0A { end += 1 }
            // No line that matters here is long.
            let shown = file.extracting(start..<min(end, start + 512))
            take(shown.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })
            start = end + 1
        }
    }

    private mutating func take(_ line: String) {
        if line.hasPrefix("X-TIMESTAMP-MAP="), timestampMap == nil {
            timestampMap = String(line.dropFirst("X-TIMESTAMP-MAP=".count).prefix { !$0.isNewline })
        }
        guard let arrow = line.firstRange(of: "-->") else { return }
        let left = line[..<arrow.lowerBound].split(whereSeparator: \.isWhitespace).last
        let right = line[arrow.upperBound...].split(whereSeparator: \.isWhitespace).first
        guard let begin = left.flatMap(Self.seconds), let finish = right.flatMap(Self.seconds) else {
            malformed += 1
            return
        }
        cues += 1
        start = min(start ?? begin, begin)
        end = max(end ?? finish, finish)
    }

    /// `[HH:]MM:SS.mmm`.
    private static func seconds(_ text: Substring) -> Double? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count) else { return nil }
        var total = 0.0
        for part in parts {
            guard part.count <= 12, part.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }),
                let value = Double(part)
            else { return nil }
            total = total * 60 + value
        }
        return total
    }
}
