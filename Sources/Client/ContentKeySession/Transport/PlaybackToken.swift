/// What says that the viewer may watch. It never prints.
public struct PlaybackToken: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The token itself, for the `Authorization` header.
    public let value: String

    /// Makes a token.
    public init(_ value: String) { self.value = value }

    /// Nothing of it.
    public var description: String { "token" }
    /// Nothing of it.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
