import Synchronization
import ToolSupport

/// A progress line for work on several threads.
final class LoadProgress: Sendable {
    private let line = Mutex(ProgressLine())
    private let what: String

    init(_ what: String) { self.what = what }

    func show(_ done: Int, of count: Int) {
        line.withLock { $0.show("\(what): \(count > 0 ? min(100, done * 100 / count) : 100) %") }
    }

    func clear() { line.withLock { $0.clear() } }
}
