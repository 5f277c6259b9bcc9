import ByteCoding
import MediaFormats

/// Walks through boxes as places in a file.
enum BoxPlaces {
    /// Hands the boxes that lie in `range`, one after the other, to `body`: header, and where the content lies.
    ///
    /// A box that reaches beyond the range is an error; fewer than 8 bytes at its end are padding.
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
            try reader.skip(header.contentSize(of: reader.remaining), "content of a \(header.type) box")
            try body(header, start..<reader.offset)
            offset = reader.offset
        }
    }

    /// The first box of a type at the outermost level: where its content lies.
    static func first(_ type: FourCC, in file: RawSpan) throws -> Range<Int>? {
        var found: Range<Int>?
        try forEach(in: file, 0..<file.byteCount) { header, content in
            if header.type == type, found == nil { found = content }
        }
        return found
    }
}
