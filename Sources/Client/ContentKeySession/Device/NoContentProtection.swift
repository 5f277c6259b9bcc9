/// A device without FairPlay Streaming, sufficient for clear keys and tokens.
public struct NoContentProtection: ContentProtectionDevice {
    /// Creates the device.
    public init() {}

    /// False.
    public var supportsPersistableKeys: Bool { false }

    /// Returns an empty identifier.
    public func makeSessionIdentifier() -> ContentProtectionSessionIdentifier { .init([]) }

    /// Throws ``ContentKeyError/Code/unsupportedOperation``.
    public func makeKeyRequest(_: DeviceKeyRequestParameters) throws(ContentKeyError) -> any DeviceKeyRequest {
        throw error
    }
    /// Throws ``ContentKeyError/Code/unsupportedOperation``.
    public func process(ckc: [UInt8], for: any DeviceKeyRequest) throws(ContentKeyError) -> any ProtectedContentKey {
        throw error
    }
    /// Throws ``ContentKeyError/Code/unsupportedOperation``.
    public func makePersistableKey(ckc: [UInt8], for: any DeviceKeyRequest) throws(ContentKeyError) -> [UInt8] {
        throw error
    }
    /// Throws ``ContentKeyError/Code/unsupportedOperation``.
    public func loadPersistableKey(
        _: [UInt8],
        session: ContentProtectionSessionIdentifier
    ) throws(ContentKeyError) -> any ProtectedContentKey { throw error }
    /// Throws ``ContentKeyError/Code/unsupportedOperation``.
    public func makeSecureToken(
        forExpirationDateOf: [UInt8],
        _: ServerPlaybackContext
    ) throws(ContentKeyError) -> [UInt8] { throw error }
    /// Throws ``ContentKeyError/Code/unsupportedOperation``.
    public func invalidate(_: [UInt8]?, _: ServerPlaybackContext) throws(ContentKeyError) -> [UInt8] { throw error }
    /// Returns nil, because the server does not track these keys.
    public func makeExpiredSessionReport(for: any ProtectedContentKey) -> ExpiredSessionReport? { nil }

    private var error: ContentKeyError {
        ContentKeyError(.unsupportedOperation, .device, reason: "the device does not support FairPlay Streaming")
    }
}
