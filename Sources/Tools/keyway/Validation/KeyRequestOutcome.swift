/// How far a request for a key came, and the error that ended it.
struct KeyRequestOutcome: Sendable {
    /// A stage of a request.
    enum Stage: Int, Comparable, Sendable {
        /// The application certificate of the server is loaded.
        case certificate
        /// The device creates the SPC.
        case spc
        /// The server responds with a CKC.
        case license
        /// The device opens the CKC, and can play with the key.
        case ckc
        /// The key is available.
        case done

        static func < (left: Stage, right: Stage) -> Bool { left.rawValue < right.rawValue }
    }

    /// The URI of the key; empty if the tag has none.
    let uri: String
    /// The name of the device class.
    let deviceClass: String
    /// True if a persistent key was requested.
    let isPersistent: Bool
    /// The stage that failed; ``Stage/done`` if none did.
    let stage: Stage
    /// The error; nil if the key is available.
    let error: (any Error)?
    /// True if the CKC is that of an earlier request.
    var isRepeated = false
}
