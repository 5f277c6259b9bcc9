// What a key loader talks to. The session over a virtual device is one side of it; an adapter of the platform's own
// AVContentKeySession can be another.

/// What a key loader needs of a content key session.
public protocol ContentKeySource: Sendable {
    /// Asks for a key before anything needs it, or again. Doing so for a loaded identifier, or one that is being asked
    /// for, does nothing.
    ///
    /// - Parameters:
    ///   - identifier: the URI of the EXT-X-KEY or EXT-X-SESSION-KEY tag.
    ///   - initializationData: what the container says of the key, such as a pssh box.
    func processContentKeyRequest(
        identifier: String,
        initializationData: [UInt8]?,
        options: ContentKeyRequestOptions
    ) async

    /// Asks for several keys at once, such as those that one piece of initialization data names. Each is a request of its
    /// own; those for keys that are there, or are being asked for, do nothing.
    func processContentKeyRequests(
        identifiers: [String],
        initializationData: [UInt8]?,
        options: ContentKeyRequestOptions
    ) async

    /// Asks for the lease of a key to be renewed: a request with ``ContentKeyLoading/isRenewal`` follows. Does nothing
    /// where no key is loaded, or where another request for it is under way.
    func renewExpiringResponseData(for identifier: String) async

    /// Whether a key is there that may be used where the content goes now; nil where the session does not know.
    func hasKey(for identifier: String) async -> Bool?

    /// Requests as they come, from the player, from preloading, from renewals and retries. Each access begins a new
    /// sequence, which starts with the requests that wait for an answer; it ends with the session.
    var requests: AsyncStream<any ContentKeyLoading> { get }

    /// The same requests, and among them who begins to wait for one that was made ahead, in the order of happening: what a
    /// key loader reads in place of ``requests``. Nil where the source does not know who waits.
    var sourceEvents: AsyncStream<ContentKeySourceEvent>? { get }
}

/// What a source tells a key loader.
public enum ContentKeySourceEvent: Sendable {
    /// A request, to be answered.
    case request(any ContentKeyLoading)
    /// Somebody waits from now on for the request of this number, which was made before anything needed its key.
    case awaited(UInt64)
}

extension ContentKeySource {
    /// Not known.
    public func hasKey(for _: String) async -> Bool? { nil }

    /// Asks for several keys, one after the other.
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

    /// Nil: who waits is not known.
    public var sourceEvents: AsyncStream<ContentKeySourceEvent>? { nil }
}

/// One request for a key, to be answered exactly once: with ``processContentKeyResponse(_:)`` or with
/// ``processContentKeyResponseError(_:)``.
public protocol ContentKeyLoading: AnyObject, Sendable {
    /// Unique within a session, ascending.
    var id: UInt64 { get }
    /// The EXT-X-KEY's URI, such as skd://…
    var identifier: String { get }
    /// What kind of answer is expected.
    var keySystem: ContentKeySystem { get }
    /// Whether the answer renews a key in use. It has to be a fresh one: an answer that was given before is refused.
    var isRenewal: Bool { get }
    /// Whether a persistable key was asked for and this request may carry one.
    var canProvidePersistableKey: Bool { get }

    /// Whether an answer is still wanted. It is not after one, or after the session gave up waiting.
    var isOpen: Bool { get }

    /// Whether somebody waits for the key, as a player does. It may begin to be so after the request was made: the source
    /// tells of that (``ContentKeySourceEvent/awaited(_:)``).
    var isAwaited: Bool { get }

    /// How long the lease of the key lasted when the device took the answer; nil where there is none, or before that, or
    /// where the session does not know.
    var grantedLease: Duration? { get }

    /// Makes the SPC for the key server. A second call makes another, and then only the second one's CKC is an answer.
    ///
    /// - Parameters:
    ///   - certificate: the application certificate in DER.
    ///   - contentIdentifier: the asset ID, 2 to 200 bytes.
    ///   - protocolVersions: the FPS versions of the content (KEYFORMATVERSIONS).
    /// - Throws: what the device says; ``ContentKeyError/Code/requestAnswered``,
    ///   ``ContentKeyError/Code/sessionExpired``, ``ContentKeyError/Code/notOfKeySystem``.
    func makeStreamingContentKeyRequestData(
        certificate: [UInt8],
        contentIdentifier: [UInt8],
        protocolVersions: [UInt32]
    ) async throws(ContentKeyError) -> [UInt8]

    /// Turns this request into one for a persistable key, which is then answered with a stored key.
    ///
    /// - Throws: ``ContentKeyError/Code/persistenceNotAllowed`` where route, device or key system refuse persistence;
    ///   the request is an ordinary one still, to be answered with an online key.
    func respondByRequestingPersistableKey() async throws(ContentKeyError)

    /// Makes the key to be stored from the CKC that answers this request's SPC. The stored key is then the answer.
    ///
    /// - Throws: what the device says. ``ContentKeyError/Code/persistenceNotAllowed`` makes the request an ordinary
    ///   one again, and the CKC may still be its answer.
    func persistableContentKey(fromKeyVendorResponse response: [UInt8]) async throws(ContentKeyError) -> [UInt8]

    /// The answer. Success is what the device says of it, in the status that this returns:
    /// ``ContentKeyRequestStatus/receivedResponse``; ``ContentKeyRequestStatus/failed``; or
    /// ``ContentKeyRequestStatus/retried``, and another request comes.
    @discardableResult func processContentKeyResponse(_ response: ContentKeyResponse) async -> ContentKeyRequestStatus

    /// Says that there will be no answer, and why. The request fails.
    func processContentKeyResponseError(_ error: any Error) async
}

extension ContentKeyLoading {
    /// Always: the session says nothing of it.
    public var isOpen: Bool { true }

    /// Not known: what was not announced counts as awaited.
    public var isAwaited: Bool { false }

    /// Not known.
    public var grantedLease: Duration? { nil }
}

/// What is said when a key is asked for.
public struct ContentKeyRequestOptions: Sendable, Equatable {
    /// Whether the key is to be kept for offline playback.
    public var isPersistable: Bool
    /// Whether the key is asked for before anything needs it.
    public var isPreload: Bool

    /// Makes options: an online key, asked for because something needs it, but for what is given.
    public init(isPersistable: Bool = false, isPreload: Bool = false) {
        (self.isPersistable, self.isPreload) = (isPersistable, isPreload)
    }
}
