import Synchronization

/// A value that is true once.
final class OneTime: Sendable {
    private let isTaken = Mutex(false)

    func take() -> Bool {
        isTaken.withLock { isTaken in
            defer { isTaken = true }
            return !isTaken
        }
    }
}
