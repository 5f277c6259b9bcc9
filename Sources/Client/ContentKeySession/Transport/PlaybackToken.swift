/// A token that authorizes a viewer to play. It is never printed.
public struct PlaybackToken: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The token itself, for the `Authorization` header.
    public let value: String

    /// Creates a token.
    public init(_ value: String) { self.value = value }

    /// A fixed text, without the value.
    public var description: String { "token" }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
