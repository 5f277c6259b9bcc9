public import ByteCoding

/// The [SK...R1] block: the session key, the anonymous device ID and R1, encrypted with DASk.
///
/// Table 2-6, errata applied:
///
///     bytes    field
///     0-7      tag 0x3d1a10b8bffac2ec
///     8-11     block length
///     12-15    value length: 112
///     16-31    IV for the payload
///     32-127   payload, AES-128-CBC
///     128...   padding
public struct SessionKeyAndR1: TLLVContent {
    /// The IV of the encrypted payload, 16 bytes.
    public let iv: [UInt8]
    /// The encrypted payload, 96 bytes.
    public let encryptedPayload: [UInt8]

    /// Creates the value from its IV (16 bytes) and its encrypted payload (96 bytes).
    public init(iv: [UInt8], encryptedPayload: [UInt8]) {
        self.iv = iv
        self.encryptedPayload = encryptedPayload
    }

    /// The tag, 0x3d1a10b8bffac2ec.
    public static let tag = TLLVTag.sessionKeyAndR1
    /// The size of the value: 112 bytes.
    public static let valueLengths = TLLVValueLengths.exactly(112)

    /// Reads the IV and the payload.
    public init(readingValue reader: inout ByteReader) throws(ParseError) {
        iv = try reader.readBytes(16, "IV of sk-r1")
        encryptedPayload = try reader.readBytes(96, "payload of sk-r1")
    }

    /// Writes the IV and the payload.
    public func writeValue(to writer: inout ByteWriter) {
        writer.write(iv)
        writer.write(encryptedPayload)
    }

    /// The positions of the fields in the decrypted payload of 96 bytes (Table 2-7).
    public enum Payload {
        /// The session key SK, 16 bytes.
        public static let sessionKey = 0..<16
        /// The anonymous device ID HU, 20 bytes.
        public static let hu = 16..<36
        /// R1, 44 bytes.
        public static let r1 = 36..<80
        /// The integrity value, which must equal the [SK...R1] integrity block, 16 bytes.
        public static let integrity = 80..<96
    }
}
