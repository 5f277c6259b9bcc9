public import ByteCoding

/// The versions of FPS that the device supports (Table 2-4).
///
///     bytes    field
///     0-7      tag 0x67b8fb79ecce1a13
///     8-11     block length
///     12-15    value length: a multiple of 4, at least 4
///     16...    versions, 4 bytes each
///     ...      padding
public struct ProtocolVersionsSupported: TLLVContent {
    /// The versions, in the order of the message.
    public let versions: [UInt32]

    /// Creates the list from its versions.
    public init(_ versions: [UInt32]) { self.versions = versions }

    /// The tag, 0x67b8fb79ecce1a13.
    public static let tag = TLLVTag.protocolVersionsSupported
    /// The size of the value: a multiple of 4 bytes, at least 4.
    public static let valueLengths = TLLVValueLengths.range(4...Int(UInt32.max), step: 4)

    /// Reads all versions.
    public init(readingValue reader: inout ByteReader) throws(ParseError) {
        var versions: [UInt32] = []
        while reader.remaining > 0 {
            versions.append(try reader.readUInt32("supported protocol version"))
        }
        self.versions = versions
    }

    /// Writes the versions.
    public func writeValue(to writer: inout ByteWriter) {
        for version in versions { writer.write(version) }
    }
}
