public import ContentKeySession

/// What is known of a kept key: its terms, what has happened to it, and what the device and the server said of it.
///
/// The device alone decides; this says what it will decide, and why, without asking it. Moments are in seconds since 1970,
/// durations in seconds.
public struct KeyLedgerEntry: Sendable, Hashable {
    /// How long a key may be used.
    public enum Terms: Sendable, Hashable {
        /// Nobody said.
        case unknown
        /// It may be started for so long from when it was issued; nil: for ever.
        case limited(Int64?)
        /// It may be kept for `storage` until it plays, and played for `playback` from then on; nil: for ever.
        case dual(storage: Int64?, playback: Int64?)
    }

    /// What the device has against a key.
    public struct Refusal: Sendable, Hashable {
        /// The device's name of it.
        public var code: ContentKeyError.Code
        /// When.
        public var moment: Int64

        /// Makes a refusal.
        public init(code: ContentKeyError.Code, moment: Int64) { (self.code, self.moment) = (code, moment) }
    }

    /// How long the key may be used.
    public var terms: Terms
    /// When the device made it.
    public var issued: Int64
    /// When it first played.
    public var firstPlayed: Int64?
    /// How often the server has given another in its place.
    public var renewals: UInt32 = 0
    /// When it last did.
    public var renewed: Int64?
    /// Why the server gave no other, when it was last asked: the reason of its problem document, or its type.
    public var renewalRefusal: LogWord?
    /// When the server was last told how long the key may still be used.
    public var reported: Int64?
    /// What the device said when it last refused the key, if it has not taken it since.
    public var refusal: Refusal?
    /// When the device made the key unusable for ever.
    public var revoked: Int64?
    /// The latest moment that is known of: when the clock shows an earlier one, it was set back.
    public var latest: Int64

    /// An entry for a key that was issued now, or then.
    public init(terms: Terms, issued: Int64, firstPlayed: Int64? = nil) {
        (self.terms, self.issued, self.firstPlayed) = (terms, issued, firstPlayed)
        latest = max(issued, firstPlayed ?? issued)
    }

    /// An entry for what a device says of a key.
    public init(_ facts: KeptKeyFacts) {
        self.init(
            terms: facts.hasDualExpiry
                ? .dual(storage: facts.storage, playback: facts.playback) : .limited(facts.storage),
            issued: facts.acquired,
            firstPlayed: facts.firstPlayed
        )
    }
}
