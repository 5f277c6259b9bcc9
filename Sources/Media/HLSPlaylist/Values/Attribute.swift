/// An attribute that the tag's definition does not list: kept, and written back after the known ones.
public struct Attribute: Hashable, Sendable {
    /// The name: `A` to `Z`, digits and hyphens.
    public var name: String
    /// The value, without quotation marks.
    public var value: String
    /// Whether it is written between quotation marks.
    public var isQuoted: Bool

    /// Makes an attribute.
    public init(name: String, value: String, isQuoted: Bool) {
        self.name = name
        self.value = value
        self.isQuoted = isQuoted
    }
}
