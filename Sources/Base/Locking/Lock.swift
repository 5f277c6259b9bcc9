/// A value that one thread at a time can access.
///
/// It is used like `Mutex` of the standard library, which Apple's systems have since iOS 18 and macOS 15 only. Unlike
/// `Mutex` it is an object: the value and the lock have a place on the heap. Do not suspend, and do not take the same lock
/// again, while it is held.
///
/// Unchecked: the value is only reachable in ``withLock(_:)``, what goes in and what comes out is `sending`.
package final class Lock<Value: ~Copyable>: @unchecked Sendable {
    @usableFromInline let system = SystemLock()
    @usableFromInline nonisolated(unsafe) var value: Value

    /// Protects a value, which nothing else may use any more.
    @inlinable
    package init(_ value: consuming sending Value) { self.value = value }

    deinit { system.destroy() }

    /// Runs `body` with the value while no other thread has it, and returns what `body` returns.
    ///
    /// - Throws: What `body` throws; the lock is free then.
    @inlinable
    package func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        system.lock()
        defer { system.unlock() }
        return try body(&value)
    }
}
