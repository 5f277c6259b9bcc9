import Glibc

/// One end of a socket between the server and the process of a plug-in.
///
/// One thread at a time uses the socket: it writes a request and reads the reply, or the opposite.
final class PluginSocket: Sendable {
    /// A failure to exchange frames.
    enum Failure: Error, Equatable {
        /// The other process did not write or read in time.
        case deadline
        /// The other process has closed the socket or has ended.
        case closed
        /// The bytes are not a valid frame.
        case frame(PluginFrameError)
        /// Another error of the system.
        case system(Int32)
    }

    let descriptor: Int32

    /// Takes over a descriptor.
    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Creates two connected sockets, which exec closes.
    static func pair() throws(Failure) -> (PluginSocket, PluginSocket) {
        var descriptors: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &descriptors) == 0 else { throw .system(errno) }
        return (PluginSocket(descriptors[0]), PluginSocket(descriptors[1]))
    }

    /// Limits the time that each read and each write waits for the other process. Without a limit, they wait forever.
    func limitWaiting(to limit: Duration) {
        let (seconds, attoseconds) = limit.components
        // Zero would mean no limit.
        var time = timeval(tv_sec: Int(seconds), tv_usec: max(Int(attoseconds / 1_000_000_000_000), 1))
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, size)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, size)
    }

    /// Writes a frame.
    ///
    /// - Parameter deadline: The time after which an incomplete frame is a failure. The wait for the first byte is
    ///   limited by ``limitWaiting(to:)``, so that a frame that is written at once costs one system call.
    func send(_ buffer: PluginFrameBuffer, by deadline: ContinuousClock.Instant? = nil) throws(Failure) {
        var rest = buffer.bytes
        while !rest.isEmpty {
            let sent = Glibc.send(descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
            if sent < 0 {
                guard errno == EINTR else { throw Self.failure(errno) }
                continue
            }
            rest = UnsafeRawBufferPointer(rebasing: rest[sent...])
            if !rest.isEmpty, let deadline, ContinuousClock.now > deadline { throw .deadline }
        }
    }

    /// Reads a frame.
    ///
    /// - Parameter deadline: As for ``send(_:by:)``.
    func receive(into buffer: PluginFrameBuffer, by deadline: ContinuousClock.Instant? = nil) throws(Failure) {
        buffer.wipe()
        while true {
            let size = try Self.frame { () throws(PluginFrameError) in try buffer.size() }
            if let size {
                if buffer.count == size { return }
                // A frame is the only one until its sender has got an answer.
                guard buffer.count < size else { throw .frame(.trailingBytes) }
                buffer.reserve(size - buffer.count)
            }
            if buffer.count > 0, let deadline, ContinuousClock.now > deadline { throw .deadline }
            let received = recv(descriptor, buffer.free.baseAddress, buffer.free.count, 0)
            if received < 0 {
                guard errno == EINTR else { throw Self.failure(errno) }
                continue
            }
            guard received > 0 else { throw buffer.count == 0 ? .closed : .frame(.truncated) }
            buffer.received(received)
        }
    }

    /// Ends the writing direction, which the other process reads as the end of the file.
    func endWriting() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Waits until the other process closes its end.
    ///
    /// - Parameter limit: The maximum time, in milliseconds; negative for no limit.
    func waitForEnd(_ limit: Int32 = -1) {
        var awaited = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while poll(&awaited, 1, limit) < 0, errno == EINTR {}
    }

    private static func failure(_ number: Int32) -> Failure {
        switch number {
        case EAGAIN: .deadline
        case EPIPE, ECONNRESET: .closed
        default: .system(number)
        }
    }

    private static func frame<Value>(
        _ body: () throws(PluginFrameError) -> Value
    ) throws(Failure) -> Value {
        do { return try body() } catch { throw .frame(error) }
    }
}
