/// The properties of a persistent key.
public struct PersistentKeyProperties: Sendable, Equatable {
    /// The time at which the key was created, in seconds since 1970 by the device's clock.
    public let acquired: Int64
    /// The time of first playback, in seconds since 1970 by the device's clock; nil before that.
    public let firstPlayed: Int64?
    /// True if the key is current: it was neither replaced by a newer key for the same content nor invalidated.
    public let isCurrent: Bool
    /// True if the key has dual expiry: a storage duration, and a playback duration from first playback.
    public internal(set) var hasDualExpiry = false
    /// The storage duration before first playback, in seconds; 0 means unlimited.
    public internal(set) var storageDuration: UInt32 = 0
    /// The playback duration from first playback, in seconds; 0 means unlimited.
    public internal(set) var playbackDuration: UInt32 = 0
}
