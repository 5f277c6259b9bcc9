import Foundation
import Testing

/// A minimal HTTP server: one request per connection, answered by a closure.
final class LittleServer: Sendable {
    /// A received request.
    struct Request: Sendable {
        let method: String
        let path: String
        /// The header fields, by lowercase name.
        let headers: [String: String]
        /// The lines before the body, as received.
        let head: [String]
        let body: [UInt8]
    }

    /// A response to send.
    struct Response: Sendable {
        var status = 200
        var headers: [String: String] = [:]
        var body: [UInt8] = []
    }

    let address: String
    private let listener: Int32

    /// Listens on a free port of this machine until it is released.
    init(_ answer: @escaping @Sendable (Request) -> Response) throws {
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
        Thread.detachNewThread {
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else {
                    // The socket is closed here and not in `shutdown`, because the next server may have the same file
                    // descriptor by then.
                    close(listener)
                    return
                }
                if let request = Self.read(connection) { Self.write(answer(request), to: connection) }
                close(connection)
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
    }

    private static func read(_ connection: Int32) -> Request? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        func fill() -> Bool {
            let count = Foundation.read(connection, &buffer, buffer.count)
            if count > 0 { bytes += buffer.prefix(count) }
            return count > 0
        }
        let gap = Array("\r\n\r\n".utf8)
        var end: Int?
        while end == nil {
            guard fill() else { return nil }
            end = bytes.indices.dropLast(3).first { bytes[$0..<$0 + 4].elementsEqual(gap) }
        }
        guard let end else { return nil }
        let lines = String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\r\n")
        let words = lines.first?.split(separator: " ").map(String.init) ?? []
        guard words.count == 3 else { return nil }
        let headers = lines.dropFirst().compactMap { line -> (String, String)? in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            return (line[..<colon].lowercased(), line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces))
        }
        let fields = Dictionary(headers) { $1 }
        let length = fields["content-length"].flatMap { Int($0) } ?? 0
        while bytes.count < end + 4 + length { guard fill() else { return nil } }
        return Request(
            method: words[0],
            path: words[1],
            headers: fields,
            head: lines.map(String.init),
            body: Array(bytes[(end + 4)...])
        )
    }

    private static func write(_ response: Response, to connection: Int32) {
        let fields = response.headers.map { "\($0): \($1)\r\n" }.joined()
        let head = "HTTP/1.1 \(response.status) X\r\nContent-Length: \(response.body.count)\r\nConnection: close\r\n"
        let bytes = Array("\(head)\(fields)\r\n".utf8) + response.body
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            sent += count
        }
    }
}
