import Glibc
import Logging
import TextCoding

/// One line of the log in bytes, including its line feed.
///
/// Messages and values may contain text from clients, so line ends, quotes and control characters in them are escaped.
enum LogLine {
    /// Returns a line with the JSON object `{"time":…,"level":…,"label":…,"message":…,"metadata":{…}}` (RFC 8259,
    /// UTF-8).
    static func json(
        milliseconds: Int64,
        level: Logger.Level,
        label: String,
        message: String,
        metadata: Logger.Metadata
    ) -> [UInt8] {
        var line: [UInt8] = []
        line.reserveCapacity(256)
        line += #"{"time":"#.utf8
        appendString(time(milliseconds), to: &line)
        line += #","level":"#.utf8
        appendString(level.rawValue, to: &line)
        line += #","label":"#.utf8
        appendString(label, to: &line)
        line += #","message":"#.utf8
        appendString(message, to: &line)
        if !metadata.isEmpty {
            // A separate field, so that metadata keys cannot override the fields of the line.
            line += #","metadata":"#.utf8
            append(.dictionary(metadata), to: &line, depth: 0)
        }
        line += "}\n".utf8
        return line
    }

    /// Returns the line `time level label: message key=value …`, with control characters escaped.
    static func text(
        milliseconds: Int64,
        level: Logger.Level,
        label: String,
        message: String,
        metadata: Logger.Metadata
    ) -> [UInt8] {
        var line = Array("\(time(milliseconds)) \(level) ".utf8)
        appendPlain(label, to: &line)
        line += ": ".utf8
        appendPlain(message, to: &line)
        for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
            line.append(UInt8(ascii: " "))
            appendPlain(key, to: &line)
            line.append(UInt8(ascii: "="))
            appendPlain("\(value)", to: &line)
        }
        line.append(UInt8(ascii: "\n"))
        return line
    }

    /// Formats a time as RFC 3339 in UTC with milliseconds: 24 characters.
    static func time(_ milliseconds: Int64) -> String {
        Timestamp.text(milliseconds: milliseconds)
    }

    /// Appends a metadata value. The depth is limited, to avoid a stack overflow.
    private static func append(_ value: Logger.MetadataValue, to line: inout [UInt8], depth: Int) {
        switch value {
        case .string(let text): appendString(text, to: &line)
        case .stringConvertible(let value): appendString(value.description, to: &line)
        case .array(let values) where depth < 8:
            line.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { line.append(UInt8(ascii: ",")) }
                append(value, to: &line, depth: depth + 1)
            }
            line.append(UInt8(ascii: "]"))
        case .dictionary(let values) where depth < 8:
            line.append(UInt8(ascii: "{"))
            for (index, (key, value)) in values.sorted(by: { $0.key < $1.key }).enumerated() {
                if index > 0 { line.append(UInt8(ascii: ",")) }
                appendString(key, to: &line)
                line.append(UInt8(ascii: ":"))
                append(value, to: &line, depth: depth + 1)
            }
            line.append(UInt8(ascii: "}"))
        default: appendString("…", to: &line)
        }
    }

    private static func appendString(_ text: String, to line: inout [UInt8]) {
        line.append(UInt8(ascii: "\""))
        defer { line.append(UInt8(ascii: "\"")) }
        if isSimple(text) { return line += text.utf8 }
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": line += #"\""#.utf8
            case "\\": line += #"\\"#.utf8
            case "\n": line += #"\n"#.utf8
            case _ where needsEscape(scalar): line += escape(scalar).utf8
            default: line += UTF8.encode(scalar)!
            }
        }
    }

    private static func appendPlain(_ text: String, to line: inout [UInt8]) {
        if isSimple(text) { return line += text.utf8 }
        for scalar in text.unicodeScalars {
            if needsEscape(scalar) { line += escape(scalar).utf8 } else { line += UTF8.encode(scalar)! }
        }
    }

    /// Returns whether the text is ASCII without characters to escape, which is the most common case.
    private static func isSimple(_ text: String) -> Bool {
        text.utf8.allSatisfy { (0x20..<0x7F).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
    }

    /// Returns whether a character is a control character (C0 or C1) or a Unicode line or paragraph separator.
    private static func needsEscape(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || (0x2028...0x2029).contains(scalar.value)
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String {
        "\\u" + Hexadecimal.encode(scalar.value, digits: 4)
    }
}
