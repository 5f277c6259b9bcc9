public import ByteCoding

/// The version of FPS that the device uses for this transaction (Table 2-4).
///
///     bytes    field
///     0-7      tag 0x5d81bcbcc7f61703
///     8-11     block length
///     12-15    value length: 4
///     16-19    version
///     20...    padding
public struct ProtocolVersionUsed: TLLVContent {
    /// The version, 4 bytes in the message.
    public let version: UInt32

    /// Creates the value from its version.
    public init(_ version: UInt32) { self.version = version }

    /// The tag, 0x5d81bcbcc7f61703.
    public static let tag = TLLVTag.protocolVersionUsed
    /// The size of the value: 4 bytes.
    public static let valueLengths = TLLVValueLengths.exactly(4)

    /// Reads the version.
    public init(readingValue reader: inout ByteReader) throws(ParseError) {
        version = try reader.readUInt32("protocol version used")
    }

    /// Writes the version.
    public func writeValue(to writer: inout ByteWriter) {
        writer.write(version)
    }
}
