public import ByteCoding

/// The anti-replay (AR) seed, from which the key of the CKC's payload is derived (Table 2-4).
///
///     bytes    field
///     0-7      tag 0x89c90f12204106b2
///     8-11     block length
///     12-15    value length: 16
///     16-31    AR seed
///     32...    padding
public struct AntiReplaySeed: TLLVContent {
    /// The seed, 16 bytes.
    public let bytes: [UInt8]

    /// Creates the value from its 16 bytes.
    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The tag, 0x89c90f12204106b2.
    public static let tag = TLLVTag.antiReplaySeed
    /// The size of the value: 16 bytes.
    public static let valueLengths = TLLVValueLengths.exactly(16)

    /// Reads the bytes.
    public init(readingValue reader: inout ByteReader) throws(ParseError) {
        bytes = try reader.readBytes(16, "AR seed")
    }

    /// Writes the bytes.
    public func writeValue(to writer: inout ByteWriter) {
        writer.write(bytes)
    }
}
