public import ByteCoding

/// The version of the Kext Deny List that a Mac has loaded (Table 3-6).
///
///     bytes    field
///     0-7      tag 0x70eca6573388e329
///     8-11     block length
///     12-15    value length: 4
///     16-19    Kext Deny List version
///     20...    padding
public struct KextDenyListVersion: TLLVContent {
    /// The version, 4 bytes in the message.
    public let version: UInt32

    /// Creates the value from its version.
    public init(_ version: UInt32) { self.version = version }

    /// The tag, 0x70eca6573388e329.
    public static let tag = TLLVTag.kextDenyListVersion
    /// The size of the value: 4 bytes.
    public static let valueLengths = TLLVValueLengths.exactly(4)

    /// Reads the version.
    public init(readingValue reader: inout ByteReader) throws(ParseError) {
        version = try reader.readUInt32("Kext Deny List version")
    }

    /// Writes the version.
    public func writeValue(to writer: inout ByteWriter) {
        writer.write(version)
    }
}
