public import ByteCoding

extension ByteReader {
    /// Reads a four-character code.
    public mutating func readFourCC(_ field: @autoclosure () -> String) throws(ParseError) -> FourCC {
        FourCC(rawValue: try readUInt32(field()))
    }

    /// Reads a number of 4 bytes in version 0 of a box, of 8 in version 1.
    mutating func readTime(_ header: FullBoxHeader, _ field: @autoclosure () -> String) throws(ParseError) -> UInt64 {
        header.version == 0 ? UInt64(try readUInt32(field())) : try readUInt64(field())
    }

    /// Reads the number of entries of a table, each of `size` bytes, and holds that they are there: so a count from an enemy
    /// never decides how much memory is taken.
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
}
