public import ByteCoding

/// The content key, encrypted with the session key, and the IV of the content (Table 2-12).
///
///     bytes    field
///     0-7      tag 0x58b38165af0e3d5a
///     8-11     block length
///     12-15    value length: 32
///     16-31    IV of the content
///     32-47    content key, AES-128-ECB with SK
///     48...    padding
public struct EncryptedContentKey: TLLVContent {
    /// The IV of the content's samples, 16 bytes.
    public let iv: [UInt8]
    /// The encrypted content key, 16 bytes.
    public let encryptedKey: [UInt8]

    /// Creates the value from the IV (16 bytes) and the encrypted key (16 bytes).
    public init(iv: [UInt8], encryptedKey: [UInt8]) {
        self.iv = iv
        self.encryptedKey = encryptedKey
    }

    /// The tag, 0x58b38165af0e3d5a.
    public static let tag = TLLVTag.encryptedContentKey
    /// The size of the value: 32 bytes.
    public static let valueLengths = TLLVValueLengths.exactly(32)

    /// Reads the IV and the key.
    public init(readingValue reader: inout ByteReader) throws(ParseError) {
        iv = try reader.readBytes(16, "IV of the content")
        encryptedKey = try reader.readBytes(16, "encrypted content key")
    }

    /// Writes the IV and the key.
    public func writeValue(to writer: inout ByteWriter) {
        writer.write(iv)
        writer.write(encryptedKey)
    }
}
