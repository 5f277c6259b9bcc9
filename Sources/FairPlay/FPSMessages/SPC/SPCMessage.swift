public import ByteCoding

/// A Server Playback Context (SPC) message: a header with an AES key, which is encrypted with the public key of the
/// application certificate, and a payload encrypted with that AES key.
///
/// Table 2-3, errata applied:
///
///     bytes, v1  bytes, v2  field
///     0-3        0-3        SPC version: 1 (RSA-1024) or 2 (RSA-2048)
///     4-7        4-7        reserved
///     8-23       8-23       IV of the payload
///     24-151     24-279     AES-128 key of the payload, RSA-OAEP (SHA-1)
///     152-171    280-299    SHA-1 of the DER-encoded application certificate
///     172-175    300-303    payload length: a multiple of 16
///     176...     304...     payload, AES-128-CBC
public struct SPCMessage: Sendable, Hashable {
    /// The version.
    public let version: SPCVersion
    /// The reserved field, with the value of the message.
    public let reserved: UInt32
    /// The IV of the encrypted payload, 16 bytes.
    public let iv: [UInt8]
    /// The encrypted AES key of the payload: 128 bytes in version 1, 256 in version 2.
    public let encryptedKey: [UInt8]
    /// The SHA-1 of the application certificate in DER, 20 bytes.
    public let certificateHash: [UInt8]
    /// The encrypted payload, whose size is a multiple of 16 bytes.
    public let encryptedPayload: [UInt8]

    /// Creates a message from its fields. The caller must ensure that their sizes are correct.
    public init(
        version: SPCVersion,
        reserved: UInt32 = 0,
        iv: [UInt8],
        encryptedKey: [UInt8],
        certificateHash: [UInt8],
        encryptedPayload: [UInt8]
    ) {
        self.version = version
        self.reserved = reserved
        self.iv = iv
        self.encryptedKey = encryptedKey
        self.certificateHash = certificateHash
        self.encryptedPayload = encryptedPayload
    }

    /// Parses a message of version 1 or 2.
    ///
    /// - Throws: `unsupported-version`, `spc-version-3`, `truncated`, `length-not-multiple-of-16`, `trailing-bytes`.
    public init(parsing bytes: [UInt8]) throws(ParseError) {
        var reader = ByteReader(bytes.span.bytes)
        version = SPCVersion(rawValue: try reader.readUInt32("SPC version"))
        guard let encryptedKeyLength = version.encryptedKeyLength else {
            throw ParseError(
                version == .version3 ? .spcVersion3 : .unsupportedVersion,
                reading: "SPC version",
                offset: 0,
                reason: "\(version)"
            )
        }
        reserved = try reader.readUInt32("reserved field of the SPC")
        iv = try reader.readBytes(16, "IV of the SPC payload")
        encryptedKey = try reader.readBytes(encryptedKeyLength, "encrypted AES key")
        certificateHash = try reader.readBytes(20, "certificate hash")
        let payloadLength = Int(try reader.readUInt32("SPC payload length"))
        guard payloadLength.isMultiple(of: 16) else {
            throw ParseError(
                .lengthNotMultipleOf16,
                reading: "SPC payload length",
                offset: reader.offset - 4,
                reason: "\(payloadLength)"
            )
        }
        encryptedPayload = try reader.readBytes(payloadLength, "SPC payload")
        try reader.finish("SPC")
    }

    /// The encoded message.
    public var encoded: [UInt8] {
        var writer = ByteWriter(capacity: 48 + encryptedKey.count + encryptedPayload.count)
        writer.write(version.rawValue)
        writer.write(reserved)
        writer.write(iv)
        writer.write(encryptedKey)
        writer.write(certificateHash)
        writer.write(UInt32(encryptedPayload.count))
        writer.write(encryptedPayload)
        return writer.bytes
    }
}
