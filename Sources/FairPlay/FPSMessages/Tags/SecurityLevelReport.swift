public import ByteCoding
import TextCoding

/// The security level of the device (Tables 3-7 and 3-8).
///
///     bytes    field
///     0-7      tag 0xb18ee16ea50f6c02
///     8-11     block length
///     12-15    value length: 20, or 16 if the last field is missing
///     16-19    version of the TLLV: 1
///     20-23    reserved
///     24-31    security level
///     32-35    Kext Deny List version; the guide added it in 2024 without a new version of the TLLV
///     36...    padding
public struct SecurityLevelReport: TLLVContent {
    /// The level of the device: ``SecurityLevel/baseline`` or ``SecurityLevel/main``.
    public let level: SecurityLevel
    /// The Kext Deny List version of a Mac; nil if the field is missing. The separate TLLV takes precedence.
    public let kextDenyListVersion: UInt32?
    /// The reserved field, with the value of the message.
    public let reserved: UInt32

    /// Creates a report from its fields.
    public init(level: SecurityLevel, kextDenyListVersion: UInt32?, reserved: UInt32 = 0) {
        self.level = level
        self.kextDenyListVersion = kextDenyListVersion
        self.reserved = reserved
    }

    /// The tag, 0xb18ee16ea50f6c02.
    public static let tag = TLLVTag.securityLevelReport
    /// The size of the value: 16 bytes, or 20 and more. Bytes after the known fields are ignored.
    public static let valueLengths = TLLVValueLengths.atLeast(16)
    /// The version field; only version 1 is supported.
    public static let versioning: TLLVVersioning? = TLLVVersioning(offset: 0, known: 1...1)

    /// Reads the fields.
    ///
    /// - Throws: `invalid-value-length` if the last field is truncated.
    public init(readingValue reader: inout ByteReader) throws(ParseError) {
        try reader.skip(4, "version of security-level-report")
        reserved = try reader.readUInt32("reserved field of security-level-report")
        level = SecurityLevel(rawValue: try reader.readUInt64("security level"))
        guard !(1...3).contains(reader.remaining) else {
            throw ParseError(
                .invalidValueLength,
                reading: "Kext Deny List version",
                offset: reader.offset,
                reason: counted(reader.remaining, "byte")
            )
        }
        kextDenyListVersion = reader.remaining == 0 ? nil : try reader.readUInt32("Kext Deny List version")
    }

    /// Writes the fields.
    public func writeValue(to writer: inout ByteWriter) {
        writer.write(UInt32(1))
        writer.write(reserved)
        writer.write(level.rawValue)
        if let kextDenyListVersion { writer.write(kextDenyListVersion) }
    }
}
