/// A device without FairPlay Streaming: enough for clear keys and tokens.
public struct NoContentProtection: ContentProtectionDevice {
    /// Makes the device.
    public init() {}

    /// False.
    public var keepsPersistableKeys: Bool { false }

    /// An identifier without bytes.
    public func makeSessionIdentifier() -> ContentProtectionSessionIdentifier { .init([]) }

    /// Throws ``ContentKeyError/Code/notOfKeySystem``.
    public func makeKeyRequest(_: DeviceKeyRequestParameters) throws(ContentKeyError) -> any DeviceKeyRequest {
        throw error
    }
    /// Throws ``ContentKeyError/Code/notOfKeySystem``.
    public func process(ckc: [UInt8], for: any DeviceKeyRequest) throws(ContentKeyError) -> any ProtectedContentKey {
        throw error
    }
    /// Throws ``ContentKeyError/Code/notOfKeySystem``.
    public func makePersistableKey(ckc: [UInt8], for: any DeviceKeyRequest) throws(ContentKeyError) -> [UInt8] {
        throw error
    }
    /// Throws ``ContentKeyError/Code/notOfKeySystem``.
    public func loadPersistableKey(
        _: [UInt8],
        session: ContentProtectionSessionIdentifier
    ) throws(ContentKeyError) -> any ProtectedContentKey { throw error }
    /// Throws ``ContentKeyError/Code/notOfKeySystem``.
    public func makeSecureToken(
        forExpirationDateOf: [UInt8],
        _: ServerPlaybackContext
    ) throws(ContentKeyError) -> [UInt8] { throw error }
    /// Throws ``ContentKeyError/Code/notOfKeySystem``.
    public func invalidate(_: [UInt8]?, _: ServerPlaybackContext) throws(ContentKeyError) -> [UInt8] { throw error }
    /// Nil: nobody counts these keys.
    public func makeExpiredSessionReport(for: any ProtectedContentKey) -> ExpiredSessionReport? { nil }

    private var error: ContentKeyError {
        ContentKeyError(.notOfKeySystem, .device, reason: "the device has no FairPlay Streaming")
    }
}
