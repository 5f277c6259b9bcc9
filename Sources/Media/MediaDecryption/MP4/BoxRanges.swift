import ByteCoding
import MediaFormats

/// Iterates over the boxes of a file by their byte ranges.
enum BoxRanges {
    /// Calls `body` with the header and the content range of each box in `range`.
    ///
    /// A box that extends beyond the range is an error. Fewer than 8 bytes at the end of the range are padding.
    static func forEach(
        in file: RawSpan,
        _ range: Range<Int>,
        _ body: (BoxHeader, Range<Int>) throws -> Void
    ) throws {
        var offset = range.lowerBound
        while range.upperBound - offset >= 8 {
            var reader = ByteReader(file.extracting(offset..<range.upperBound), base: offset)
            let header = try BoxHeader(reading: &reader)
            let start = reader.offset
            try reader.skip(header.contentSize(of: reader.remaining), "content of the \(header.type) box")
            try body(header, start..<reader.offset)
            offset = reader.offset
        }
    }

    /// Returns the content range of the first top-level box of a type.
    static func first(_ type: FourCC, in file: RawSpan) throws -> Range<Int>? {
        var found: Range<Int>?
        try forEach(in: file, 0..<file.byteCount) { header, content in
            if header.type == type, found == nil { found = content }
        }
        return found
    }
}
