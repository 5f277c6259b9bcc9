public import ByteCoding

/// A Content Key Context (CKC) message: a header, and a payload encrypted with a key that both sides derive from R1 and
/// the anti-replay seed.
///
/// Table 2-10:
///
///     bytes    field
///     0-3      CKC version: 1
///     4-7      reserved
///     8-23     IV of the payload, random
///     24-27    payload length: a multiple of 16
///     28...    payload, AES-128-CBC
public struct CKCMessage: Sendable, Hashable {
    /// The CKC version; version 1 is the only version.
    public static let version: UInt32 = 1
    /// The size of the header in bytes.
    public static let headerLength = 28

    /// The reserved field, with the value of the message; 0 in a new message.
    public let reserved: UInt32
    /// The IV of the encrypted payload, 16 bytes.
    public let iv: [UInt8]
    /// The encrypted payload, whose size is a multiple of 16 bytes.
    public let encryptedPayload: [UInt8]

    /// Creates a message from its IV (16 bytes) and its encrypted payload (a multiple of 16 bytes).
    public init(iv: [UInt8], encryptedPayload: [UInt8]) {
        reserved = 0
        self.iv = iv
        self.encryptedPayload = encryptedPayload
    }

    /// Parses a message.
    ///
    /// - Throws: `unsupported-version`, `truncated`, `length-not-multiple-of-16`, `trailing-bytes`.
    public init(parsing bytes: [UInt8]) throws(ParseError) {
        var reader = ByteReader(bytes.span.bytes)
        let version = try reader.readUInt32("CKC version")
        guard version == Self.version else {
            throw ParseError(.unsupportedVersion, reading: "CKC version", offset: 0, reason: "\(version)")
        }
        reserved = try reader.readUInt32("reserved field of the CKC")
        iv = try reader.readBytes(16, "IV of the CKC payload")
        let payloadLength = Int(try reader.readUInt32("CKC payload length"))
        guard payloadLength.isMultiple(of: 16) else {
            throw ParseError(
                .lengthNotMultipleOf16,
                reading: "CKC payload length",
                offset: reader.offset - 4,
                reason: "\(payloadLength)"
            )
        }
        encryptedPayload = try reader.readBytes(payloadLength, "CKC payload")
        try reader.finish("CKC")
    }

    /// The encoded message.
    public var encoded: [UInt8] {
        var writer = ByteWriter(capacity: Self.headerLength + encryptedPayload.count)
        writer.write(Self.version)
        writer.write(reserved)
        writer.write(iv)
        writer.write(UInt32(encryptedPayload.count))
        writer.write(encryptedPayload)
        return writer.bytes
    }
}
