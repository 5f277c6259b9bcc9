/// A line of a playlist: where its content lies, and where the next line starts.
///
///     line       = *OCTET ( LF / CR LF )        the last line may lack its end
///
/// Section 4.1.
struct ScannedLine {
    /// The offset of the first byte.
    var start: Int
    /// The offset after the last byte of the content, the line's end excluded.
    var end: Int
    /// The offset of the next line.
    var next: Int
    /// The content has bytes of 0x80 or more.
    var isASCII: Bool
    /// The offset of the first control character; -1 when there is none.
    var control: Int
}

/// Finds the end of lines, and in the same pass what section 4.1 forbids in them. Eight bytes at a time: most lines
/// have neither control characters nor letters beyond ASCII.
enum LineScanner {
    private static let low: UInt64 = 0x0101_0101_0101_0101
    private static let high: UInt64 = 0x8080_8080_8080_8080

    /// A bit for each byte below 0x20, equal to 0x7F, or above: exact for the lowest such byte, which is all that is
    /// used.
    @inline(__always)
    private static func special(_ word: UInt64) -> UInt64 {
        let control = (word &- low &* 0x20) & ~word
        let delete = word ^ (low &* 0x7F)
        return (control | ((delete &- low) & ~delete) | word) & high
    }

    /// Scans the line that starts at `start`, which is less than the number of bytes.
    @inline(__always)
    static func scan(_ bytes: RawSpan, from start: Int) -> ScannedLine {
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
