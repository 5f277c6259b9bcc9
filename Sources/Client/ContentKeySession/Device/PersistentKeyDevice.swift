/// A device that provides more information about its persistent keys than a session requires.
///
/// A virtual device conforms to this protocol. An adapter of a real device answers from the terms that the service
/// reported, or throws ``ContentKeyError/Code/unsupportedOperation`` if it does not have them.
public protocol PersistentKeyDevice: ContentProtectionDevice {
    /// Returns the device's information about a persistent key, whether the key is still usable or not.
    ///
    /// - Throws: ``ContentKeyError/Code/persistentKeyOutdated``, or ``ContentKeyError/Code/invalidPersistentKey`` for
    ///   bytes that the device did not create.
    func facts(ofPersistableKey stored: [UInt8]) async throws(ContentKeyError) -> PersistentKeyInformation

    /// Invalidates all persistent keys of the title that this key belongs to and returns the proof for the server.
    func invalidateTitle(
        ofPersistableKey stored: [UInt8],
        _ context: ServerPlaybackContext
    ) async throws(ContentKeyError) -> [UInt8]

    /// The device's time, by which it decides about expiry, in seconds since 1970. It is later than the system clock if
    /// the system clock was set back. Nil if the device does not provide it, as in the default implementation.
    var trustedTime: Int64? { get async }

    /// Sets the clock of a device that has seen a time far ahead back to the time of a server, which the caller has
    /// authenticated. The default implementation throws ``ContentKeyError/Code/unsupportedOperation``.
    ///
    /// - Parameter time: The time of the server, in seconds since 1970.
    /// - Returns: The number of seconds by which the clock was set back; 0 if it was not ahead.
    func correctClock(to time: Int64) async throws(ContentKeyError) -> Int64
}

extension PersistentKeyDevice {
    /// Nil.
    public var trustedTime: Int64? { get async { nil } }

    /// Throws ``ContentKeyError/Code/unsupportedOperation``.
    public func correctClock(to _: Int64) async throws(ContentKeyError) -> Int64 {
        throw ContentKeyError(.unsupportedOperation, .device, reason: "the device has its own clock")
    }
}

/// Information of a device about a persistent key. Times are in seconds since 1970, durations in seconds.
public struct PersistentKeyInformation: Sendable, Hashable {
    /// The time at which the device created the key from its CKC.
    public var acquired: Int64
    /// The time of first playback of a key with two expiry periods; nil before first playback.
    public var firstPlayed: Int64?
    /// The storage duration: how long an unplayed key is valid, or, with one expiry period, how long playback may
    /// start; nil means unlimited.
    public var storage: Int64?
    /// The playback duration after first playback; nil means unlimited.
    public var playback: Int64?
    /// True if the key has two expiry periods, so that it can be reported to the server.
    public var hasDualExpiry: Bool
    /// True if the key is current: false after it was invalidated or replaced.
    public var isCurrent: Bool

    /// Creates the information.
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
