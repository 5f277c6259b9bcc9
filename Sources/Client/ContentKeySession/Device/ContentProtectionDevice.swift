/// The operations that a session requires of a FairPlay Streaming device. SPCs, CKCs and persistent keys are opaque to
/// the session: only the device and the key server can interpret them. Clear keys and tokens do not need a device.
public protocol ContentProtectionDevice: Sendable {
    /// True if the device supports persistent keys.
    var supportsPersistableKeys: Bool { get }

    /// Starts a playback session and returns the identifier that its SPCs contain.
    func makeSessionIdentifier() -> ContentProtectionSessionIdentifier

    /// Creates an SPC.
    func makeKeyRequest(_ parameters: DeviceKeyRequestParameters) async throws(ContentKeyError) -> any DeviceKeyRequest

    /// Opens the CKC that answers a request. For a renewal, this may return the renewed key itself.
    func process(
        ckc: [UInt8],
        for request: any DeviceKeyRequest
    ) async throws(ContentKeyError) -> any ProtectedContentKey

    /// Opens the CKC that answers a request and creates a persistent key.
    ///
    /// - Throws: ``ContentKeyError/Code/persistenceNotAllowed`` if the CKC does not allow a persistent key; the CKC can
    ///   then be passed to ``process(ckc:for:)``.
    func makePersistableKey(
        ckc: [UInt8],
        for request: any DeviceKeyRequest
    ) async throws(ContentKeyError) -> [UInt8]

    /// Loads a persistent key for playback.
    func loadPersistableKey(
        _ stored: [UInt8],
        session: ContentProtectionSessionIdentifier
    ) async throws(ContentKeyError) -> any ProtectedContentKey

    /// Creates a secure token that reports to the server when a persistent key expires.
    func makeSecureToken(
        forExpirationDateOf stored: [UInt8],
        _ context: ServerPlaybackContext
    ) async throws(ContentKeyError) -> [UInt8]

    /// Invalidates persistent keys and returns the proof for the server.
    ///
    /// - Parameter stored: The key to invalidate; nil means all persistent keys of the app.
    func invalidate(_ stored: [UInt8]?, _ context: ServerPlaybackContext) async throws(ContentKeyError) -> [UInt8]

    /// Creates a report for the server that playback with this key has ended; nil for keys that the server does not
    /// track.
    func makeExpiredSessionReport(for key: any ProtectedContentKey) async throws(ContentKeyError)
        -> ExpiredSessionReport?
}

/// An identifier of one playback session for the server.
public struct ContentProtectionSessionIdentifier: Sendable, Hashable {
    /// The identifier as the server receives it; 8 bytes for FairPlay Streaming.
    public let bytes: [UInt8]
    /// Wraps the bytes.
    public init(_ bytes: [UInt8]) { self.bytes = bytes }
}

/// The parameters of an SPC.
public struct DeviceKeyRequestParameters: Sendable {
    /// The application certificate in DER.
    public var certificate: [UInt8]
    /// The asset ID.
    public var contentIdentifier: [UInt8]
    /// The FPS versions of the content.
    public var protocolVersions: [UInt32]
    /// True if the key will be persistent.
    public var isPersistable: Bool
    /// The output route of the content.
    public var route: ContentKeyRoute
    /// The playback session that the key is for.
    public var session: ContentProtectionSessionIdentifier
    /// The key whose lease is to be renewed; nil for a new key.
    public var renewing: (any ProtectedContentKey)?

    /// Creates parameters.
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

/// An SPC together with the state that the device needs to open its CKC.
public protocol DeviceKeyRequest: AnyObject, Sendable {
    /// The SPC.
    var requestData: [UInt8] { get }
}

/// The parameters of a Sync SPC, in addition to a persistent key.
public struct ServerPlaybackContext: Sendable, Equatable {
    /// The application certificate in DER.
    public var certificate: [UInt8]
    /// The FPS versions that the app supports.
    public var protocolVersions: [UInt32]
    /// The server's challenge, which proves that the SPC is fresh.
    public var serverChallenge: UInt64

    /// Creates a context.
    public init(certificate: [UInt8], protocolVersions: [UInt32] = [1], serverChallenge: UInt64 = 0) {
        (self.certificate, self.protocolVersions) = (certificate, protocolVersions)
        self.serverChallenge = serverChallenge
    }
}
