/// The position of a line of a playlist: the range of its content, and the start of the next line.
///
///     line       = *OCTET ( LF / CR LF )        the line ending of the last line is optional
///
/// Lines that all end with CR are accepted too, as in players.
///
/// Section 4.1.
struct ScannedLine {
    /// The offset of the first byte.
    var start: Int
    /// The offset after the last byte of the content, excluding the line ending.
    var end: Int
    /// The offset of the next line.
    var next: Int
    /// True if all bytes of the content are less than 0x80.
    var isASCII: Bool
    /// The offset of the first control character; -1 when there is none.
    var control: Int
}

/// Finds line endings, and in the same pass the characters that section 4.1 forbids. It scans eight bytes at a time,
/// because most lines have neither control characters nor characters beyond ASCII.
enum LineScanner {
    private static let low: UInt64 = 0x0101_0101_0101_0101
    private static let high: UInt64 = 0x8080_8080_8080_8080

    /// Returns a bit for each byte below 0x20 or of at least 0x7F. Only the lowest bit is exact, and only this bit is
    /// used.
    @inline(__always)
    private static func special(_ word: UInt64) -> UInt64 {
        let control = (word &- low &* 0x20) & ~word
        let delete = word ^ (low &* 0x7F)
        return (control | ((delete &- low) & ~delete) | word) & high
    }

    /// Scans the line that starts at `start`, which is less than the number of bytes.
    @inline(__always)
    static func scan(_ bytes: RawSpan, from start: Int, usesCR: Bool) -> ScannedLine {
        let count = bytes.byteCount
        var line = ScannedLine(start: start, end: count, next: count, isASCII: true, control: -1)
        var offset = start
        while offset < count {
            while offset + 8 <= count {
                let found = special(bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self).littleEndian)
                if found != 0 {
                    offset += found.trailingZeroBitCount >> 3
                    break
                }
                offset += 8
            }
            if offset >= count { break }
            let byte = bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
            if byte == 0x0A {
                line.end = offset
                line.next = offset + 1
                return line
            }
            if byte == 0x0D, offset + 1 < count, bytes.unsafeLoad(fromByteOffset: offset + 1, as: UInt8.self) == 0x0A {
                line.end = offset
                line.next = offset + 2
                return line
            }
            if usesCR, byte == 0x0D {
                line.end = offset
                line.next = offset + 1
                return line
            }
            if byte >= 0x80 {
                line.isASCII = false
            } else if byte < 0x20 || byte == 0x7F, line.control < 0 {
                line.control = offset
            }
            offset += 1
        }
        return line
    }
}
