import ContentKeySession
import Synchronization

/// A session that makes scripted requests, with a device that accepts a CKC only for its own SPC.
final class ScriptedSession: ContentKeySource {
    struct State {
        var ids: UInt64 = 0
        var all: [ScriptedKeyRequest] = []
        var options: [String: ContentKeyRequestOptions] = [:]
    }

    private let state = Mutex(State())
    private let continuation: AsyncStream<ContentKeySourceEvent>.Continuation
    let sourceEvents: AsyncStream<ContentKeySourceEvent>?
    /// Nothing, because a loader reads ``sourceEvents``.
    var requests: AsyncStream<any ContentKeyLoading> { AsyncStream { nil } }
    /// The behavior of each request.
    let keySystem: ContentKeySystem
    let route: ContentKeyRoute
    /// True if the session emits a request for a key.
    let isSilent: Bool

    init(keySystem: ContentKeySystem = .fairPlayStreaming, route: ContentKeyRoute = .local, isSilent: Bool = false) {
        self.keySystem = keySystem
        self.route = route
        self.isSilent = isSilent
        (sourceEvents, continuation) = AsyncStream.makeStream()
    }

    var all: [ScriptedKeyRequest] { state.withLock { $0.all } }

    @discardableResult
    func ask(
        _ identifier: String,
        isRenewal: Bool = false,
        isPersistable: Bool = false,
        isAwaited: Bool = false,
        versions: [UInt32]? = nil,
        behavior: ScriptedKeyRequest.Behavior = .takes
    ) -> ScriptedKeyRequest {
        let request = state.withLock { state in
            state.ids += 1
            let request = ScriptedKeyRequest(
                id: state.ids,
                identifier: identifier,
                keySystem: keySystem,
                isRenewal: isRenewal,
                requestsPersistableKey: isPersistable,
                route: route,
                declaredProtocolVersions: versions,
                behavior: behavior
            )
            state.all.append(request)
            return request
        }
        if isAwaited { request.isAwaited = true }
        continuation.yield(.request(request))
        return request
    }

    func again(_ request: ScriptedKeyRequest) { continuation.yield(.request(request)) }

    /// Marks a request as awaited.
    func wait(for request: ScriptedKeyRequest) {
        request.isAwaited = true
        continuation.yield(.awaited(request.id))
    }

    func end() { continuation.finish() }

    func processContentKeyRequest(
        identifier: String,
        initializationData: [UInt8]?,
        options: ContentKeyRequestOptions
    ) async {
        state.withLock { $0.options[identifier] = options }
        if !isSilent { ask(identifier, isPersistable: options.isPersistable) }
    }

    func renewExpiringResponseData(for identifier: String) async { ask(identifier, isRenewal: true) }

    func options(of identifier: String) -> ContentKeyRequestOptions? { state.withLock { $0.options[identifier] } }
}

/// A source that implements only the requirements of the protocol.
final class PlainSource: ContentKeySource {
    private let session: ScriptedSession
    private let continuation: AsyncStream<any ContentKeyLoading>.Continuation
    let requests: AsyncStream<any ContentKeyLoading>

    init(_ session: ScriptedSession) {
        self.session = session
        (requests, continuation) = AsyncStream.makeStream()
    }

    func processContentKeyRequest(
        identifier: String,
        initializationData: [UInt8]?,
        options: ContentKeyRequestOptions
    ) async { continuation.yield(session.ask(identifier)) }

    func renewExpiringResponseData(for identifier: String) async {}
    func end() { continuation.finish() }
}

/// A request whose device creates distinguishable SPCs.
final class ScriptedKeyRequest: ContentKeyLoading {
    enum Behavior {
        case takes
        case makesNoSPC
        case refusesAnswers
        case keepsNothing
    }

    struct State {
        var spcs: [[UInt8]] = []
        var versions: [[UInt32]] = []
        var answers: [ContentKeyResponse] = []
        var errors: [any Error] = []
        var persists = false
        var isAwaited = false
    }

