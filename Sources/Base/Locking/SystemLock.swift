#if canImport(Darwin)
import os
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
#error("Locking has no lock for this system: add one beside pthread_mutex_t.")
#endif

/// The system's mutual exclusion lock: `os_unfair_lock` on Apple's platforms, `pthread_mutex_t` elsewhere. It is not
/// recursive.
///
/// Unchecked: the pointer is set once, and what it points at is made for use by several threads.
@usableFromInline
struct SystemLock: @unchecked Sendable {
    #if canImport(Darwin)
    typealias Value = os_unfair_lock
    #else
    typealias Value = pthread_mutex_t
    #endif

    /// The lock must not move in memory while it is used, so it has an allocation of its own.
    private let pointer: UnsafeMutablePointer<Value>

    /// Allocates a lock, which is not locked. Call ``destroy()`` once, when it is not used any more.
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

    /// Waits until the lock is free, and takes it.
    @usableFromInline
    func lock() {
        #if canImport(Darwin)
        os_unfair_lock_lock(pointer)
        #else
        let result = pthread_mutex_lock(pointer)
        precondition(result == 0, "pthread_mutex_lock failed with \(result)")
        #endif
    }

    /// Frees the lock, on the thread that took it.
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
