public import ByteCoding

/// The [SK...R1] integrity block, which the last 16 bytes of the decrypted [SK...R1] must equal (Table 2-4).
///
///     bytes    field
///     0-7      tag 0xb349d4809e910687
///     8-11     block length
///     12-15    value length: 16
///     16-31    integrity value
///     32...    padding
public struct SessionKeyAndR1Integrity: TLLVContent {
    /// The integrity value, 16 bytes. Compare it in constant time.
    public let bytes: [UInt8]

    /// Creates the value from its 16 bytes.
    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The tag, 0xb349d4809e910687.
    public static let tag = TLLVTag.sessionKeyAndR1Integrity
    /// The size of the value: 16 bytes.
    public static let valueLengths = TLLVValueLengths.exactly(16)

    /// Reads the bytes.
    public init(readingValue reader: inout ByteReader) throws(ParseError) {
        bytes = try reader.readBytes(16, "integrity value")
    }

    /// Writes the bytes.
    public func writeValue(to writer: inout ByteWriter) {
        writer.write(bytes)
    }
}