    let id: UInt64
    let identifier: String
    let keySystem: ContentKeySystem
    let isRenewal: Bool
    let requestsPersistableKey: Bool
    let route: ContentKeyRoute
    let declaredProtocolVersions: [UInt32]?
    let behavior: Behavior
    private let state = Mutex(State())

    init(
        id: UInt64,
        identifier: String,
        keySystem: ContentKeySystem,
        isRenewal: Bool,
        requestsPersistableKey: Bool,
        route: ContentKeyRoute,
        declaredProtocolVersions: [UInt32]?,
        behavior: Behavior
    ) {
        self.id = id
        self.identifier = identifier
        self.keySystem = keySystem
        self.isRenewal = isRenewal
        self.requestsPersistableKey = requestsPersistableKey
        self.route = route
        self.declaredProtocolVersions = declaredProtocolVersions
        self.behavior = behavior
    }

    /// The error of a device that refuses every response.
    var error: ContentKeyError? {
        guard behavior == .refusesAnswers, !answers.isEmpty else { return nil }
        return ContentKeyError(.invalidCKC, .device, number: -42668, domain: .osStatus)
    }
    var isAwaited: Bool {
        get { state.withLock { $0.isAwaited } }
        set { state.withLock { $0.isAwaited = newValue } }
    }
    var spcs: [[UInt8]] { state.withLock { $0.spcs } }
    /// The protocol versions of each SPC.
    var versions: [[UInt32]] { state.withLock { $0.versions } }
    var answers: [ContentKeyResponse] { state.withLock { $0.answers } }
    var failures: [KeyFailure] { state.withLock { $0.errors.compactMap { $0 as? KeyFailure } } }
    /// The number of times that it was answered, which must be one.
    var answerCount: Int { state.withLock { $0.answers.count + $0.errors.count } }
    var isLoaded: Bool { answers.count == 1 && answerCount == 1 }

    func makeStreamingContentKeyRequestData(
        certificate: [UInt8],
        contentIdentifier: [UInt8],
        protocolVersions: [UInt32]
    ) async throws(ContentKeyError) -> [UInt8] {
        if behavior == .makesNoSPC {
            throw ContentKeyError(.init(rawValue: "no-certificate"), .device, number: -42672, domain: .osStatus)
        }
        return state.withLock { state in
            let name = String(decoding: contentIdentifier, as: UTF8.self)
            let spc = Array("spc \(id).\(state.spcs.count) \(certificate.last ?? 0) \(name)".utf8)
            state.spcs.append(spc)
            state.versions.append(protocolVersions)
            return spc
        }
    }

    func respondByRequestingPersistableKey() async throws(ContentKeyError) {
        guard route == .local else { throw ContentKeyError(.persistenceNotAllowed, .request) }
        state.withLock { $0.persists = true }
    }

    func persistableContentKey(fromKeyVendorResponse response: [UInt8]) async throws(ContentKeyError) -> [UInt8] {
        if behavior == .keepsNothing { throw ContentKeyError(.persistenceNotAllowed, .request) }
        guard state.withLock({ $0.persists }) else { throw ContentKeyError(.notPersistable, .request) }
        return Array("kept ".utf8) + response
    }

    @discardableResult
    func processContentKeyResponse(_ response: ContentKeyResponse) async -> ContentKeyRequestStatus {
        state.withLock { $0.answers.append(response) }
        if behavior == .refusesAnswers { return .failed }
        if keySystem != .fairPlayStreaming { return .receivedResponse }
        let ckc = Array("ckc ".utf8) + (spcs.last ?? [])
        let kept = Array("kept ".utf8)
        let good = [ckc, kept + ckc, Array("kept before".utf8)]
        return good.contains { response == ContentKeyResponse(fairPlayStreamingKeyResponseData: $0) }
            ? .receivedResponse : .failed
    }

    func processContentKeyResponseError(_ error: any Error) async { state.withLock { $0.errors.append(error) } }
}
