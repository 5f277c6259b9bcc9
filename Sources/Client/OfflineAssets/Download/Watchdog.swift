import Locking
import StreamPlayer

/// A watchdog that cancels an operation without progress.
struct Watchdog: Sendable {
    /// A counter of received bytes.
    final class Counter: Sendable {
        private let bytes = Lock<UInt64>(0)
        var value: UInt64 { bytes.withLock { $0 } }
        func add(_ count: Int) { bytes.withLock { $0 += UInt64(max(0, count)) } }
    }

    /// The time in which progress is required.
    let span: Duration
    /// The minimum number of bytes in that time.
    let minimumProgress: Int

    /// Runs an operation, and cancels it if it receives too few bytes in the time.
    ///
    /// - Parameter body: The operation, which counts the received bytes; it must return soon after its task is
    ///   cancelled.
    /// - Returns: The result of the operation, and whether the watchdog cancelled it.
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
                    if count - last < UInt64(max(0, minimumProgress)) { break }
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
        // The body always returns a result; this line only satisfies the compiler.
        guard let value else { return (await body(counter), false) }
        return (value, stalled.withLock { $0 })
    }
}
