public import ByteCoding

/// The UUID of a protection system: 16 bytes, as in `pssh` boxes and DASH manifests (ISO/IEC 23001-7, 8.1).
public struct SystemID: Hashable, Sendable {
    private let value: SixteenBytes

    /// Creates an ID from 16 bytes; nil for another size.
    public init?(_ bytes: some Collection<UInt8>) {
        guard let value = SixteenBytes(bytes) else { return nil }
        self.value = value
    }

    /// Parses a UUID with dashes, or 32 hexadecimal digits; nil for any other text.
    public init?(_ text: some StringProtocol) {
        guard let value = SixteenBytes(text: text) else { return nil }
        self.value = value
    }

    /// Reads 16 bytes.
    ///
    /// - Throws: `ParseError` `truncated`.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        value = try SixteenBytes(reading: &reader, "system ID")
    }

    /// The 16 bytes.
    public var bytes: [UInt8] { value.bytes }

    /// FairPlay Streaming, as Apple registered it with DASH-IF.
    public static let fairPlay: SystemID = "94ce86fb-07ff-4f43-adb8-93d2fa968ca2"
    /// Widevine.
    public static let widevine: SystemID = "edef8ba9-79d6-4ace-a3c8-27dcd51d21ed"
    /// PlayReady.
    public static let playReady: SystemID = "9a04f079-9840-4286-ab92-e65be0885f95"
    /// The common system of the W3C: only key IDs, for any system that the client supports. Browsers treat it as Clear
    /// Key.
    public static let common: SystemID = "1077efec-c0b2-4d02-ace3-3c1e52e2fb4b"
}

extension SystemID: ExpressibleByStringLiteral {
    /// Creates an ID from a UUID literal.
    public init(stringLiteral text: String) {
        guard let value = SixteenBytes(text: text) else { preconditionFailure("a system ID is a UUID") }
        self.value = value
    }
}

extension SystemID: CustomStringConvertible {
    /// The ID as a lowercase UUID.
    public var description: String { value.uuid }
}
