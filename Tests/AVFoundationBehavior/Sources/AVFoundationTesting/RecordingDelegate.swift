package import AVFoundation
package import Foundation
import Locking

/// A delegate that records its calls.
package final class RecordingDelegate: NSObject, AVContentKeySessionDelegate, Sendable {
    /// A call, with the identifier of the key and what else a test looks at.
    package enum Call: Hashable, Sendable {
        case provide(String), persistable(String), renewing(String)
        case several([String])
        case succeed(String)
        case fail(String, domain: String, code: Int, underlying: Int?)
        case retry(String, AVContentKeyRequest.RetryReason)
        case update(String)
        case sessionIdentifier, report
        case output(String, Int)
    }

    private struct State {
        var calls: [Call] = []
        var requests: [AVContentKeyRequest] = []
        var updates: [Data] = []
        var retries = 0
        var statusAtSuccess: [AVContentKeyRequest.Status] = []
    }
    private let state = Lock(State())

    /// Creates a delegate that answers true to the first calls of shouldRetry.
    package init(retries: Int = 0) {
        super.init()
        state.withLock { $0.retries = retries }
    }

    package var calls: [Call] { state.withLock { $0.calls } }
    package var requests: [AVContentKeyRequest] { state.withLock { $0.requests } }
    package var updates: [Data] { state.withLock { $0.updates } }

    /// Returns the last request, or throws if there was none.
    package func last() throws -> AVContentKeyRequest {
        guard let last = requests.last else { throw MissingValue() }
        return last
    }

    /// Returns the calls since the last time, and forgets them. Requests stay.
    package func takeCalls() -> [Call] {
        state.withLock { state in
            defer { state.calls = [] }
            return state.calls
        }
    }

    private func note(_ call: Call, _ request: AVContentKeyRequest? = nil) {
        state.withLock { state in
            state.calls.append(call)
            if let request { state.requests.append(request) }
        }
    }

    package func contentKeySession(_ session: AVContentKeySession, didProvide request: AVContentKeyRequest) {
        note(.provide(text(request.identifier)), request)
    }
    package func contentKeySession(
        _ session: AVContentKeySession,
        didProvideRenewingContentKeyRequest request: AVContentKeyRequest
    ) { note(.renewing(text(request.identifier)), request) }
    package func contentKeySession(
        _ session: AVContentKeySession,
        didProvide request: AVPersistableContentKeyRequest
    ) { note(.persistable(text(request.identifier)), request) }
    package func contentKeySession(
        _ session: AVContentKeySession,
        didUpdatePersistableContentKey data: Data,
        forContentKeyIdentifier identifier: Any
    ) {
        state.withLock { $0.updates.append(data) }
        note(.update(text(identifier)))
    }
    package func contentKeySession(
        _ session: AVContentKeySession,
        contentKeyRequest request: AVContentKeyRequest,
        didFailWithError error: any Error
    ) {
        let error = error as NSError
        let underlying = (error.userInfo[NSUnderlyingErrorKey] as? NSError)?.code
        note(.fail(text(request.identifier), domain: error.domain, code: error.code, underlying: underlying))
    }
    package func contentKeySession(
        _ session: AVContentKeySession,
        shouldRetry request: AVContentKeyRequest,
        reason: AVContentKeyRequest.RetryReason
    ) -> Bool {
        note(.retry(text(request.identifier), reason))
        return state.withLock { state in
            state.retries -= 1
            return state.retries >= 0
        }
    }
    package func contentKeySession(
        _ session: AVContentKeySession,
        contentKeyRequestDidSucceed request: AVContentKeyRequest
    ) { note(.succeed(text(request.identifier))) }
    package func contentKeySessionContentProtectionSessionIdentifierDidChange(_ session: AVContentKeySession) {
        note(.sessionIdentifier)
    }
    package func contentKeySessionDidGenerateExpiredSessionReport(_ session: AVContentKeySession) { note(.report) }
    package func contentKeySession(
        _ session: AVContentKeySession,
        externalProtectionStatusDidChangeFor key: AVContentKey
    ) { note(.output(text(key.contentKeySpecifier.identifier), key.externalContentProtectionStatus.rawValue)) }

    private func text(_ identifier: Any?) -> String {
        switch identifier {
        case let text as String: text
        case let url as URL: url.absoluteString
        default: "\(identifier ?? "nil")"
        }
    }
}

extension RecordingDelegate.Call {
    /// The failure of a request with a number of the guide.
    package static func fail(_ identifier: String, status: Int) -> Self {
        .fail(identifier, domain: AVFoundationErrorDomain, code: -11800, underlying: status)
    }

    /// True if the call is not about the session or an output, which most tests ignore.
    package var isAboutRequest: Bool {
        switch self {
        case .sessionIdentifier, .report, .output: false
        default: true
        }
    }
}
