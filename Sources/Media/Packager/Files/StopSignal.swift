package import FileWriting
import Foundation
import Locking

/// Stops reading, from another thread or a signal handler: a read from a pipe, or a wait for one, returns as at the end
/// of the pipe.
package final class StopSignal: Sendable {
    /// The read end of a pipe, which becomes and remains readable after ``stop()``.
    let descriptor: Int32
    private let writer: Int32
    private let handlers = Lock<[@Sendable () -> Void]>([])

    /// Creates a signal that is not set.
    ///
    /// - Throws: ``FileError``.
    package init() throws(FileError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw FileError(.create, path: "pipe", code: errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (descriptor, writer) = (ends[0], ends[1])
    }

    deinit {
        close(descriptor)
        close(writer)
    }

    /// Requests the stop. May be called more than once.
    package func stop() {
        var byte: UInt8 = 1
        _ = write(writer, &byte, 1)
        for handler in handlers.withLock({ $0 }) { handler() }
    }

    /// Calls a closure when a stop is requested; immediately if it already is. The closure may be called more than
    /// once.
    func onStop(_ handler: @escaping @Sendable () -> Void) {
        handlers.withLock { $0.append(handler) }
        if isStopped { handler() }
    }

    /// True if a stop has been requested.
    package var isStopped: Bool { Self.poll([descriptor], timeout: 0)[0] }

    /// Waits until a descriptor is readable or at its end. Returns false if a stop is requested.
    func wait(for other: Int32) -> Bool { !Self.poll([descriptor, other], timeout: -1)[0] }

    private static func poll(_ descriptors: [Int32], timeout: Int32) -> [Bool] {
        var entries = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while Foundation.poll(&entries, nfds_t(entries.count), timeout) < 0, errno == EINTR {}
        return entries.map { $0.revents != 0 }
    }
}
