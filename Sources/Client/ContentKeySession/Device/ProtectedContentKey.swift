/// A key on a device. What plays content knows the device's own type and decrypts with that; the session knows only
/// this.
public protocol ProtectedContentKey: AnyObject, Sendable {
    /// How long the lease lasts from now; nil if there is none.
    var leaseRemaining: Duration? { get }
    /// False once the key is gone from the device, or was invalidated.
    var isUsable: Bool { get }
    /// Whether what is attached protects the content as the key demands.
    var externalProtectionStatus: ExternalContentProtectionStatus { get }

    /// Begins to use the key.
    ///
    /// - Returns: at the first play of a stored key with two expiry periods, the key that takes its place in the app's
    ///   storage; nil otherwise.
    func beginPlayback() throws(ContentKeyError) -> [UInt8]?

    /// Stops the key.
    func stop()
}
