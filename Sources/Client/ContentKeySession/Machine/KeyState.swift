/// A key's name in a session: each route has a key of its own.
public struct KeyName: Sendable, Hashable {
    /// The EXT-X-KEY's URI.
    public var identifier: String
    /// Where the content goes.
    public var route: ContentKeyRoute

    /// Makes a name.
    public init(_ identifier: String, _ route: ContentKeyRoute = .local) {
        (self.identifier, self.route) = (identifier, route)
    }
}

/// Whether a key is there.
public enum KeyState: String, Sendable, Hashable, CaseIterable {
    /// It is not, and nobody asked.
    case absent
    /// A request is under way.
    case requested
    /// It is.
    case loaded
    /// It is, and a request for another in its place is under way.
    case refreshing
}

/// What happens to a key.
public enum KeyEvent: String, Sendable, Hashable, CaseIterable {
    /// The app or a recipient wants it.
    case ask
    /// A recipient wants it on a route that keeps no keys.
    case askAfresh
    /// Its lease is to be renewed.
    case renew
    /// The device took the answer to a request.
    case load
    /// The request under way ended without a key.
    case loseRequest
    /// The lease ran out.
    case endLease
    /// The device no longer has the key, because it was invalidated.
    case revoke
}

/// The life of a key. Every pair of state and event that has no row changes nothing and does nothing.
///
/// | state | event | next | what is done |
/// |---|---|---|---|
/// | absent | ask | requested | a request is made |
/// | absent | askAfresh | requested | a request is made |
/// | requested | ask | requested | who asks waits for the request under way |
/// | requested | askAfresh | requested | who asks waits for the request under way |
/// | requested | load | loaded | who waits gets the key |
/// | requested | loseRequest | absent | who waits gets the error |
/// | loaded | ask | loaded | a recipient gets the key; nothing else |
/// | loaded | askAfresh | refreshing | a request is made |
/// | loaded | renew | refreshing | a request for renewal is made |
/// | loaded | endLease | absent | the key is stopped |
/// | loaded | revoke | absent | the key is stopped |
/// | refreshing | ask | refreshing | a recipient gets the key in use |
/// | refreshing | askAfresh | refreshing | who asks waits for the request under way |
/// | refreshing | load | loaded | the key takes the place of the one in use |
/// | refreshing | loseRequest | loaded | the key in use stays |
/// | refreshing | endLease | requested | the key is stopped |
/// | refreshing | revoke | requested | the key is stopped |
public enum KeyTable {
    /// What the state is afterwards; nil if the table has no row for the pair.
    public static func next(_ state: KeyState, _ event: KeyEvent) -> KeyState? {
        switch (state, event) {
        case (.absent, .ask), (.absent, .askAfresh), (.requested, .ask), (.requested, .askAfresh),
            (.refreshing, .endLease), (.refreshing, .revoke):
            .requested
        case (.requested, .load), (.loaded, .ask), (.refreshing, .load), (.refreshing, .loseRequest): .loaded
        case (.loaded, .askAfresh), (.loaded, .renew), (.refreshing, .ask), (.refreshing, .askAfresh): .refreshing
        case (.requested, .loseRequest), (.loaded, .endLease), (.loaded, .revoke): .absent
        default: nil
        }
    }
}
