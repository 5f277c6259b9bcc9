public import ByteCoding

/// The content provider's ID of the requested content (Table 2-4).
///
///     bytes    field
///     0-7      tag 0x1bf7f53f5d5d5a1f
///     8-11     block length
///     12-15    value length: 2 to 200
///     16...    asset ID
///     ...      padding
public struct AssetID: TLLVContent {
    /// The ID, 2 to 200 bytes, which the provider chooses; usually UTF-8 text.
    public let bytes: [UInt8]

    /// Creates an asset ID from its bytes. Returns nil unless there are 2 to 200 bytes.
    public init?(_ bytes: some Sequence<UInt8>) {
        self.bytes = Array(bytes)
        guard Self.valueLengths.allows(self.bytes.count) else { return nil }
    }

    /// The tag, 0x1bf7f53f5d5d5a1f.
    public static let tag = TLLVTag.assetID
    /// The size of the value: 2 to 200 bytes.
    public static let valueLengths = TLLVValueLengths.range(2...200)

    /// Reads all bytes.
    public init(readingValue reader: inout ByteReader) throws(ParseError) {
        bytes = try reader.readBytes(reader.remaining, "asset ID")
    }

    /// Writes the bytes.
    public func writeValue(to writer: inout ByteWriter) {
        writer.write(bytes)
    }
}
