import TextCoding

/// A number of a message that can have any value, with names for the values that the guide lists.
public protocol NamedNumber: RawRepresentable, Hashable, Sendable, CustomStringConvertible
where RawValue: FixedWidthInteger & UnsignedInteger & Sendable {
    /// The names of the values that the guide lists.
    static var names: [RawValue: String] { get }

    /// Creates a value from its number; every number is valid.
    init(rawValue: RawValue)
}

extension NamedNumber {
    /// The guide's name for this value; nil if the guide does not list it.
    public var name: String? { Self.names[rawValue] }

    /// The name, or the number in hexadecimal with leading zeros.
    public var description: String { name ?? hexadecimal }

    /// The number in hexadecimal with leading zeros.
    public var hexadecimal: String { "0x" + Hexadecimal.encode(rawValue) }
}
