import AVFoundation
import Foundation

/// A key session of the device checks, without the adapter, that writes down each call of its delegate.
@MainActor
final class CheckSession: NSObject, AVContentKeySessionDelegate {
    let session: AVContentKeySession
    /// The calls of the delegate, in order.
    private(set) var calls: [String] = []
    /// The requests that were delivered and not taken by ``next()``, in order.
    private var waiting: [AVContentKeyRequest] = []
    private(set) var updatedKey: Data?
    /// The number of retries that the delegate allows.
    var retries = 0
    private let clock: any Clock<Duration>

    init(_ keySystem: AVContentKeySystem = .fairPlayStreaming, storage: URL? = nil, clock: any Clock<Duration>) {
        session =
            storage.map { AVContentKeySession(keySystem: keySystem, storageDirectoryAt: $0) }
            ?? AVContentKeySession(keySystem: keySystem)
        self.clock = clock
        super.init()
        session.setDelegate(self, queue: .main)
    }

    /// Requests a key.
    func process(_ identifier: String) {
        session.processContentKeyRequest(withIdentifier: identifier, initializationData: nil, options: nil)
    }

    /// Waits until a condition is true. Returns false after the timeout.
    @discardableResult
    func wait(_ timeout: Duration = .seconds(5), until condition: () -> Bool = { false }) async -> Bool {
        for _ in 0..<Int(timeout / .milliseconds(250)) where !condition() {
            guard (try? await clock.sleep(for: .milliseconds(250))) != nil else { break }
        }
        return condition()
    }

    /// Returns the next request that the delegate received; nil after five seconds without one.
    func next() async -> AVContentKeyRequest? {
        await wait { !waiting.isEmpty }
        return waiting.isEmpty ? nil : waiting.removeFirst()
    }

    /// Waits for the device's result of a response, and returns true if it accepted the key.
    func result(within timeout: Duration = .seconds(20)) async -> Bool {
        await wait(timeout) { hasSucceeded || calls.contains { $0.hasPrefix("didFail") } }
        return hasSucceeded
    }

    /// Invalidates a persistable key.
    func invalidate(_ stored: Data) async throws {
        try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
            session.invalidatePersistableContentKey(stored, options: nil) { _, error in
                done.resume(with: error.map { .failure($0) } ?? .success(()))
            }
        }
    }

    var hasSucceeded: Bool { calls.contains("didSucceed") }

    private nonisolated func add(_ call: String, _ request: AVContentKeyRequest? = nil, _ update: Data? = nil) {
        // The delegate's queue is the main queue.
        MainActor.assumeIsolated {
            calls.append(call)
            if let request { waiting.append(request) }
            if let update { updatedKey = update }
        }
    }

    // MARK: The delegate

    nonisolated func contentKeySession(_ session: AVContentKeySession, didProvide keyRequest: AVContentKeyRequest) {
        add("didProvide", keyRequest)
    }

    nonisolated func contentKeySession(
        _ session: AVContentKeySession,
        didProvideRenewingContentKeyRequest keyRequest: AVContentKeyRequest
    ) { add("didProvideRenewing", keyRequest) }

    nonisolated func contentKeySession(
        _ session: AVContentKeySession,
        didProvide keyRequest: AVPersistableContentKeyRequest
    ) { add("didProvidePersistable", keyRequest) }

    nonisolated func contentKeySession(
        _ session: AVContentKeySession,
        didUpdatePersistableContentKey persistableContentKey: Data,
        forContentKeyIdentifier keyIdentifier: Any
    ) { add("didUpdate (\(kind(of: keyIdentifier)))", nil, persistableContentKey) }

    nonisolated func contentKeySession(
        _ session: AVContentKeySession,
        contentKeyRequest keyRequest: AVContentKeyRequest,
        didFailWithError err: any Error
    ) { add("didFail (\(numbers(of: err)))") }

    nonisolated func contentKeySession(
        _ session: AVContentKeySession,
        shouldRetry keyRequest: AVContentKeyRequest,
        reason retryReason: AVContentKeyRequest.RetryReason
    ) -> Bool {
        add("shouldRetry (\(retryReason.rawValue))")
        return MainActor.assumeIsolated {
            retries -= 1
            return retries >= 0
        }
    }

    nonisolated func contentKeySession(
        _ session: AVContentKeySession,
        contentKeyRequestDidSucceed keyRequest: AVContentKeyRequest
    ) { add("didSucceed") }

    nonisolated func contentKeySessionContentProtectionSessionIdentifierDidChange(_ session: AVContentKeySession) {}

    nonisolated func contentKeySessionDidGenerateExpiredSessionReport(_ session: AVContentKeySession) {
        add("didGenerateExpiredSessionReport")
    }

    nonisolated func contentKeySession(
        _ session: AVContentKeySession,
        externalProtectionStatusDidChangeFor contentKey: AVContentKey
    ) { add("externalProtectionStatusDidChange") }
}

/// The domains and numbers of an error and its underlying errors; no texts, which may contain addresses.
func numbers(of error: any Error) -> String {
    var (numbers, next) = ([String](), error as NSError?)
    while let error = next, numbers.count < 8 {
        numbers.append("\(error.domain) \(error.code)")
        next = error.userInfo[NSUnderlyingErrorKey] as? NSError
    }
    return numbers.joined(separator: " over ")
}

/// The type of an identifier.
func kind(of identifier: Any?) -> String {
    switch identifier {
    case is String: "String"
    case is URL: "URL"
    case is Data: "Data"
    case nil: "nil"
    default: "another type"
    }
}
