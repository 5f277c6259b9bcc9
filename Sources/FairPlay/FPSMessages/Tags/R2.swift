public import ByteCoding

/// R2, the input of the function that derives DASk (Table 2-4).
///
///     bytes    field
///     0-7      tag 0x71b5595ac1521133
///     8-11     block length
///     12-15    value length: 21
///     16-36    R2
///     37...    padding
public struct R2: TLLVContent {
    /// R2, 21 bytes.
    public let bytes: [UInt8]

    /// Creates the value from its 21 bytes.
    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The tag, 0x71b5595ac1521133.
    public static let tag = TLLVTag.r2
    /// The size of the value: 21 bytes.
    public static let valueLengths = TLLVValueLengths.exactly(21)

    /// Reads the bytes.
    public init(readingValue reader: inout ByteReader) throws(ParseError) {
        bytes = try reader.readBytes(21, "R2")
    }

    /// Writes the bytes.
    public func writeValue(to writer: inout ByteWriter) {
        writer.write(bytes)
    }
}
