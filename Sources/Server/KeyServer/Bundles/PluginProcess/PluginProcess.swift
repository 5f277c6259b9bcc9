import Dispatch
import Glibc
import KeyServerModule
import Synchronization

/// A running process with a plug-in. It ends when the last reference goes away.
///
/// The server starts its own executable again. The process has a socket for each call at a time, and one that nothing is
/// written to: its end tells each side that the other has ended.
final class PluginProcess: Sendable {
    /// The reason why a call has no reply.
    enum Failure: Error, Equatable {
        /// All sockets are in use.
        case busy
        /// The process did not reply in time.
        case deadline
        /// The process has ended.
        case ended
        /// The process sent something that is not a reply.
        case invalidReply
    }

    /// The number of the first descriptor that the process gets, the socket without data. Those for calls follow.
    static let firstDescriptor: Int32 = 3

    private struct State {
        var isReaped = false
        var idle: [PluginConnection] = []
        var hasEnded = false
        /// True if a call has waited for a socket without success. The next calls then do not wait, so that a plug-in that hangs
        /// delays few requests of other bundles.
        var isOverdue = false
    }

    private let identifier: pid_t
    private let lifeline: PluginSocket
    private let state: Mutex<State>
    private let available = DispatchSemaphore(value: 0)
    private let settings: PluginProcessSettings
    /// The time at which the process was started.
    let started = ContinuousClock.now

    /// Starts a process, which then waits for the request to load a plug-in.
    ///
    /// - Throws: The number of the system's error.
    init(_ settings: PluginProcessSettings) throws(PluginSocket.Failure) {
        let (lifeline, theirs) = try PluginSocket.pair()
        var ends = [theirs]
        var connections: [PluginConnection] = []
        for _ in 0..<settings.calls {
            let (own, theirs) = try PluginSocket.pair()
            connections.append(PluginConnection(own))
            ends.append(theirs)
        }
        identifier = try Self.spawn(settings, ends)
        self.lifeline = lifeline
        self.settings = settings
        state = Mutex(State(idle: connections))
        for _ in connections { available.signal() }
    }

    deinit {
        // The process gets a moment to destroy the plug-in. Nothing refers to this object any more, so the wait is on a
        // thread of its own.
        let (identifier, lifeline, isReaped) = (identifier, lifeline, state.withLock { $0.isReaped })
        guard !isReaped else { return }
        lifeline.endWriting()
        DispatchQueue.global().async {
            lifeline.waitForEnd(3_000)
            kill(identifier, SIGKILL)
            _ = Self.reap(identifier)
        }
    }

