/// A value that only one thread at a time can access.
///
/// The interface is that of the standard library's `Mutex`, which requires iOS 18 or macOS 15. Unlike `Mutex`, this
/// type is a class: the value and the lock are on the heap. Code that holds the lock must not suspend and must not
/// acquire the same lock again.
///
/// The type is `@unchecked Sendable` because the value is accessible only in ``withLock(_:)``, whose parameters and
/// result are `sending`.
package final class Lock<Value: ~Copyable>: @unchecked Sendable {
    @usableFromInline let system = SystemLock()
    @usableFromInline nonisolated(unsafe) var value: Value

    /// Creates a lock for a value, which no other code may use after this.
    @inlinable
    package init(_ value: consuming sending Value) { self.value = value }

    deinit { system.destroy() }

    /// Calls `body` with exclusive access to the value, and returns the result of `body`.
    ///
    /// - Throws: the error of `body`; the lock is released then.
    @inlinable
    package func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        system.lock()
        defer { system.unlock() }
        return try body(&value)
    }
}
