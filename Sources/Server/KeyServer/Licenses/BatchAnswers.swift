import Synchronization

/// The answers to concurrent key requests. It replaces a task group with pairs of index and answer as values: in
/// release builds of Swift 6.3.1, such a group returned an invalid index and crashed the server.
final class BatchAnswers: Sendable {
    private let answers: Mutex<[Result<LicenseAnswer, any Error>]>

    init(count: Int) {
        answers = Mutex([Result<LicenseAnswer, any Error>](repeating: .failure(CancellationError()), count: count))
    }

    var all: [Result<LicenseAnswer, any Error>] { answers.withLock { $0 } }

    func put(_ answer: Result<LicenseAnswer, any Error>, at index: Int) {
        answers.withLock { $0[index] = answer }
    }
}
