public import ByteCoding

/// The data in Widevine's `pssh` box: a Protocol Buffers message with public field numbers (Widevine, "Common
/// Encryption for ISO BMFF"; `WidevinePsshData` in the source code of Chromium and Shaka Packager).
///
///     key_ids               2   bytes, 16 each, repeated
///     provider              3   string
///     content_id            4   bytes
///     crypto_period_index   7   number: the key period of a live stream
///     protection_scheme     9   number: four characters; if absent, cenc
///
/// Unknown fields are preserved, and written after these.
public struct WidevineHeader: Hashable, Sendable {
    /// The key IDs.
    public var keyIDs: [ContentKeyID]
    /// The content provider, as registered with Widevine; nil if not specified.
    public var provider: String?
    /// The content ID on the license server; nil if not specified.
    public var contentID: [UInt8]?
    /// The number of the key period of a live stream; nil without key rotation.
    public var cryptoPeriodIndex: UInt32?
    /// The scheme; nil if not specified, which means `cenc`.
    public var scheme: CommonEncryptionScheme?
    private var others: [ProtobufField] = []

    private enum Number {
        static let keyID: UInt32 = 2
        static let provider: UInt32 = 3
        static let contentID: UInt32 = 4
        static let cryptoPeriodIndex: UInt32 = 7
        static let scheme: UInt32 = 9
    }

    /// Creates a header.
    public init(
        keyIDs: [ContentKeyID],
        provider: String? = nil,
        contentID: [UInt8]? = nil,
        cryptoPeriodIndex: UInt32? = nil,
        scheme: CommonEncryptionScheme?
    ) {
        self.keyIDs = keyIDs
        self.provider = provider
        self.contentID = contentID
        self.cryptoPeriodIndex = cryptoPeriodIndex
        self.scheme = scheme
    }

    /// Parses the data of a `pssh` box. If a field that must not be repeated is repeated, the last one is used, as
    /// Protocol Buffers specifies.
    ///
    /// - Throws: `ParseError`: `truncated`; `invalid-value` for a field with an invalid type or value.
    public init(_ data: [UInt8]) throws(ParseError) {
        var reader = ByteReader(data.span.bytes)
        self.init(keyIDs: [], scheme: nil)
        for field in try ProtobufField.all(reading: &reader) {
            switch (field.number, field.value) {
            case (Number.keyID, .bytes(let bytes)):
                guard let keyID = ContentKeyID(bytes) else { throw Self.invalid("key_ids", "\(bytes.count) bytes") }
                keyIDs.append(keyID)
            case (Number.provider, .bytes(let bytes)):
                guard let text = String(validating: bytes, as: UTF8.self) else {
                    throw Self.invalid("provider", "not in UTF-8")
                }
                provider = text
            case (Number.contentID, .bytes(let bytes)): contentID = bytes
            case (Number.cryptoPeriodIndex, .number(let number)):
                cryptoPeriodIndex = try Self.number(number, "crypto_period_index")
            case (Number.scheme, .number(let number)):
                scheme = CommonEncryptionScheme(code: try Self.number(number, "protection_scheme"))
            case (Number.keyID, _), (Number.provider, _), (Number.contentID, _), (Number.cryptoPeriodIndex, _),
                (Number.scheme, _):
                throw Self.invalid("field \(field.number)", "the wire type does not match the field")
            default: others.append(field)
            }
        }
    }

    /// The data of the `pssh` box: the fields in ascending order, followed by unknown fields.
    public var bytes: [UInt8] {
        var fields = keyIDs.map { ProtobufField(number: Number.keyID, value: .bytes($0.bytes)) }
        if let provider { fields.append(.init(number: Number.provider, value: .bytes(Array(provider.utf8)))) }
        if let contentID { fields.append(.init(number: Number.contentID, value: .bytes(contentID))) }
        if let cryptoPeriodIndex {
            fields.append(.init(number: Number.cryptoPeriodIndex, value: .number(UInt64(cryptoPeriodIndex))))
        }
        if let scheme { fields.append(.init(number: Number.scheme, value: .number(UInt64(scheme.code)))) }
        var writer = ByteWriter()
        for field in fields + others { field.write(to: &writer) }
        return writer.bytes
    }

    private static func number(_ value: UInt64, _ field: String) throws(ParseError) -> UInt32 {
        guard let number = UInt32(exactly: value) else { throw invalid(field, "the number has more than 32 bits") }
        return number
    }

    private static func invalid(_ field: String, _ reason: String) -> ParseError {
        ParseError(.invalidValue, reading: "\(field) of a Widevine header", offset: 0, reason: reason)
    }
}
