import TextCoding

/// A number from the wire that keeps any value, and knows the names of those that the guide lists.
public protocol NamedNumber: RawRepresentable, Hashable, Sendable, CustomStringConvertible
where RawValue: FixedWidthInteger & UnsignedInteger & Sendable {
    /// The names of the values that the guide lists.
    static var names: [RawValue: String] { get }

    /// Every number is a value.
    init(rawValue: RawValue)
}

extension NamedNumber {
    /// The guide's name for this value, or nil if it lists none.
    public var name: String? { Self.names[rawValue] }

    /// The name, or the number in hexadecimal at its full width.
    public var description: String { name ?? hexadecimal }

    /// The number in hexadecimal at its full width.
    public var hexadecimal: String { "0x" + Hexadecimal.encode(rawValue) }
}
