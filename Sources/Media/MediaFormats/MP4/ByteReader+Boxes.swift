public import ByteCoding

extension ParseError.Code {
    /// The input is in order, but needs what this library does not do; the reason says what.
    public static let notSupported = ParseError.Code(rawValue: "not-supported")
    /// A box is missing that has to be there.
    public static let missingBox = ParseError.Code(rawValue: "missing-box")
    /// The `moov` box comes behind the media data, which has passed by already.
    public static let movieBehindMedia = ParseError.Code(rawValue: "movie-behind-media")
}

extension ByteReader {
    /// Reads a four-character code.
    public mutating func readFourCC(_ field: @autoclosure () -> String) throws(ParseError) -> FourCC {
        FourCC(rawValue: try readUInt32(field()))
    }

    /// Reads a number of 4 bytes in version 0 of a box, of 8 in version 1.
    mutating func readTime(_ header: FullBoxHeader, _ field: @autoclosure () -> String) throws(ParseError) -> UInt64 {
        header.version == 0 ? UInt64(try readUInt32(field())) : try readUInt64(field())
    }

    /// Reads the number of entries of a table, each of `size` bytes, and holds that they are there: so a count from an
    /// enemy never decides how much memory is taken.
    mutating func readCount(entrySize: Int, _ field: @autoclosure () -> String) throws(ParseError) -> Int {
        let offset = self.offset
        let count = Int(try readUInt32(field()))
        guard count <= remaining / entrySize else {
            throw ParseError(
                .invalidLength,
                reading: field(),
                offset: offset,
                reason: "\(count) entries of \(entrySize) bytes do not fit into the \(remaining) bytes that are left"
            )
        }
        return count
    }

    /// Takes what is left.
    mutating func readRest(_ field: @autoclosure () -> String) throws(ParseError) -> [UInt8] {
        try readBytes(remaining, field())
    }

    /// Reads UTF-8 up to a 0 or, where that is missing, to the end.
    mutating func readString(_ field: @autoclosure () -> String) throws(ParseError) -> String {
        var bytes: [UInt8] = []
        while remaining > 0 {
            let byte = try readUInt8(field())
            if byte == 0 { break }
            bytes.append(byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Hands the boxes that are left to `body`, one after the other, each with a reader over its content.
    ///
    /// Fewer than 8 bytes at the end are passed over if they are 0: QuickTime ends lists of boxes with 4 such bytes.
    mutating func readBoxes(
        in container: FourCC,
        _ body: (BoxHeader, inout ByteReader) throws(ParseError) -> Void
    ) throws(ParseError) {
        while remaining > 0 {
            if remaining < 8, try isZeroPadding(container) { return }
            let header = try BoxHeader(reading: &self)
            var content = try split(header.contentSize(of: remaining), "\(header.type) box in \(container)")
            try body(header, &content)
        }
    }

    private mutating func isZeroPadding(_ container: FourCC) throws(ParseError) -> Bool {
        let offset = self.offset
        guard try readRest("end of \(container)").allSatisfy({ $0 == 0 }) else {
            throw ParseError(.truncated, reading: "header of a box in \(container)", offset: offset)
        }
        return true
    }
}

extension RawSpan {
    /// A big-endian number of a table whose place was held against the input when it was read.
    ///
    /// The load itself is checked as well: a place outside ends the program, it never reads foreign memory.
    @inline(__always)
    func load<Number: FixedWidthInteger & BitwiseCopyable>(_ offset: Int, as _: Number.Type) -> Number {
        Number(bigEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: Number.self))
    }
}
