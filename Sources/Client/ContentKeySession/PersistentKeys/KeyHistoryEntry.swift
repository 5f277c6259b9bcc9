/// The history of a stored key: its terms, its events, and the decisions of the device and the server.
///
/// Only the device decides whether a key can be used; this type predicts its decision and the reason without a call to
/// the device. Times are in seconds since 1970, durations in seconds.
public struct KeyHistoryEntry: Sendable, Hashable, Codable {
    /// The terms of use of a key.
    public enum Terms: Sendable, Hashable, Codable {
        /// The terms are unknown.
        case unknown
        /// Playback may start within this duration after the key was issued; nil means unlimited.
        case limited(Int64?)
        /// The key is valid for `storage` until first playback, and for `playback` after it; nil means unlimited.
        case dual(storage: Int64?, playback: Int64?)
    }

    /// A rejection of a key by the device.
    public struct Refusal: Sendable, Hashable, Codable {
        /// The error code of the device.
        public var code: ContentKeyError.Code
        /// The time of the rejection.
        public var moment: Int64

        /// Creates a rejection.
        public init(code: ContentKeyError.Code, moment: Int64) { (self.code, self.moment) = (code, moment) }
    }

    /// The terms of use of the key.
    public var terms: Terms
    /// The protocol versions of the playlist with which the key was requested. Its renewals and its invalidation use
    /// the same versions.
    public var protocolVersions: [UInt32] = [1]
    /// The time at which the device created the key.
    public var issued: Int64
    /// The time of first playback; nil before that.
    public var firstPlayed: Int64?
    /// The number of renewals.
    public var renewals: UInt32 = 0
    /// The time of the last renewal.
    public var renewed: Int64?
    /// The reason of the last refused renewal: the reason of the server's problem document, or its type.
    public var renewalRefusal: LogSafeWord?
    /// The time at which the remaining time of the key was last reported to the server.
    public var reported: Int64?
    /// The last rejection by the device; nil if the device has accepted the key since.
    public var refusal: Refusal?
    /// The time at which the device invalidated the key permanently.
    public var revoked: Int64?
    /// The latest known time: if the clock is earlier, it was set back.
    public var latest: Int64

    /// Creates an entry for a key that was issued at a time.
    public init(terms: Terms, issued: Int64, firstPlayed: Int64? = nil) {
        (self.terms, self.issued, self.firstPlayed) = (terms, issued, firstPlayed)
        latest = max(issued, firstPlayed ?? issued)
    }

    /// Creates an entry from the device's information about a key.
    public init(_ facts: PersistentKeyInformation) {
        self.init(
            terms: facts.hasDualExpiry
                ? .dual(storage: facts.storage, playback: facts.playback) : .limited(facts.storage),
            issued: facts.acquired,
            firstPlayed: facts.firstPlayed
        )
    }
}
