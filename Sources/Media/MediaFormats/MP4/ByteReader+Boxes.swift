public import ByteCoding

extension ParseError.Code {
    /// The input is valid, but uses a feature that this library does not support; the reason names it.
    public static let notSupported = ParseError.Code(rawValue: "not-supported")
    /// A required box is missing.
    public static let missingBox = ParseError.Code(rawValue: "missing-box")
    /// The `moov` box follows the media data, which have already been read.
    public static let moovAfterMdat = ParseError.Code(rawValue: "moov-after-mdat")
}

extension ByteReader {
    /// Reads a four-character code.
    public mutating func readFourCC(_ field: @autoclosure () -> String) throws(ParseError) -> FourCC {
        FourCC(rawValue: try readUInt32(field()))
    }

    /// Reads a number of 4 bytes if the box has version 0, or 8 bytes if it has version 1.
    mutating func readTime(_ header: FullBoxHeader, _ field: @autoclosure () -> String) throws(ParseError) -> UInt64 {
        header.version == 0 ? UInt64(try readUInt32(field())) : try readUInt64(field())
    }

    /// Reads the number of entries of a table and checks that the reader contains that many entries of `entrySize`
    /// bytes, so that an invalid count cannot cause a large memory allocation.
    mutating func readCount(entrySize: Int, _ field: @autoclosure () -> String) throws(ParseError) -> Int {
        let offset = self.offset
        let count = Int(try readUInt32(field()))
        guard count <= remaining / entrySize else {
            throw ParseError(
                .invalidLength,
                reading: field(),
                offset: offset,
                reason: "\(count) entries of \(entrySize) bytes do not fit in the \(remaining) bytes that are left"
            )
        }
        return count
    }

    /// Reads the remaining bytes.
    mutating func readRest(_ field: @autoclosure () -> String) throws(ParseError) -> [UInt8] {
        try readBytes(remaining, field())
    }

    /// Reads UTF-8 text up to a 0 byte or the end.
    mutating func readString(_ field: @autoclosure () -> String) throws(ParseError) -> String {
        var bytes: [UInt8] = []
        while remaining > 0 {
            let byte = try readUInt8(field())
            if byte == 0 { break }
            bytes.append(byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Calls `body` for each remaining box, with its header and a reader for its content.
    ///
    /// Fewer than 8 bytes at the end are skipped if they are zeros: QuickTime terminates lists of boxes with 4 zero
    /// bytes.
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
    /// Loads a big-endian number of a table whose position was checked against the input when it was read.
    ///
    /// The load is checked, too: an offset outside of the span stops the program, and no memory outside of it is read.
    @inline(__always)
    func load<Number: FixedWidthInteger & BitwiseCopyable>(_ offset: Int, as _: Number.Type) -> Number {
        Number(bigEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: Number.self))
    }
}
