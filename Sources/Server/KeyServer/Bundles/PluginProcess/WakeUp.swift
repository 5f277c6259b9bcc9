import Glibc

/// A signal to a thread that waits for time or for the end of a socket.
final class WakeUp: Sendable {
    private let socket: PluginSocket
    private let writer: PluginSocket

    init() throws(PluginSocket.Failure) { (socket, writer) = try PluginSocket.pair() }

    /// Wakes the thread, now or at its next wait.
    func signal() {
        _ = send(writer.descriptor, [UInt8(1)], 1, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
    }

    /// Waits until the other end of a socket is closed or has written something, or until the next signal.
    ///
    /// - Returns: Whether the other end is the reason.
    func wait(orEndOf descriptor: Int32) -> Bool { poll(descriptor, milliseconds: -1) }

    /// Waits for a time, unless a condition becomes true, which is checked after each signal.
    func wait(for duration: Duration, unless isDone: () -> Bool) {
        let end = ContinuousClock.now + duration
        while !isDone() {
            let left = end - .now
            guard left > .zero else { return }
            _ = poll(-1, milliseconds: Int32(clamping: Int64(left / .milliseconds(1)) + 1))
        }
    }

    private func poll(_ other: Int32, milliseconds: Int32) -> Bool {
        // A descriptor of -1 is ignored.
        var awaited = [other, socket.descriptor].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        guard Glibc.poll(&awaited, nfds_t(awaited.count), milliseconds) > 0 else { return false }
        var signals = [UInt8](repeating: 0, count: 64)
        _ = recv(socket.descriptor, &signals, signals.count, Int32(MSG_DONTWAIT))
        return awaited[0].revents != 0
    }
}
