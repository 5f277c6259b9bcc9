/// An HTTP/1.1 message in its wire format.
struct HTTPMessage: Sendable {
    /// The header, including the empty line at its end.
    let head: [UInt8]
    let body: [UInt8]

    private var lines: [Substring] { String(decoding: head, as: UTF8.self).split(separator: "\r\n") }

    /// The path of a request.
    var path: String {
        let parts = lines.first?.split(separator: " ") ?? []
        return parts.count == 3 ? String(parts[1]) : ""
    }

    func header(_ name: String) -> String? { Self.value(of: name, lines) }

    /// Returns the header for a body of another length.
    func head(length: Int) -> [UInt8] {
        let kept = lines.filter { !$0.lowercased().hasPrefix("content-length:") }
        return Array((kept + ["Content-Length: \(length)"]).map { $0 + "\r\n" }.joined().utf8) + Array("\r\n".utf8)
    }

    fileprivate static func value(of name: String, _ lines: [Substring]) -> String? {
        let prefix = name.lowercased() + ":"
        return lines.first { $0.lowercased().hasPrefix(prefix) }.map {
            String($0.dropFirst(prefix.count).drop { $0 == " " })
        }
    }
}

/// The messages of a connection, in order. All have a Content-Length or no body.
struct HTTPBytes {
    private let socket: ByteSocket
    private var bytes: [UInt8] = []

    init(_ socket: ByteSocket) { self.socket = socket }

    /// Returns the next message; nil at the end of the connection.
    mutating func next() -> HTTPMessage? {
        while true {
            if let end = bytes.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound {
                let lines = String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\r\n")
                let length = HTTPMessage.value(of: "Content-Length", lines).flatMap { Int($0) } ?? 0
                if bytes.count >= end + length {
                    defer { bytes.removeFirst(end + length) }
                    return HTTPMessage(head: Array(bytes[..<end]), body: Array(bytes[end..<end + length]))
                }
            }
            guard let more = socket.receive() else { return nil }
            bytes += more
        }
    }
}
