public import ByteCoding

/// The [SK...R1] integrity block: what the last 16 bytes of the decrypted [SK...R1] must equal (Table 2-4).
///
///     bytes    field
///     0-7      tag 0xb349d4809e910687
///     8-11     block length
///     12-15    value length: 16
///     16-31    integrity value
///     32...    padding
public struct SessionKeyAndR1Integrity: TLLVContent {
    /// The 16 bytes. Compare them in constant time.
    public let bytes: [UInt8]

    /// Makes the value from its 16 bytes.
    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// 0xb349d4809e910687.
    public static let tag = TLLVTag.sessionKeyAndR1Integrity
    /// 16 bytes.
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
