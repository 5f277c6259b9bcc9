import Foundation
import Synchronization
import Testing

/// A web server on a real port whose responses are lists of steps, so that they can be slow, incomplete or wrong. Each
/// connection is served by its own thread, and has one request.
final class BehaviorServer: Sendable {
    /// A received request.
    struct Request: Sendable {
        /// The path, without the query.
        let path: String
        /// The header fields, by lowercase name.
        let headers: [String: String]
        /// The number of requests of this path so far, including this one.
        let number: Int
    }

    /// A step of a response.
    enum Step: Sendable {
        case send([UInt8])
        case pause(milliseconds: UInt32)
        /// Nothing is sent until the client closes the connection.
        case stall
        /// The connection is reset.
        case reset
    }

    let address: String
    private let listener: Int32
    private let counts = Mutex<[String: Int]>([:])

    /// Listens on a free port until it is released.
    init(_ respond: @escaping @Sendable (Request) -> [Step]) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(listener, pointer, size) == 0 && listen(listener, 128) == 0
                    && getsockname(listener, pointer, &size) == 0
            }
        }
        try #require(isListening)
        self.listener = listener
        address = "http://127.0.0.1:\(UInt16(bigEndian: name.sin_port))"
        Thread.detachNewThread { [weak self] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else {
                    // Closed here and not at shutdown, because the next server may have the same file descriptor then.
                    close(listener)
                    return
                }
                Thread.detachNewThread { [weak self] in
                    if let request = self?.request(connection) { Self.perform(respond(request), connection) }
                    close(connection)
                }
            }
        }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    private func request(_ connection: Int32) -> Request? {
        var text = ""
        var buffer = [UInt8](repeating: 0, count: 4096)
        while !text.hasSuffix("\r\n\r\n") {
            let count = read(connection, &buffer, buffer.count)
            guard count > 0 else { return nil }
            text += String(decoding: buffer.prefix(count), as: UTF8.self)
        }
        let lines = text.split(separator: "\r\n")
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count == 3 else { return nil }
        let fields = lines.dropFirst().compactMap { line -> (String, String)? in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            return (line[..<colon].lowercased(), line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces))
        }
        let path = String(words[1].prefix { $0 != "?" })
        let number = counts.withLock { counts in
            counts[path, default: 0] += 1
            return counts[path] ?? 0
        }
        return Request(path: path, headers: Dictionary(fields) { $1 }, number: number)
    }

    private static func perform(_ steps: [Step], _ connection: Int32) {
        for step in steps {
            switch step {
            case .send(let bytes): guard send(bytes, connection) else { return }
            case .pause(let milliseconds): usleep(milliseconds * 1000)
            case .stall:
                var byte: UInt8 = 0
                _ = read(connection, &byte, 1)
            case .reset:
                var option = linger(l_onoff: 1, l_linger: 0)
                setsockopt(connection, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
                return
            }
        }
    }

    private static func send(_ bytes: [UInt8], _ connection: Int32) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Foundation.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }
}
