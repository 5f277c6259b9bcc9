/// What a session needs of a device for FairPlay Streaming. SPCs, CKCs and stored keys are bytes that only the device
/// and the key server understand. Clear keys and tokens need no device.
public protocol ContentProtectionDevice: Sendable {
    /// Whether it can keep keys.
    var keepsPersistableKeys: Bool { get }

    /// Begins a playback: the identifier that its SPCs name.
    func makeSessionIdentifier() -> ContentProtectionSessionIdentifier

    /// Makes an SPC.
    func makeKeyRequest(_ parameters: DeviceKeyRequestParameters) async throws(ContentKeyError) -> any DeviceKeyRequest

    /// Opens the CKC that answers a request. For a renewal this may be the key that was renewed.
    func process(
        ckc: [UInt8],
        for request: any DeviceKeyRequest
    ) async throws(ContentKeyError) -> any ProtectedContentKey

    /// Opens the CKC that answers a request and makes a key to be stored.
    ///
    /// - Throws: ``ContentKeyError/Code/persistenceNotAllowed`` if the CKC does not allow that; it may then be given to
    ///   ``process(ckc:for:)``.
    func makePersistableKey(
        ckc: [UInt8],
        for request: any DeviceKeyRequest
    ) async throws(ContentKeyError) -> [UInt8]

    /// Takes a stored key into use.
    func loadPersistableKey(
        _ stored: [UInt8],
        session: ContentProtectionSessionIdentifier
    ) async throws(ContentKeyError) -> any ProtectedContentKey

    /// Makes what tells the server securely until when a stored key is valid.
    func makeSecureToken(
        forExpirationDateOf stored: [UInt8],
        _ context: ServerPlaybackContext
    ) async throws(ContentKeyError) -> [UInt8]

    /// Makes stored keys unusable, and makes what proves that to the server.
    ///
    /// - Parameter stored: the key to invalidate; nil means every one of the app.
    func invalidate(_ stored: [UInt8]?, _ context: ServerPlaybackContext) async throws(ContentKeyError) -> [UInt8]

    /// Makes what tells the server that playback with these keys is over; nil for keys that nobody counts.
    func makeExpiredSessionReport(for key: any ProtectedContentKey) async throws(ContentKeyError)
        -> ExpiredSessionReport?
}

/// What identifies one playback to the server.
public struct ContentProtectionSessionIdentifier: Sendable, Hashable {
    /// The identifier as the server sees it; 8 bytes for FairPlay Streaming.
    public let bytes: [UInt8]
    /// Wraps the bytes.
    public init(_ bytes: [UInt8]) { self.bytes = bytes }
}

/// What an SPC is made from.
public struct DeviceKeyRequestParameters: Sendable {
    /// The application certificate in DER.
    public var certificate: [UInt8]
    /// The asset ID.
    public var contentIdentifier: [UInt8]
    /// The FPS versions of the content.
    public var protocolVersions: [UInt32]
    /// Whether the key is to be kept.
    public var isPersistable: Bool
    /// Where the content goes.
    public var route: ContentKeyRoute
    /// The playback that the key is for.
    public var session: ContentProtectionSessionIdentifier
    /// The key whose lease is to be renewed.
    public var renewing: (any ProtectedContentKey)?

    /// Makes parameters.
    public init(
        certificate: [UInt8],
        contentIdentifier: [UInt8],
        protocolVersions: [UInt32],
        isPersistable: Bool = false,
        route: ContentKeyRoute = .local,
        session: ContentProtectionSessionIdentifier,
        renewing: (any ProtectedContentKey)? = nil
    ) {
        (self.certificate, self.contentIdentifier) = (certificate, contentIdentifier)
        (self.protocolVersions, self.isPersistable) = (protocolVersions, isPersistable)
        (self.route, self.session, self.renewing) = (route, session, renewing)
    }
}

/// An SPC, and what the device remembers in order to open its CKC.
public protocol DeviceKeyRequest: AnyObject, Sendable {
    /// The SPC.
    var requestData: [UInt8] { get }
}

/// What a Sync SPC is made from, beside a stored key.
public struct ServerPlaybackContext: Sendable, Equatable {
    /// The application certificate in DER.
    public var certificate: [UInt8]
    /// The FPS versions that the app supports.
    public var protocolVersions: [UInt32]
    /// The server's challenge, which makes the proof fresh.
    public var serverChallenge: UInt64

    /// Makes a context.
    public init(certificate: [UInt8], protocolVersions: [UInt32] = [1], serverChallenge: UInt64 = 0) {
        (self.certificate, self.protocolVersions) = (certificate, protocolVersions)
        self.serverChallenge = serverChallenge
    }
}
