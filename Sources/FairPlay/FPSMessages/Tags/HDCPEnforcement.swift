public import ByteCoding

/// The HDCP type that the content requires (Tables 3-12 and 3-13, errata applied). Without this block a device enforces
/// Type 0.
///
///     bytes    field
///     0-7      tag 0x2e52f1530d8ddb4a
///     8-11     block length
///     12-15    value length: 16; 8 is accepted
///     16-23    HDCP level
///     24-31    random bytes
///     32...    padding
public struct HDCPEnforcement: TLLVContent {
    /// The HDCP type.
    public struct Level: NamedNumber {
        /// The number in the message, 8 bytes.
        public let rawValue: UInt64

        /// Creates a level from its number.
        public init(rawValue: UInt64) { self.rawValue = rawValue }

        /// No HDCP.
        public static let notRequired = Level(rawValue: 0xef72_894c_a789_5b78)
        /// HDCP Type 0.
        public static let type0 = Level(rawValue: 0x4079_1ac7_8bd5_c571)
        /// HDCP Type 1.
        public static let type1 = Level(rawValue: 0x285a_0863_bba8_e1d3)

        /// The names of Table 3-13.
        public static let names: [UInt64: String] = [
            notRequired.rawValue: "not required", type0.rawValue: "Type 0", type1.rawValue: "Type 1",
        ]
    }

    /// The HDCP type.
    public let level: Level
    /// The random bytes after the level: 8 bytes, or none if the value has only 8 bytes.
    public let filler: [UInt8]

    /// Creates the value, with a random second half.
    public init(_ level: Level, using random: inout some RandomNumberGenerator) {
        self.level = level
        filler = withUnsafeBytes(of: random.next()) { Array($0) }
    }

    /// The tag, 0x2e52f1530d8ddb4a.
    public static let tag = TLLVTag.hdcpEnforcement
    /// The size of the value: 16 bytes, or 8.
    public static let valueLengths = TLLVValueLengths.oneOf([8, 16])

    /// Reads the level and the random bytes.
    public init(readingValue reader: inout ByteReader) throws(ParseError) {
        level = Level(rawValue: try reader.readUInt64("HDCP level"))
        filler = try reader.readBytes(reader.remaining, "random field of the HDCP enforcement")
    }

    /// Writes the level and the random bytes.
    public func writeValue(to writer: inout ByteWriter) {
        writer.write(level.rawValue)
        writer.write(filler)
    }
}
