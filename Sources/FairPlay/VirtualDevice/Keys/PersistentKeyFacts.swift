/// What a persistent key says of itself.
public struct PersistentKeyFacts: Sendable, Equatable {
    /// When the key was made, in Unix seconds by the device's clock.
    public let acquired: Int64
    /// When it was first played, in Unix seconds by the device's clock; nil before that.
    public let firstPlayed: Int64?
    /// False once the device holds a later key of the same content, or the key was invalidated.
    public let isCurrent: Bool
    /// Whether a playback duration begins with the first play.
    public internal(set) var hasDualExpiry = false
    /// How long the key may be stored before the first play, in seconds; 0 means unlimited.
    public internal(set) var storageDuration: UInt32 = 0
    /// How long the key plays after the first play, in seconds; 0 means unlimited.
    public internal(set) var playbackDuration: UInt32 = 0
}
