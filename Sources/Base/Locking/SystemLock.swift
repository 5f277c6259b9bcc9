#if canImport(Darwin)
import os
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
#error("Locking does not support this system: add its lock alongside pthread_mutex_t.")
#endif

/// The system's mutual exclusion lock: `os_unfair_lock` on Apple platforms, `pthread_mutex_t` on others. The lock is
/// not recursive.
///
/// The type is `@unchecked Sendable` because the pointer never changes and the lock that it points to is designed for
/// use by several threads.
@usableFromInline
struct SystemLock: @unchecked Sendable {
    #if canImport(Darwin)
    typealias Value = os_unfair_lock
    #else
    typealias Value = pthread_mutex_t
    #endif

    /// The address of the lock. The lock has a separate allocation, because it must not move in memory while it is in
    /// use.
    private let pointer: UnsafeMutablePointer<Value>

    /// Allocates an unlocked lock. Call ``destroy()`` once after the last use.
    @usableFromInline
    init() {
        pointer = .allocate(capacity: 1)
        #if canImport(Darwin)
        pointer.initialize(to: Value())
        #else
        let result = pthread_mutex_init(pointer, nil)
        precondition(result == 0, "pthread_mutex_init failed with \(result)")
        #endif
    }

    /// Waits until the lock is free, and acquires it.
    @usableFromInline
    func lock() {
        #if canImport(Darwin)
        os_unfair_lock_lock(pointer)
        #else
        let result = pthread_mutex_lock(pointer)
        precondition(result == 0, "pthread_mutex_lock failed with \(result)")
        #endif
    }

    /// Releases the lock. The thread that acquired the lock must call this function.
    @usableFromInline
    func unlock() {
        #if canImport(Darwin)
        os_unfair_lock_unlock(pointer)
        #else
        let result = pthread_mutex_unlock(pointer)
        precondition(result == 0, "pthread_mutex_unlock failed with \(result)")
        #endif
    }

    /// Deallocates the lock.
    @usableFromInline
    func destroy() {
        #if !canImport(Darwin)
        pthread_mutex_destroy(pointer)
        #endif
        pointer.deinitialize(count: 1)
        pointer.deallocate()
    }
}
