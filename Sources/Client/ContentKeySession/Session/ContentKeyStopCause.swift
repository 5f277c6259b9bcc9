/// The reason why a key was stopped.
public enum ContentKeyStopCause: String, Sendable, Hashable {
    /// The lease expired.
    case leaseExpired
    /// The key was invalidated.
    case revoked
    /// The session ended.
    case sessionExpired
}
