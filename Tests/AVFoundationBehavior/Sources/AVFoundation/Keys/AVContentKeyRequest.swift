// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The requests: reference, section 1.3.

public import Foundation
import Locking

@available(iOS 10.3, macOS 10.12.4, tvOS 10.2, visionOS 1, *)
open class AVContentKeyRequest: NSObject, @unchecked Sendable {
    public enum Status: Int, Sendable {
        case requestingResponse
        case receivedResponse
        case renewed
        case retried
        case cancelled
        case failed
    }

    public struct RetryReason: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        public static let timedOut = RetryReason(rawValue: "?TimedOut")
        public static let receivedResponseWithExpiredLease = RetryReason(rawValue: "?ReceivedResponseWithExpiredLease")
        public static let receivedObsoleteContentKey = RetryReason(rawValue: "?ReceivedObsoleteContentKey")
    }

    let cause: KeyRequestCause
    let system: AppleSystem
    private let keySystem: AVContentKeySystem
    // Rule 9: a request does not keep its session.
    private let owner: Weak
    // Rule 12: a new request has no error and no content key.
    let state = Lock(KeyRequestState())

    init(_ session: AVContentKeySession, _ cause: KeyRequestCause) {
        (self.cause, system, keySystem, owner) = (cause, session.system, session.keySystem, Weak(session))
        super.init()
    }

    var session: AVContentKeySession? { owner.object as? AVContentKeySession }
    /// True if the app has to answer.
    var isWaiting: Bool { state.withLock { !$0.isAnswered && $0.status == .requestingResponse } }

    open var status: Status { state.withLock { $0.status } }
    // Rule 21.
    open var error: (any Error)? { state.withLock { $0.status == .failed ? $0.error : nil } }
    open var identifier: _ContentKeyValue? { cause.identifier.value.map { contentKeyValue($0) } }
    open var initializationData: Data? { cause.initializationData }
    // Rule 36.
    @available(iOS 12.2, macOS 10.14.4, tvOS 12.2, visionOS 1, *)
    open var options: [String: _ContentKeyValue] { cause.options.value.mapValues { contentKeyValue($0) } }
    // Rule 26: false on every plain request, also when persisting is possible.
    open var canProvidePersistableContentKey: Bool { false }
    // Rule 46.
    open var renewsExpiringResponseData: Bool { cause.renewed != nil || state.withLock { $0.isRenewing } }
    @available(iOS 14.5, macOS 11.3, tvOS 14.5, visionOS 1, *)
    open var contentKeySpecifier: AVContentKeySpecifier {
        AVContentKeySpecifier(
            forKeySystem: keySystem,
            identifier: cause.identifier.value ?? "",
            options: cause.options.value
        )
    }
    @available(iOS 14.5, macOS 11.3, tvOS 14.5, visionOS 1, *)
    open var contentKey: AVContentKey? { state.withLock { $0.contentKey } }
    // Rule 37.
    @available(iOS 26, macOS 26, tvOS 26, visionOS 26, *)
    open var originatingRecipient: (any AVContentKeyRecipient)? {
        cause.recipient?.object as? any AVContentKeyRecipient
    }
    @available(iOS 27, tvOS 27, *)
    @available(macOS, unavailable)
    @available(visionOS, unavailable)
    @available(macCatalyst, unavailable)
    open var canBeFulfilledWithAdvisoryKey: Bool { state.withLock { $0.canBeFulfilledWithAdvisoryKey } }

    // MARK: The SPC

    open func makeStreamingContentKeyRequestData(
        forApp appIdentifier: Data,
        contentIdentifier: Data?,
        options: [String: Any]? = nil,
        completionHandler handler: @escaping @Sendable (Data?, (any Error)?) -> Void
    ) {
        guard let session = liveSession() else { return }
        // Rule 15.
        guard !session.state.withLock({ $0.supportsAdvisoryKeys }) else {
            return system.raise(.invalidArgument, "a session with advisory keys needs the optional variant")
        }
        session.makeSPC(self, appIdentifier, contentIdentifier, options ?? [:]) { handler($0, $1) }
    }

    @available(iOS 13, macOS 10.15, tvOS 13, visionOS 1, *)
    public func makeStreamingContentKeyRequestData(
        forApp appIdentifier: Data,
        contentIdentifier: Data?,
        options: [String: Any]? = nil
    ) async throws -> Data {
        try await dataOrError {
            makeStreamingContentKeyRequestData(
                forApp: appIdentifier,
                contentIdentifier: contentIdentifier,
                options: options,
                completionHandler: $0
            )
        }
    }

    @available(iOS 27, tvOS 27, *)
    @available(macOS, unavailable)
    @available(visionOS, unavailable)
    @available(macCatalyst, unavailable)
    open func makeOptionalStreamingContentKeyRequestData(
        forApp appIdentifier: Data,
        contentIdentifier: Data?,
        options: [String: Any]? = nil,
        completionHandler handler: @escaping @Sendable (Data?, (any Error)?) -> Void
    ) {
        guard let session = liveSession() else { return }
        if session.fulfillWithAdvisoryKey(self) {
            session.perform { _ in handler(nil, nil) }
        } else {
            session.makeSPC(self, appIdentifier, contentIdentifier, options ?? [:]) { handler($0, $1) }
        }
    }

    // MARK: The answer

    open func processContentKeyResponse(_ keyResponse: AVContentKeyResponse) {
        liveSession()?.receive(keyResponse.content, for: self)
    }
    open func processContentKeyResponseError(_ error: any Error) {
        liveSession()?.receive(error: error as NSError, for: self)
    }

    // The short name belongs to the older method without an error, which exists only on iOS.
    #if os(iOS)
    @available(iOS, introduced: 10.3, deprecated: 11.2)
    @available(macCatalyst, introduced: 13.1, deprecated: 13.1)
    open func respondByRequestingPersistableContentKeyRequest() { try? requestPersistable() }
    @available(iOS 11.2, *)
    open func respondByRequestingPersistableContentKeyRequestAndReturnError() throws { try requestPersistable() }
    #else
    @available(macOS 10.15, tvOS 17, visionOS 1, *)
    open func respondByRequestingPersistableContentKeyRequest() throws { try requestPersistable() }
    #endif

    private func requestPersistable() throws(NSError) {
        guard let session = liveSession() else { throw KeyError.avFoundation(KeyError.unknown) }
        try session.requestPersistable(self)
    }

    /// Returns the session. Raises if it was released (rule 9); whether `makeStreaming…`, `respondBy…` and
    /// `processContentKeyResponseError` raise too is unknown.
    func liveSession(_ function: String = #function) -> AVContentKeySession? {
        guard let session else {
            system.raise(.invalidArgument, "\(function): the session of the request was released")
            return nil
        }
        return session
    }

    /// Ends the request without a verdict, or notes its verdict.
    func end(_ status: Status, _ error: NSError? = nil) {
        let timer = state.withLock { state in
            (state.status, state.error, state.isAnswered) = (status, error, true)
            defer { state.timer = nil }
            return state.timer
        }
        if let timer { system.clock.cancel(timer) }
    }

    /// Takes the right to answer. The second answer is unknown (rule 23): here it has no effect, and the system counts
    /// it. Returns false if the request must not be answered.
    func beginAnswer() -> Bool {
        let (isFirst, status, timer) = state.withLock { state in
            defer { (state.isAnswered, state.timer) = (true, nil) }
            return (!state.isAnswered && state.status == .requestingResponse, state.status, state.timer)
        }
        if let timer { system.clock.cancel(timer) }
        // An app cannot know that a request was just cancelled, failed by itself, or is retried.
        if !isFirst, status == .requestingResponse || status == .receivedResponse { system.noteSecondAnswer() }
        return isFirst
    }
}

@available(iOS 10.3, macOS 10.15, tvOS 10.2, visionOS 1, *)
open class AVPersistableContentKeyRequest: AVContentKeyRequest, @unchecked Sendable {
    // Rule 26.
    open override var canProvidePersistableContentKey: Bool { true }

    // Rule 54: this does not answer the request.
    open func persistableContentKey(
        fromKeyVendorResponse keyVendorResponse: Data,
        options: [String: Any]? = nil
    ) throws -> Data {
        guard liveSession() != nil, let device = system.device else { throw KeyError.avFoundation(KeyError.unknown) }
        guard let request = state.withLock({ $0.fairPlay }) else {
            throw KeyError.failure(KeyError.status(KeyError.invalidCKC))
        }
        do throws(NSError) {
            return try device.persistableKey(ckc: keyVendorResponse, for: request)
        } catch {
            throw KeyError.failure(error)
        }
    }
}

extension AppleSystem {
    private final class SecondAnswers: Sendable { let count = Lock(0) }

    func noteSecondAnswer() { part(SecondAnswers()).count.withLock { $0 += 1 } }

    /// The number of answers to requests that had one. The correct number is 0 (rule 23).
    package var secondAnswers: Int { part(SecondAnswers()).count.withLock { $0 } }
}
