/// A device that can say more of the keys that it stored than a session asks of it.
///
/// A virtual device can. An adapter of a real one answers from what the service said of its terms, or throws
/// ``ContentKeyError/Code/notOfKeySystem`` where it does not know.
public protocol KeptKeyDevice: ContentProtectionDevice {
    /// What the device knows of a stored key, whether it may still be used or not.
    ///
    /// - Throws: ``ContentKeyError/Code/persistentKeyOutdated``, ``ContentKeyError/Code/invalidPersistentKey`` for bytes
    ///   that it never made.
    func facts(ofPersistableKey stored: [UInt8]) async throws(ContentKeyError) -> KeptKeyFacts

    /// Makes every stored key of the title that this one belongs to unusable, and makes what proves that to the server.
    func invalidateTitle(
        ofPersistableKey stored: [UInt8],
        _ context: ServerPlaybackContext
    ) async throws(ContentKeyError) -> [UInt8]
}

/// What a device knows of a stored key. Moments are in seconds since 1970, durations in seconds.
public struct KeptKeyFacts: Sendable, Hashable {
    /// When the device made the key of its CKC.
    public var acquired: Int64
    /// When it first played, of a key with two expiry periods; nil while it has not.
    public var firstPlayed: Int64?
    /// How long it may be kept until it plays, or with one expiry period how long it may be started; nil: for ever.
    public var storage: Int64?
    /// How long it may be played from first play on; nil: for ever.
    public var playback: Int64?
    /// Whether it has two expiry periods, so that the server can be told of it.
    public var hasDualExpiry: Bool
    /// False once it was invalidated, or another took its place.
    public var isCurrent: Bool

    /// Makes facts.
    public init(
        acquired: Int64,
        firstPlayed: Int64? = nil,
        storage: Int64? = nil,
        playback: Int64? = nil,
        hasDualExpiry: Bool = false,
        isCurrent: Bool = true
    ) {
        (self.acquired, self.firstPlayed) = (acquired, firstPlayed)
        (self.storage, self.playback, self.hasDualExpiry) = (storage, playback, hasDualExpiry)
        self.isCurrent = isCurrent
    }
}
