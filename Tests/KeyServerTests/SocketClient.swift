import Foundation
import Glibc
import NIOCore

/// Calls `body` with the address 127.0.0.1 and its size in bytes; returns -1 if the port is not valid.
///
/// NIO makes the address: its C modules include the header of `sockaddr_in` too, and the compiler may take the fields as
/// members of a module that is not imported.
func withLoopbackAddress(port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    guard let address = try? SocketAddress(ipAddress: "127.0.0.1", port: port) else { return -1 }
    return address.withSockAddr { body($0, socklen_t($1)) }
}

/// A client that can be slow and violate the protocol. It blocks, so it runs on its own thread: on one of Swift's
/// cooperative threads it would delay the server that it talks to.
final class SocketClient {
    struct Unconnected: Error {}

    private let socket: Int32
    private var received: [UInt8] = []

    static func run<Value: Sendable>(
        port: Int,
        _ talk: @escaping @Sendable (SocketClient) -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { answer in
            Thread.detachNewThread {
                if let client = SocketClient(port: port) {
                    answer.resume(returning: talk(client))
                } else {
                    answer.resume(throwing: Unconnected())
                }
            }
        }
    }

    private init?(port: Int) {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        // No read or write blocks for longer: a server that does not respond makes the test fail.
        var timeout = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        let connected = withLoopbackAddress(port: port) { [socket] in connect(socket, $0, $1) }
        guard connected == 0 else {
            close(socket)
            return nil
        }
    }

    deinit { close(socket) }

    /// Sends text; returns false if the server has closed the connection.
    @discardableResult
    func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// Sends bytes; returns false if the server has closed the connection.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Closes the output.
    func finishSending() { shutdown(socket, Int32(SHUT_WR)) }

    /// Waits for a time that is shorter than every deadline.
    func pause() { usleep(10_000) }

    /// True if any data has arrived.
    var hasAnswer: Bool {
        var byte: UInt8 = 0
        return !received.isEmpty || recv(socket, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) > 0
    }

    /// Reads one response, by its Content-Length.
    func readAnswer() -> String {
        while true {
            let text = String(decoding: received, as: UTF8.self)
            if let end = text.range(of: "\r\n\r\n") {
                let length = text.value(of: "Content-Length").flatMap { Int($0) } ?? 0
                let size = text[..<end.upperBound].utf8.count + length
                if received.count >= size {
                    defer { received.removeFirst(size) }
                    return String(decoding: received.prefix(size), as: UTF8.self)
                }
            }
            guard receive() else { return text }
        }
    }

    /// Reads everything until the connection is closed; returns a text that reports a missing end.
    func readToEnd() -> String {
        while receive() {}
        return errno == EAGAIN ? "the server keeps the connection" : String(decoding: received, as: UTF8.self)
    }

    /// Reads the bytes until the connection is closed; nil if it is not closed.
    func readBytesToEnd() -> [UInt8]? {
        while receive() {}
        return errno == EAGAIN ? nil : received
    }

    /// Reads until `end` has arrived; returns everything if it does not arrive.
    func read(until end: String) -> String {
        while !String(decoding: received, as: UTF8.self).contains(end), receive() {}
        return String(decoding: received, as: UTF8.self)
    }

    private func receive() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        errno = 0
        let count = recv(socket, &buffer, buffer.count, 0)
        guard count > 0 else { return false }
        received += buffer.prefix(count)
        return true
    }
}
