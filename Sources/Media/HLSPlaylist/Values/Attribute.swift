/// An attribute that the tag's definition does not list. It is preserved, and written after the known attributes.
public struct Attribute: Hashable, Sendable {
    /// The name: `A` to `Z`, digits and hyphens.
    public var name: String
    /// The value, without quotation marks.
    public var value: String
    /// True if the value is quoted.
    public var isQuoted: Bool

    /// Creates an attribute.
    public init(name: String, value: String, isQuoted: Bool) {
        self.name = name
        self.value = value
        self.isQuoted = isQuoted
    }
}
