/// A key on a device. A player uses the device's concrete type to decrypt; the session uses only this protocol.
public protocol ProtectedContentKey: AnyObject, Sendable {
    /// The remaining time of the lease; nil if the key has no lease.
    var leaseRemaining: Duration? { get }
    /// True if the key can be used: false after it was removed from the device or invalidated.
    var isUsable: Bool { get }
    /// The status of external content protection: whether the attached displays protect the content as the key
    /// requires.
    var externalProtectionStatus: ExternalContentProtectionStatus { get }

    /// Starts to use the key.
    ///
    /// - Returns: The key that replaces this one in the app's storage, at the first playback of a persistent key with
    ///   two expiry periods; otherwise nil.
    func beginPlayback() throws(ContentKeyError) -> [UInt8]?

    /// Stops the key.
    func stop()
}
