import Dispatch
import Glibc
import KeyStoreTests
import Synchronization

/// A proxy between a store and the server that breaks a connection at a chosen point.
final class BreakingProxy: Sendable {
    enum Fault {
        /// Once, before a commit: the server never receives the commit.
        case beforeCommit
        /// Once, after a commit: the client never receives the response.
        case afterCommit
        /// Everything sent to the server from now on gets no response.
        case silence
    }

    private struct State {
        var fault: Fault?
        var broken = 0
        var connections: [Connection] = []
    }

    private let folder = TemporaryFolder()
    private let server: String
    private let listener: Int32
    private let state = Mutex(State())

    /// The folder of the proxy's socket.
    var socketFolder: String { folder.path }
    /// The number of connections that were broken.
    var broken: Int { state.withLock { $0.broken } }

    /// Starts to accept connections for the server whose socket is in a folder.
    init(to server: String) throws {
        self.server = server + "/.s.PGSQL.5432"
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        listener = descriptor
        let bound = withUnixAddress(folder.path + "/.s.PGSQL.5432") { bind(descriptor, $0, $1) }
        guard bound == 0, listen(descriptor, 64) == 0 else { throw ProxyFailure() }
        DispatchQueue(label: "proxy").async { [weak self] in
            while true {
                let client = accept(descriptor, nil, nil)
                guard client >= 0, let self else { return }
                self.take(client)
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
        for connection in state.withLock({ $0.connections }) { connection.cut() }
    }

    /// Sets the fault from now on.
    func set(_ fault: Fault?) { state.withLock { $0.fault = fault } }

    /// Breaks every open connection.
    func cutAll() {
        let connections = state.withLock { state in
            defer { state.connections = [] }
            state.broken += state.connections.count
            return state.connections
        }
        for connection in connections { connection.cut() }
    }

    private func take(_ client: Int32) {
        let upstream = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard withUnixAddress(server, { connect(upstream, $0, $1) }) == 0 else {
            close(upstream)
            close(client)
            return
        }
        let connection = Connection(client: client, server: upstream)
        state.withLock { $0.connections.append(connection) }
        // The statement that writes a transaction's mark; its text is sent once on each connection.
        pump(from: client, to: upstream, connection, .beforeCommit, Array("is_commit) VALUES ($1, TRUE)".utf8))
        // The server's response to a completed commit.
        pump(from: upstream, to: client, connection, .afterCommit, Array("COMMIT\0".utf8))
    }

    private func pump(from: Int32, to: Int32, _ connection: Connection, _ fault: Fault, _ sign: [UInt8]) {
        DispatchQueue(label: "pump").async { [weak self] in
            var buffer = [UInt8](repeating: 0, count: 65_536)
            var end: [UInt8] = []
            while true {
                let count = read(from, &buffer, buffer.count)
                guard count > 0 else { return connection.cut() }
                let seen = end + buffer[..<count]
                end = seen.suffix(sign.count - 1)
                let isSign = seen.indices.contains { seen[$0...].starts(with: sign) }
                switch self?.state.withLock({ $0.fault }) {
                case fault? where isSign:
                    self?.state.withLock {
                        $0.fault = nil
                        $0.broken += 1
                    }
                    return connection.cut()
                case .silence?: continue
                default: break
                }
                var sent = 0
                while sent < count {
                    let more = buffer[sent..<count].withUnsafeBytes {
                        send(to, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                    }
                    guard more > 0 else { return connection.cut() }
                    sent += more
                }
            }
        }
    }
}

struct ProxyFailure: Error {}

/// Both ends of a connection.
private final class Connection: Sendable {
    private let client: Int32
    private let server: Int32

    init(client: Int32, server: Int32) {
        self.client = client
        self.server = server
    }

    /// Shuts down both directions. The descriptors are closed when they are no longer used, so that no number is reused
    /// early.
    func cut() {
        shutdown(client, Int32(SHUT_RDWR))
        shutdown(server, Int32(SHUT_RDWR))
    }

    deinit {
        close(client)
        close(server)
    }
}

private func withUnixAddress(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
    return withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
    }
}
