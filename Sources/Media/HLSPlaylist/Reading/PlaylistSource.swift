import ByteCoding

/// The original bytes of a playlist, shared by all values that were parsed from them.
final class PlaylistSource: Sendable {
    let bytes: [UInt8]
    /// True if the lines end with CR: there is no LF. Otherwise, a CR that does not precede LF is only a character that
    /// is not allowed.
    let usesCR: Bool

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        usesCR = !bytes.contains(0x0A) && bytes.contains(0x0D)
    }

    /// Scans the line that starts at `start`.
    @inline(__always)
    func scan(_ bytes: RawSpan, from start: Int) -> ScannedLine {
        LineScanner.scan(bytes, from: start, usesCR: usesCR)
    }

    /// Returns whether a range contains variable references.
    func hasReference(_ range: Range<Int>) -> Bool {
        let storage = bytes
        return VariableTable.hasReference(storage.span.bytes, range)
    }

    /// Returns a range without the spaces and tabs at its ends.
    func withoutBlanks(_ range: Range<Int>) -> Range<Int> {
        func isBlank(_ offset: Int) -> Bool { bytes[offset] == 0x20 || bytes[offset] == 0x09 }
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, isBlank(start) { start += 1 }
        while end > start, isBlank(end - 1) { end -= 1 }
        return start..<end
    }

    /// Returns the text of a range. Invalid UTF-8 is replaced with U+FFFD.
    func text(_ range: Range<Int>) -> String {
        String(decoding: bytes[range], as: UTF8.self)
    }
}

extension StringProtocol {
    /// The text without spaces and tabs at its ends.
    var withoutBlanks: String {
        func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" }
        let scalars = unicodeScalars
        guard let first = scalars.firstIndex(where: { !isBlank($0) }),
            let last = scalars.lastIndex(where: { !isBlank($0) })
        else { return "" }
        return String(self[first..<scalars.index(after: last)])
    }
}
