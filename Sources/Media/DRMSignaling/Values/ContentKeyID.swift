public import ByteCoding

/// A content key ID (KID): 16 bytes, which are not secret (ISO/IEC 23001-7, 8.2).
///
/// The bytes are a UUID in network byte order, without reordering. `MediaFormats` has a separate type for the same
/// bytes; ``bytes`` converts between them.
public struct ContentKeyID: Hashable, Sendable {
    private let value: SixteenBytes

    /// Creates an ID from 16 bytes; nil for another size.
    public init?(_ bytes: some Collection<UInt8>) {
        guard let value = SixteenBytes(bytes) else { return nil }
        self.value = value
    }

    /// Parses 32 hexadecimal digits in any letter case, optionally after `0x`, or a UUID with dashes.
    ///
    /// - Parameter field: The name of the option, for errors.
    /// - Throws: `invalid-key`. The error does not contain the text, because it may be a key given in the wrong place.
    public init(parsing text: some StringProtocol, field: String = "key ID") throws(SignalingError) {
        guard let value = SixteenBytes(text: text) else {
            throw SignalingError(
                .invalidKey,
                field,
                "expected 32 hexadecimal digits or a UUID; found \(text.utf8.count) other characters"
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

    /// Generates an ID: a version 4 UUID, whose other bits are random (RFC 9562, 5.4).
    public init(randomFrom generator: inout some RandomNumberGenerator) {
        value = SixteenBytes(
            high: generator.next() & ~0xF000 | 0x4000,
            low: generator.next() & ~(3 << 62) | 2 << 62
        )
    }

    /// The 16 bytes.
    public var bytes: [UInt8] { value.bytes }

    /// The ID as 32 lowercase hexadecimal digits.
    public var hexadecimal: String { value.hexadecimal }

    /// The ID as a lowercase UUID, as in `cenc:default_KID` in DASH.
    public var uuid: String { value.uuid }
}

extension ContentKeyID: CustomStringConvertible {
    /// The ID as 32 lowercase hexadecimal digits.
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
