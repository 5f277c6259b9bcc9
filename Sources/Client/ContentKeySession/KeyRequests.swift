// The interface between a key loader and a content key session. A session over a virtual device implements it; an
// adapter of the platform's AVContentKeySession can implement it too.

/// A content key session as a key loader uses it.
public protocol ContentKeySource: Sendable {
    /// Requests a key before it is needed, or again. Does nothing if the key is loaded or already requested.
    ///
    /// - Parameters:
    ///   - identifier: The URI of the EXT-X-KEY or EXT-X-SESSION-KEY tag.
    ///   - initializationData: The container's data about the key, such as a pssh box.
    ///   - options: The kind of request.
    func processContentKeyRequest(
        identifier: String,
        initializationData: [UInt8]?,
        options: ContentKeyRequestOptions
    ) async

    /// Requests several keys at once, for example all keys of one initialization data. Each key has its own request;
    /// keys that are loaded or already requested are skipped.
    func processContentKeyRequests(
        identifiers: [String],
        initializationData: [UInt8]?,
        options: ContentKeyRequestOptions
    ) async

    /// Renews the lease of a key: a request with ``ContentKeyLoading/isRenewal`` follows. Does nothing if the key is
    /// not loaded or is already requested.
    func renewExpiringResponseData(for identifier: String) async

    /// Returns whether a key is loaded that can be used on the current route; nil if the session cannot determine it.
    func hasKey(for identifier: String) async -> Bool?

    /// The requests of the player, of preloading, of renewals and of retries, as they are made. Each access starts a
    /// new sequence, which begins with the requests that have no response yet and finishes when the session ends.
    var requests: AsyncStream<any ContentKeyLoading> { get }

    /// The same requests, in order with the events that a preloaded key becomes needed; a key loader reads this in
    /// place of ``requests``. Nil if the source cannot determine when a key becomes needed.
    var sourceEvents: AsyncStream<ContentKeySourceEvent>? { get }
}

/// An event of a source for a key loader.
public enum ContentKeySourceEvent: Sendable {
    /// A request to be answered.
    case request(any ContentKeyLoading)
    /// The key of the request with this ID, which was requested in advance, is needed now.
    case awaited(UInt64)
}

extension ContentKeySource {
    /// Returns nil: not known.
    public func hasKey(for _: String) async -> Bool? { nil }

    /// Requests several keys one after the other.
    public func processContentKeyRequests(
        identifiers: [String],
        initializationData: [UInt8]?,
        options: ContentKeyRequestOptions
    ) async {
        for identifier in identifiers {
            await processContentKeyRequest(
                identifier: identifier,
                initializationData: initializationData,
                options: options
            )
        }
    }

    /// Nil: the source cannot determine when a key becomes needed.
    public var sourceEvents: AsyncStream<ContentKeySourceEvent>? { nil }
}

/// A request for a key, to be answered exactly once: with ``processContentKeyResponse(_:)`` or with
/// ``processContentKeyResponseError(_:)``.
public protocol ContentKeyLoading: AnyObject, Sendable {
    /// An identifier that is unique within a session and ascending.
    var id: UInt64 { get }
    /// The URI of the EXT-X-KEY tag, such as skd://…
    var identifier: String { get }
    /// The key system of the expected response.
    var keySystem: ContentKeySystem { get }
    /// True if the response renews a key in use. It must be a new response: an earlier response is rejected.
    var isRenewal: Bool { get }
    /// True if a persistable key was requested and this request can provide one.
    var requestsPersistableKey: Bool { get }

    /// The protocol versions that the playlist declares for the key; nil if the session does not read the playlist.
    var declaredProtocolVersions: [UInt32]? { get }

    /// True if the request still waits for a response. It is false after a response or after the session's timeout.
    var isOpen: Bool { get }

    /// True if the key is needed now, for example because a player waits for it. This may change to true after the
    /// request was made; the source then reports ``ContentKeySourceEvent/awaited(_:)``.
    var isAwaited: Bool { get }

    /// The lease duration of the key when the device accepted the response; nil if the key has no lease, before a
    /// response, or if the session does not provide it.
    var grantedLease: Duration? { get }

    /// The error with which the device rejected the response; nil before that, or if the session does not provide it.
    var error: ContentKeyError? { get }

    /// Creates the SPC for the key server. A second call creates another SPC; then only its CKC is a valid response.
    ///
    /// - Parameters:
    ///   - certificate: The application certificate in DER.
    ///   - contentIdentifier: The asset ID, 2 to 200 bytes.
    ///   - protocolVersions: The FPS versions of the content (KEYFORMATVERSIONS).
    /// - Throws: An error of the device; ``ContentKeyError/Code/requestAnswered``,
    ///   ``ContentKeyError/Code/sessionExpired`` or ``ContentKeyError/Code/unsupportedOperation``.
    func makeStreamingContentKeyRequestData(
        certificate: [UInt8],
        contentIdentifier: [UInt8],
        protocolVersions: [UInt32]
    ) async throws(ContentKeyError) -> [UInt8]

    /// Converts this request into a request for a persistable key, which is then answered with a persistent key.
    ///
    /// - Throws: ``ContentKeyError/Code/persistenceNotAllowed`` if the route, the device or the key system does not
    ///   allow persistence; the request is then still an online request, to be answered with an online key.
    func respondByRequestingPersistableKey() async throws(ContentKeyError)

    /// Creates the persistent key from the CKC that answers this request's SPC. The persistent key is then the
    /// response.
    ///
    /// - Throws: An error of the device. After ``ContentKeyError/Code/persistenceNotAllowed``, the request is an online
    ///   request again, and the CKC can still be its response.
    func persistableContentKey(fromKeyVendorResponse response: [UInt8]) async throws(ContentKeyError) -> [UInt8]

    /// Answers the request. Returns the resulting status: ``ContentKeyRequestStatus/receivedResponse`` if the device
    /// accepted the response, ``ContentKeyRequestStatus/failed`` if not, or ``ContentKeyRequestStatus/retried`` if
    /// another request follows.
    @discardableResult func processContentKeyResponse(_ response: ContentKeyResponse) async -> ContentKeyRequestStatus

    /// Fails the request with an error instead of a response.
    func processContentKeyResponseError(_ error: any Error) async
}

extension ContentKeyLoading {
    /// Nil: not known.
    public var declaredProtocolVersions: [UInt32]? { nil }

    /// True, because the session does not report the end of a request.
    public var isOpen: Bool { true }

    /// False: not known. A request that was not announced is treated as needed now.
    public var isAwaited: Bool { false }

    /// Nil: not known.
    public var grantedLease: Duration? { nil }

    /// Nil: not known.
    public var error: ContentKeyError? { nil }
}

/// The options of a key request.
public struct ContentKeyRequestOptions: Sendable, Equatable {
    /// True if the key will be persistent, for offline playback.
    public var isPersistable: Bool
    /// True if the key is requested before it is needed.
    public var isPreload: Bool
    /// The protocol versions that the playlist declares for the key (``HLSPlaylist/KeyTag/protocolVersions``); nil if
    /// the playlist is not known.
    public var protocolVersions: [UInt32]?

    /// Creates options; the default is an online key that is needed now.
    public init(isPersistable: Bool = false, isPreload: Bool = false, protocolVersions: [UInt32]? = nil) {
        (self.isPersistable, self.isPreload, self.protocolVersions) = (isPersistable, isPreload, protocolVersions)
    }
}
