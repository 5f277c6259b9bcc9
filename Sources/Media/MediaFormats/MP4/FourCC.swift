import TextCoding

/// A four-character code: the type of a box, a brand, a handler, a sample entry. It has 4 bytes, usually printable.
public struct FourCC: RawRepresentable, Hashable, Sendable {
    /// The four bytes as a big-endian number.
    public let rawValue: UInt32

    /// Creates a code from its four bytes as a big-endian number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }
}

extension FourCC: ExpressibleByStringLiteral {
    /// Creates a code from a literal of four ASCII characters.
    public init(stringLiteral value: StaticString) {
        precondition(value.utf8CodeUnitCount == 4, "a four-character code must have four characters")
        rawValue = value.withUTF8Buffer { $0.reduce(0) { $0 << 8 | UInt32($1) } }
    }
}

extension FourCC: CustomStringConvertible {
    /// The four characters; if they are not all printable, the four bytes in hexadecimal.
    public var description: String {
        let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: rawValue >> UInt32($0)) }
        if bytes.allSatisfy({ (0x20...0x7E).contains($0) }) { return String(decoding: bytes, as: UTF8.self) }
        return "0x" + Hexadecimal.encode(bytes)
    }
}
