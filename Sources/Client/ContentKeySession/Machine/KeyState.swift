/// The state of a key.
package enum KeyState: String, Sendable, Hashable, CaseIterable {
    /// The key is neither loaded nor requested.
    case absent
    /// A request is in progress.
    case requested
    /// The key is loaded.
    case loaded
    /// The key is loaded, and a request for its replacement is in progress.
    case refreshing
}

/// An event of a key.
package enum KeyEvent: String, Sendable, Hashable, CaseIterable {
    /// The app or a recipient needs the key.
    case request
    /// A recipient needs the key on a route whose keys are not reused.
    case requestAgain
    /// The lease of the key is to be renewed.
    case renew
    /// The device accepted the response to a request.
    case load
    /// The request in progress ended without a key.
    case requestEnded
    /// The lease expired.
    case leaseExpired
    /// The device no longer has the key, because it was invalidated.
    case revoke
}

/// The state table of a key. A pair of state and event without a row has no effect.
///
/// | state | event | next | action |
/// |---|---|---|---|
/// | absent | request | requested | a request is made |
/// | absent | requestAgain | requested | a request is made |
/// | requested | request | requested | the recipient waits for the request in progress |
/// | requested | requestAgain | requested | the recipient waits for the request in progress |
/// | requested | load | loaded | the waiters get the key |
/// | requested | requestEnded | absent | the waiters get the error |
/// | loaded | request | loaded | a recipient gets the key |
/// | loaded | requestAgain | refreshing | a request is made |
/// | loaded | renew | refreshing | a renewal request is made |
/// | loaded | leaseExpired | absent | the key is stopped |
/// | loaded | revoke | absent | the key is stopped |
/// | refreshing | request | refreshing | a recipient gets the key in use |
/// | refreshing | requestAgain | refreshing | the recipient waits for the request in progress |
/// | refreshing | load | loaded | the new key replaces the key in use |
/// | refreshing | requestEnded | loaded | the key in use is unchanged |
/// | refreshing | leaseExpired | requested | the key is stopped |
/// | refreshing | revoke | requested | the key is stopped |
package enum KeyTable {
    /// Returns the next state; nil if the table has no row for the pair.
    package static func next(_ state: KeyState, _ event: KeyEvent) -> KeyState? {
        switch (state, event) {
        case (.absent, .request), (.absent, .requestAgain), (.requested, .request), (.requested, .requestAgain),
            (.refreshing, .leaseExpired), (.refreshing, .revoke):
            .requested
        case (.requested, .load), (.loaded, .request), (.refreshing, .load), (.refreshing, .requestEnded): .loaded
        case (.loaded, .requestAgain), (.loaded, .renew), (.refreshing, .request), (.refreshing, .requestAgain):
            .refreshing
        case (.requested, .requestEnded), (.loaded, .leaseExpired), (.loaded, .revoke): .absent
        default: nil
        }
    }
}
