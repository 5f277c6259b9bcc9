import Locking
import StreamPlayer

/// Ends what makes no progress any more.
struct Watchdog: Sendable {
    /// Counts bytes as they come.
    final class Counter: Sendable {
        private let bytes = Lock<UInt64>(0)
        var value: UInt64 { bytes.withLock { $0 } }
        func add(_ count: Int) { bytes.withLock { $0 += UInt64(max(0, count)) } }
    }

    /// The span of time.
    let span: Duration
    /// What must come in it, in bytes.
    let leastProgress: Int

    /// Runs something, and cancels it when too few bytes come for too long.
    ///
    /// - Parameter body: counts what comes; it ends soon when its task is cancelled, and its result is what counts.
    /// - Returns: its result, and whether it was cancelled for that.
    func watch<Value: Sendable>(
        _ body: @escaping @Sendable (Counter) async -> Value
    ) async -> (value: Value, isStalled: Bool) {
        let counter = Counter()
        let stalled = Lock(false)
        let value = await withTaskGroup(of: Value?.self) { tasks in
            tasks.addTask { await body(counter) }
            tasks.addTask {
                var last: UInt64 = 0
                while (try? await Task.sleep(for: span)) != nil {
                    let count = counter.value
                    if count - last < UInt64(max(0, leastProgress)) { break }
                    last = count
                }
                return nil
            }
            var result: Value?
            for await value in tasks {
                if let value {
                    result = value
                } else if result == nil, !Task.isCancelled {
                    stalled.withLock { $0 = true }
                }
                tasks.cancelAll()
            }
            return result
        }
        // The body always has a result; without one it would have to be made up.
        guard let value else { return (await body(counter), false) }
        return (value, stalled.withLock { $0 })
    }
}
