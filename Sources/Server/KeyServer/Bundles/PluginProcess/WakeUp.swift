import Glibc

/// A signal to a thread that waits for time or for the end of a socket.
final class WakeUp: Sendable {
    private let socket: PluginSocket?
    private let signalling: PluginSocket?

    init() {
        let pair = try? PluginSocket.pair()
        (socket, signalling) = (pair?.0, pair?.1)
    }

    /// Wakes the thread, now or at its next wait.
    func signal() {
        guard let signalling else { return }
        _ = send(signalling.descriptor, [UInt8(1)], 1, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
    }

    /// Waits until the other end of a socket is closed, or until the next signal.
    func wait(orEndOf descriptor: Int32) { poll([descriptor], milliseconds: -1) }

    /// Waits for a time, unless a condition becomes true, which is checked after each signal.
    func wait(for duration: Duration, unless isDone: () -> Bool) {
        let end = ContinuousClock.now + duration
        while !isDone() {
            let left = end - .now
            guard left > .zero else { return }
            poll([], milliseconds: Int32(clamping: Int64(left / .milliseconds(1)) + 1))
        }
    }

    private func poll(_ others: [Int32], milliseconds: Int32) {
        var awaited = (others + [socket?.descriptor ?? -1]).map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        _ = Glibc.poll(&awaited, nfds_t(awaited.count), milliseconds)
        var signals = [UInt8](repeating: 0, count: 64)
        if let socket { _ = recv(socket.descriptor, &signals, signals.count, Int32(MSG_DONTWAIT)) }
    }
}
