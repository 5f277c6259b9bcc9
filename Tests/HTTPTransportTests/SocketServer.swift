import Foundation
import Synchronization
import Testing

/// A small server on a real port: it reads a request and writes the bytes that a closure returns, if any; then it
/// closes the connection or leaves it open.
final class SocketServer: Sendable {
    /// The handling of a connection.
    enum Reply: Sendable {
        case bytes(String)
        /// The connection stays open.
        case unfinished(String)
    }

    let address: String
    private let listener: Int32
    private let heard: Mutex<[String]>
    private let open = Mutex<[Int32]>([])

    /// The received requests.
    var requests: [String] { heard.withLock { $0 } }

    init(_ reply: @escaping @Sendable (String) -> Reply) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(listener, pointer, size) == 0 && listen(listener, 16) == 0
                    && getsockname(listener, pointer, &size) == 0
            }
        }
        try #require(isListening)
        self.listener = listener
        heard = Mutex([])
        address = "http://127.0.0.1:\(UInt16(bigEndian: name.sin_port))"
        Thread.detachNewThread { [weak self] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else {
                    // Closed here and not at shutdown, because the next server might already use the same number.
                    close(listener)
                    return
                }
                guard let self, let request = Self.read(connection) else {
                    close(connection)
                    continue
                }
                self.heard.withLock { $0.append(request) }
                switch reply(request) {
                case .bytes(let text):
                    let bytes = Array(text.utf8)
                    _ = send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
                    close(connection)
                case .unfinished(let text):
                    let bytes = Array(text.utf8)
                    _ = send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
                    self.open.withLock { $0.append(connection) }
                }
            }
        }
    }

    deinit {
        for connection in open.withLock({ $0 }) { close(connection) }
        shutdown(listener, Int32(SHUT_RDWR))
    }

    /// Returns the head and the body.
    private static func read(_ connection: Int32) -> String? {
        var text = ""
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = Foundation.read(connection, &buffer, buffer.count)
            guard count > 0 else { return nil }
            text += String(decoding: buffer.prefix(count), as: UTF8.self)
            guard let gap = text.range(of: "\r\n\r\n") else { continue }
            let fields = text[..<gap.lowerBound].lowercased().split(separator: "\r\n")
            let length = fields.first { $0.hasPrefix("content-length:") }.flatMap {
                Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces))
            }
            if text[gap.upperBound...].utf8.count >= length ?? 0 { return text }
        }
    }
}
