public import ByteCoding

/// The security level that the content requires of the device (Tables 3-9 and 3-10).
///
///     bytes    field
///     0-7      tag 0x644cb1dac0313250
///     8-11     block length
///     12-15    value length: 16
///     16-19    version of the TLLV: 1
///     20-23    reserved: 0
///     24-31    security level
///     32...    padding
public struct RequiredSecurityLevel: TLLVContent {
    /// The level: ``SecurityLevel/audio`` for audio, the other levels for video.
    public let level: SecurityLevel
    /// The reserved field, with the value of the message; 0 in a new block.
    public let reserved: UInt32

    /// Creates the value from its level.
    public init(_ level: SecurityLevel) {
        self.level = level
        reserved = 0
    }

    /// The tag, 0x644cb1dac0313250.
    public static let tag = TLLVTag.requiredSecurityLevel
    /// The size of the value: 16 bytes.
    public static let valueLengths = TLLVValueLengths.exactly(16)
    /// The version field; only version 1 is supported.
    public static let versioning: TLLVVersioning? = TLLVVersioning(offset: 0, known: 1...1)

    /// Reads the fields.
    public init(readingValue reader: inout ByteReader) throws(ParseError) {
        try reader.skip(4, "version of required-security-level")
        reserved = try reader.readUInt32("reserved field of required-security-level")
        level = SecurityLevel(rawValue: try reader.readUInt64("required security level"))
    }

    /// Writes the fields.
    public func writeValue(to writer: inout ByteWriter) {
        writer.write(UInt32(1))
        writer.write(reserved)
        writer.write(level.rawValue)
    }
}
