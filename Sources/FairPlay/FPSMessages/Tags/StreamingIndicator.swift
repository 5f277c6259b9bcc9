public import ByteCoding

/// The place where the content will be displayed (Tables 2-4 and 2-5, errata applied).
///
///     bytes    field
///     0-7      tag 0xabb0256a31843974
///     8-11     block length
///     12-15    value length: 8
///     16-23    indicator
///     24...    padding
public struct StreamingIndicator: TLLVContent, NamedNumber {
    /// The number, 8 bytes in the message. Any number without a name means the requesting device.
    public let rawValue: UInt64

    /// Creates an indicator from its number.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// AirPlay to an Apple TV, or to a television or set-top box that supports FPS.
    public static let airPlay = StreamingIndicator(rawValue: 0xabb0_256a_3184_3974)
    /// An Apple digital AV adapter. HU is then the ID of the adapter, not of the device.
    public static let digitalAVAdapter = StreamingIndicator(rawValue: 0x5f9c_8132_b59f_2fde)

    /// The names of Table 2-5.
    public static let names: [UInt64: String] = [
        airPlay.rawValue: "AirPlay", digitalAVAdapter.rawValue: "digital AV adapter",
    ]

    /// The tag, 0xabb0256a31843974.
    public static let tag = TLLVTag.streamingIndicator
    /// The size of the value: 8 bytes.
    public static let valueLengths = TLLVValueLengths.exactly(8)

    /// Reads the number.
    public init(readingValue reader: inout ByteReader) throws(ParseError) {
        rawValue = try reader.readUInt64("streaming indicator")
    }

    /// Writes the number.
    public func writeValue(to writer: inout ByteWriter) {
        writer.write(rawValue)
    }
}