    /// Starts the executable with the sockets as descriptors. `PluginService` closes all others before it loads a plug-in.
    private static func spawn(
        _ settings: PluginProcessSettings,
        _ sockets: [PluginSocket]
    ) throws(PluginSocket.Failure) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        // Copies with large numbers, which cannot be equal to a number that the process uses.
        var copies: [Int32] = []
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
            for copy in copies { close(copy) }
        }
        // A plug-in must not write to the server's log.
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDWR, 0)
        posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDERR_FILENO)
        var next = firstDescriptor
        for socket in sockets {
            let copy = fcntl(socket.descriptor, F_DUPFD_CLOEXEC, firstDescriptor + Int32(sockets.count))
            guard copy >= 0 else { throw .system(errno) }
            copies.append(copy)
            posix_spawn_file_actions_adddup2(&actions, copy, next)
            next += 1
        }
        // The server may have blocked signals in this thread, and it ignores SIGPIPE. In a process group of its own, the
        // process does not get the signals of a terminal.
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setpgroup(&attributes, 0)
        let flags = POSIX_SPAWN_SETPGROUP | Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF)
        posix_spawnattr_setflags(&attributes, Int16(flags))
        let arguments = words(settings.arguments + ["\(sockets.count - 1)"])
        let environment = words(settings.environment)
        defer { for word in arguments + environment { free(word) } }
        var child: pid_t = 0
        let failure = posix_spawn(&child, settings.executable, &actions, &attributes, arguments, environment)
        guard failure == 0 else { throw .system(failure) }
        return child
    }

    /// Copies texts to a list for C, which ends with nil and must be freed.
    private static func words(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
        texts.map { (text: String) -> UnsafeMutablePointer<CChar>? in strdup(text) } + [nil]
    }

    /// Sends a request and returns the reply.
    ///
    /// - Parameter limit: The maximum time for the reply.
    /// - Returns: The reply, and whether the process exceeds the bound of its memory.
    func call(
        _ request: PluginRequest,
        within limit: Duration
    ) throws(Failure) -> (reply: PluginReply, isOverMemory: Bool) {
        let connection = try take()
        do throws(PluginSocket.Failure) {
            let answer = try connection.exchange(request, within: limit)
            state.withLock { state in
                state.idle.append(connection)
                state.isOverdue = false
            }
            available.signal()
            return answer
        } catch {
            // A socket with half a frame is of no use, and the process is not trusted any more.
            let hadEnded = state.withLock { $0.hasEnded }
            end()
            switch error {
            case .deadline: throw .deadline
            case .closed, .system: throw .ended
            case .frame(.truncated) where hadEnded: throw .ended
            case .frame: throw .invalidReply
            }
        }
    }

    /// Waits for a socket.
    private func take() throws(Failure) -> PluginConnection {
        let isOverdue = state.withLock { $0.isOverdue }
        let patience = isOverdue ? DispatchTime.now() : .now() + settings.patience.dispatchInterval
        guard available.wait(timeout: patience) == .success else {
            state.withLock { $0.isOverdue = true }
            throw .busy
        }
        let connection = state.withLock { state in state.hasEnded ? nil : state.idle.popLast() }
        guard let connection else {
            // Wake the next waiting call, which ends in the same way.
            available.signal()
            throw .ended
        }
        return connection
    }

    /// Kills the process. Calls in progress fail.
    func end() {
        state.withLock { state in
            state.hasEnded = true
            // After waitpid, another process may have the number.
            if !state.isReaped { kill(identifier, SIGKILL) }
        }
        available.signal()
    }

    /// The descriptor that becomes readable when the process ends.
    var endDescriptor: Int32 { lifeline.descriptor }

    /// Kills the process and waits until it has ended.
    ///
    /// - Returns: How it ended, for the log.
    func reap() -> String {
        end()
        let status = Self.reap(identifier)
        state.withLock { $0.isReaped = true }
        return Self.description(ofStatus: status)
    }

    private static func reap(_ identifier: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
        return status
    }

    private static func description(ofStatus status: Int32) -> String {
        let signal = status & 0x7F
        guard signal != 0 else { return "exited with status \(status >> 8 & 0xFF)" }
        return "was ended by signal \(signal)" + (strsignal(signal).map { " (\(String(cString: $0)))" } ?? "")
    }
}

/// A socket for one call at a time, with the memory for its frames.
final class PluginConnection: @unchecked Sendable {
    // `PluginProcess` lends each connection to one thread at a time.
    private let socket: PluginSocket
    private let buffer = PluginFrameBuffer()
    private var limit: Duration?
    /// The number of the last request.
    private var number: UInt32 = 0

    init(_ socket: PluginSocket) { self.socket = socket }

    /// Sends a request, and returns the reply and whether the process exceeds the bound of its memory.
    func exchange(
        _ request: PluginRequest,
        within limit: Duration
    ) throws(PluginSocket.Failure) -> (reply: PluginReply, isOverMemory: Bool) {
        defer { buffer.wipe() }
        if self.limit != limit { socket.limitWaiting(to: limit) }
        self.limit = limit
        let deadline = ContinuousClock.now + limit
        number &+= 1
        do throws(PluginFrameError) {
            try request.write(to: buffer, PluginFrameHeader(number: number))
        } catch {
            throw .frame(error)
        }
        try socket.send(buffer, by: deadline)
        try socket.receive(into: buffer, by: deadline)
        do throws(PluginFrameError) {
            let header = try buffer.beginReading().header
            guard header.number == number else { throw PluginFrameError.invalid }
            return (try PluginReply(reading: buffer), header.flags & 1 != 0)
        } catch {
            throw .frame(error)
        }
    }
}

extension Duration {
    /// The duration for Dispatch, at most a day.
    var dispatchInterval: DispatchTimeInterval {
        let (seconds, attoseconds) = min(self, .seconds(86_400)).components
        return .nanoseconds(Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000))
    }
}
