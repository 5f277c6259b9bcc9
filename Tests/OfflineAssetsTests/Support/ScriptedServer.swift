import Glibc
import Synchronization
import Testing

/// A small web server on a real port, for a closure that answers requests. It keeps connections open.
final class ScriptedServer: Sendable {
    let address: String
    private let listener: Int32
    private let open = Mutex<Set<Int32>>([])
    private let answer: @Sendable (SiteRequest) -> SiteAnswer

    convenience init(_ site: FilmSite) throws { try self.init { site.answer($0) } }

    init(_ answer: @escaping @Sendable (SiteRequest) -> SiteAnswer) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(listener, pointer, size) == 0 && listen(listener, 64) == 0
                    && getsockname(listener, pointer, &size) == 0
            }
        }
        try #require(isListening)
        self.listener = listener
        self.answer = answer
        address = "http://127.0.0.1:\(UInt16(bigEndian: name.sin_port))"
        Self.thread { [weak self] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0, let self else {
                    // Closed here and not at shutdown, because the next server might already use the same number.
                    if connection >= 0 { close(connection) }
                    close(listener)
                    return
                }
                self.open.withLock { _ = $0.insert(connection) }
                Self.thread { [weak self] in
                    while let self, let request = Self.read(connection), self.reply(to: request, connection) {}
                    self?.open.withLock { _ = $0.remove(connection) }
                    close(connection)
                }
            }
        }
    }

    deinit {
        for connection in open.withLock({ $0 }) { shutdown(connection, Int32(SHUT_RDWR)) }
        shutdown(listener, Int32(SHUT_RDWR))
    }

    /// Returns false if the connection is to be closed.
    private func reply(to request: SiteRequest, _ connection: Int32) -> Bool {
        let answer = answer(request)
        var head = "HTTP/1.1 \(answer.status) Whatever\r\nContent-Length: \(answer.body.count)\r\n"
        for (name, value) in answer.headers { head += "\(name): \(value)\r\n" }
        let count =
            switch answer.end {
            case .whole: answer.body.count
            case .breaksOff(let after), .hangs(let after): min(after, answer.body.count)
            }
        guard Self.send(connection, Array((head + "\r\n").utf8) + answer.body.prefix(count)) else { return false }
        switch answer.end {
        case .whole: return true
        case .breaksOff: return false
        case .hangs:
            // Until the client closes the connection.
            var byte: UInt8 = 0
            while recv(connection, &byte, 1, 0) > 0 {}
            return false
        }
    }

    private static func send(_ connection: Int32, _ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private static func read(_ connection: Int32) -> SiteRequest? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while !bytes.suffix(4).elementsEqual([13, 10, 13, 10]) {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            bytes += buffer.prefix(count)
        }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n")
        func field(_ name: String) -> String? {
            lines.first { $0.lowercased().hasPrefix(name + ":") }
                .map { String($0.dropFirst(name.count + 1).drop { $0 == " " }) }
        }
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count == 3 else { return nil }
        return SiteRequest(path: String(words[1]), range: field("range"), ifRange: field("if-range"))
    }

    private static func thread(_ body: @escaping @Sendable () -> Void) {
        let box = Unmanaged.passRetained(Body(body))
        var thread = pthread_t()
        let code = pthread_create(
            &thread,
            nil,
            { pointer in
                if let pointer { Unmanaged<Body>.fromOpaque(pointer).takeRetainedValue().run() }
                return nil
            },
            box.toOpaque()
        )
        if code == 0 { pthread_detach(thread) } else { box.release() }
    }

    private final class Body {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }
}
