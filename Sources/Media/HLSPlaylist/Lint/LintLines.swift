import ByteCoding
import TextCoding

extension LintFile {
    /// The lines that contain the tag, in order.
    func lines(of name: TagName) -> some Sequence<PlaylistLine> {
        lines.lazy.filter { if case .tag(let tag) = $0.content { tag.name == name } else { false } }
    }

    /// The value of an attribute as the file contains it, with quotation marks, but with its variables substituted; nil
    /// when the line has no such attribute.
    func value(ofAttribute name: String, _ line: PlaylistLine) -> String? {
        line.rawAttribute(name).map(withVariables)
    }

    /// The comma-separated items of an attribute's value as the file contains them, including white space and empty
    /// items, which the reader removes; empty when the line has no such attribute.
    func listItems(ofAttribute name: String, _ line: PlaylistLine) -> [String] {
        guard let value = value(ofAttribute: name, line) else { return [] }
        return value.filter { $0 != "\"" }.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }

    /// Returns the text with its variables substituted. The reader has already rejected values that would exceed the
    /// limit after substitution.
    func withVariables(_ text: String) -> String {
        let bytes = Array(text.utf8)
        guard VariableTable.hasReference(bytes.span.bytes, 0..<bytes.count) else { return text }
        var table = VariableTable(variables)
        return (try? table.substitute(bytes, 0..<bytes.count, limit: PlaylistLimits().substitutedBytes)) ?? text
    }

    /// The values of the variables that the playlist defines.
    private var variables: [String: String] {
        switch playlist {
        case .media(let playlist): playlist.variables
        case .multivariant(let playlist): playlist.variables
        }
    }

    /// The protocol version from EXT-X-VERSION; 1 when the tag is absent.
    var version: UInt64 {
        switch playlist {
        case .media(let playlist): playlist.version ?? 1
        case .multivariant(let playlist): playlist.version ?? 1
        }
    }
}

extension PlaylistLine {
    /// True if the duration of an EXTINF tag is written with a decimal point.
    var hasDecimalPoint: Bool {
        for byte in bytes {
            if byte == 0x2C { return false }
            if byte == 0x2E { return true }
        }
        return false
    }

    /// True if the line contains a variable reference.
    var refersToVariable: Bool {
        let bytes = self.bytes
        var rest = bytes
        while let brace = rest.firstIndex(of: 0x7B) {
            rest = bytes[(brace + 1)...]
            guard rest.first == 0x24 else { continue }
            let name = rest.dropFirst().prefix { $0 != 0x7D && $0 != 0x7B }
            if name.endIndex < bytes.endIndex, bytes[name.endIndex] == 0x7D,
                VariableTable.isName(String(decoding: name, as: UTF8.self))
            {
                return true
            }
            rest = bytes[name.endIndex...]
        }
        return false
    }
}

extension Attribute {
    /// True if the value is a hexadecimal sequence (section 4.2).
    var isHexadecimal: Bool {
        let digits = value.utf8.dropFirst(2)
        return !isQuoted && (value.hasPrefix("0x") || value.hasPrefix("0X")) && !digits.isEmpty
            && digits.allSatisfy { Hexadecimal.value(of: $0) != nil }
    }

    /// True if the value is a decimal number, with or without a sign (section 4.2).
    var isSignedDecimal: Bool {
        let bytes = Array(value.utf8)
        return !isQuoted && Decimal.signedNumber(bytes, 0..<bytes.count) != nil
    }

    /// True if the value is a decimal number without a sign (section 4.2).
    var isDecimal: Bool {
        let bytes = Array(value.utf8)
        return !isQuoted && Decimal.number(bytes, 0..<bytes.count) != nil
    }

    /// True if the value is an integer below 2^64 (section 4.2).
    var isInteger: Bool {
        let bytes = Array(value.utf8)
        return !isQuoted && Decimal.integer(bytes, 0..<bytes.count) != nil
    }
}

extension Double {
    /// The largest difference, in seconds, that counts as a rounding error and not as a difference.
    static let roundingTolerance = 0.999e-6

    /// Returns whether this number of seconds is less than the other by a microsecond or more.
    func isClearlyLess(than other: Double) -> Bool { other - self > .roundingTolerance }

    /// The number of seconds as a message shows it: with at most three digits after the decimal point.
    var inSeconds: String {
        guard abs(self) < 1e12 else { return "\(self) s" }
        return (Decimal.text((self * 1000).rounded() / 1000) ?? "\(self)") + " s"
    }
}
