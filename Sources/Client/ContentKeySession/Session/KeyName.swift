/// The name of a key in a session: each route has a separate key.
public struct KeyName: Sendable, Hashable {
    /// The URI of the EXT-X-KEY tag.
    public var identifier: String
    /// The output route of the content.
    public var route: ContentKeyRoute

    /// Creates a name.
    public init(_ identifier: String, _ route: ContentKeyRoute = .local) {
        (self.identifier, self.route) = (identifier, route)
    }
}
