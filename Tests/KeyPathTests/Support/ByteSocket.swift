import Glibc

/// A blocking TCP socket on 127.0.0.1, for use on dedicated threads. Its owner closes it.
struct ByteSocket: Sendable {
    let number: Int32

    /// Listens on a free port.
    static func listening() throws -> (socket: ByteSocket, port: Int) {
        let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var name = address(0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(number, pointer, size) == 0 && listen(number, 64) == 0 && getsockname(number, pointer, &size) == 0
            }
        }
        guard isListening else {
            Glibc.close(number)
            throw Unusable()
        }
        return (ByteSocket(number: number), Int(UInt16(bigEndian: name.sin_port)))
    }

    /// Connects to a port; returns nil if no process listens.
    static func connected(to port: Int) -> ByteSocket? {
        let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var name = address(port)
        // A server that does not respond fails the test.
        var timeout = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(number, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        let isConnected = withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else {
            Glibc.close(number)
            return nil
        }
        return ByteSocket(number: number)
    }

    struct Unusable: Error {}

    private static func address(_ port: Int) -> sockaddr_in {
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = in_port_t(port).bigEndian
        name.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
        return name
    }

    /// Returns the next connection; nil after the listener was shut down.
    func accept() -> ByteSocket? {
        let connection = Glibc.accept(number, nil, nil)
        return connection >= 0 ? ByteSocket(number: connection) : nil
    }

    /// Sends bytes; returns false if the peer has closed the connection.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Receives some bytes; nil at the end.
    func receive() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        let count = recv(number, &buffer, buffer.count, 0)
        return count > 0 ? Array(buffer.prefix(count)) : nil
    }

    /// Makes a later close send an RST.
    func resetWhenClosed() {
        var linger = Glibc.linger(l_onoff: 1, l_linger: 0)
        setsockopt(number, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
    }

    func shutDown() { _ = shutdown(number, Int32(SHUT_RDWR)) }
    func close() { Glibc.close(number) }
}
