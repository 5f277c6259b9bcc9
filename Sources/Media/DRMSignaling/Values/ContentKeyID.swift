public import ByteCoding

/// The ID of a content key, KID for short: 16 bytes, which are public (ISO/IEC 23001-7, 8.2).
///
/// They have the form of a UUID, written in the order in which they are stored: no byte changes its place.
/// `MediaFormats` has a value of its own for the same bytes; ``bytes`` leads from one to the other.
public struct ContentKeyID: Hashable, Sendable {
    private let value: SixteenBytes

    /// Makes an ID of 16 bytes; nil when there are more or fewer.
    public init?(_ bytes: some Collection<UInt8>) {
        guard let value = SixteenBytes(bytes) else { return nil }
        self.value = value
    }

    /// Reads an ID as a person writes it: 32 hexadecimal digits in either case, with `0x` before them or not, or a
    /// UUID with dashes.
    ///
    /// - Parameter field: What an error calls it: the name of the option.
    /// - Throws: `invalid-key`. The text is not repeated, since it may be a key that was put into the wrong place.
    public init(parsing text: some StringProtocol, field: String = "key ID") throws(SignalingError) {
        guard let value = SixteenBytes(text: text) else {
            throw SignalingError(
                .invalidKey,
                field,
                "32 hexadecimal digits or a UUID expected, \(text.utf8.count) characters found that are neither"
            )
        }
        self.value = value
    }

    /// Reads 16 bytes.
    ///
    /// - Throws: `ParseError` `truncated`.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        value = try SixteenBytes(reading: &reader, "key ID")
    }

    /// A new ID: a UUID of version 4, which is random but for its version and variant (RFC 9562, 5.4).
    public init(randomFrom generator: inout some RandomNumberGenerator) {
        value = SixteenBytes(
            high: generator.next() & ~0xF000 | 0x4000,
            low: generator.next() & ~(3 << 62) | 2 << 62
        )
    }

    /// The 16 bytes.
    public var bytes: [UInt8] { value.bytes }

    /// 32 lower-case hexadecimal digits.
    public var hexadecimal: String { value.hexadecimal }

    /// A UUID in lower case, as `cenc:default_KID` of DASH has it.
    public var uuid: String { value.uuid }
}

extension ContentKeyID: CustomStringConvertible {
    /// 32 lower-case hexadecimal digits.
    public var description: String { hexadecimal }
}

extension SixteenBytes {
    init(reading reader: inout ByteReader, _ field: String) throws(ParseError) {
        let offset = reader.offset
        let bytes = try reader.readBytes(16, field)
        guard let value = SixteenBytes(bytes) else { throw ParseError(.truncated, reading: field, offset: offset) }
        self = value
    }
}
