import KeyStore
import Synchronization

/// The key requests of encoders to this server process, by encoder and title, in bounded memory. It is lost when the
/// process ends. The audit log has the requests that were answered, but not the failures, of which an encoder can cause
/// any number.
package final class EncoderActivity: Sendable {
    /// An encoder and a title.
    struct Subject: Hashable, Sendable {
        /// The name of the token, or of the client certificate.
        let encoder: String
        /// The title of the content ID; nil without a content ID, or if the document could not be parsed.
        let title: String?
    }

    /// A request that failed.
    struct Failure: Sendable, Equatable {
        /// The time, in Unix seconds.
        let time: Int64
        /// The rule that refused the request, or the type of the problem.
        let reason: String
        /// The sentence that the encoder received, if it received one.
        let detail: String?
    }

    /// The requests of one encoder for one title.
    struct Requests: Sendable {
        /// The number of requests that were answered.
        var answered = 0
        /// The number of keys in the responses.
        var keys = 0
        /// The number of these that were created.
        var created = 0
        /// The number of requests that failed.
        var failed = 0
        /// The time of the last request, in Unix seconds.
        var last: Int64 = 0
        var lastFailure: Failure?
    }

    /// The maximum number of subjects. A new one replaces the one whose last request is the oldest.
    static let capacity = 1_000
    private let state = Mutex<[Subject: Requests]>([:])

    /// Creates an empty activity.
    package init() {}

    /// Counts a request that was answered.
    func answered(_ subject: Subject, keys: Int, created: Int, at time: Int64) {
        change(subject, at: time) {
            $0.answered += 1
            $0.keys += keys
            $0.created += created
        }
    }

    /// Counts a request that failed.
    func failed(_ subject: Subject, _ error: any Error, at time: Int64) {
        let failure = Self.failure(error, at: time)
        change(subject, at: time) {
            $0.failed += 1
            $0.lastFailure = failure
        }
    }

    private func change(_ subject: Subject, at time: Int64, _ body: (inout Requests) -> Void) {
        state.withLock { state in
            if state[subject] == nil, state.count >= Self.capacity,
                let oldest = state.min(by: { $0.value.last < $1.value.last })
            {
                state[oldest.key] = nil
            }
            var requests = state[subject] ?? Requests()
            requests.last = max(requests.last, time)
            body(&requests)
            state[subject] = requests
        }
    }

    /// Returns the requests, those with the latest request first.
    func all() -> [(subject: Subject, requests: Requests)] {
        state.withLock { $0.map { ($0.key, $0.value) } }.sorted { left, right in
            (left.1.last, right.0.encoder, right.0.title ?? "") > (right.1.last, left.0.encoder, left.0.title ?? "")
        }
    }

    private static func failure(_ error: any Error, at time: Int64) -> Failure {
        switch error {
        case let error as ProblemDocument:
            Failure(time: time, reason: error.reason ?? error.type.name, detail: error.detail)
        case is WorkPoolError:
            Failure(time: time, reason: ProblemType.overloaded.name, detail: nil)
        case let error as KeyStoreError where error.code == .conflict:
            Failure(time: time, reason: ProblemType.conflict.name, detail: error.reason)
        default:
            Failure(time: time, reason: ProblemType.unavailable.name, detail: nil)
        }
    }
}
