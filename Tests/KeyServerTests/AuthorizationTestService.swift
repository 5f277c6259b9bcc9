import Foundation
import Glibc
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Synchronization

@testable import KeyServer

/// A service for the server's requests, on a separate port: a test determines its responses, and it counts requests.
final class MockService: Sendable {
    typealias Handler = @Sendable (MockService) async throws -> Response

    private let handler: Mutex<Handler>
    private let bodies = Mutex<[(body: [UInt8], headers: HTTPFields)]>([])
    /// Delays responses that wait for it; it is opened at the end of the test.
    let gate = ResponseGate()
    let port = Mutex(0)

    private init(_ handler: @escaping Handler) { self.handler = Mutex(handler) }

    /// The number of requests.
    var count: Int { bodies.withLock { $0.count } }
    /// The last request.
    var last: (body: [UInt8], headers: HTTPFields)? { bodies.withLock { $0.last } }

    func answer(_ handler: @escaping Handler) { self.handler.withLock { $0 = handler } }

    func url(_ path: String = "/ask") throws -> OutgoingURL {
        try OutgoingURL("http://127.0.0.1:\(port.withLock { $0 })\(path)")
    }

    /// Runs a service while `test` runs.
    static func run(
        _ handler: @escaping Handler,
        _ test: @Sendable (MockService) async throws -> Void
    ) async throws {
        let service = MockService(handler)
        let respond: @Sendable (Request) async throws -> Response = { request in
            let body = try await request.boundedBody(upTo: 1_000_000)
            service.bodies.withLock { $0.append((body, request.headers)) }
            return try await service.handler.withLock { $0 }(service)
        }
        let router = Router(context: ServerRequestContext.self)
        router.get("**") { request, _ in try await respond(request) }
        router.post("**") { request, _ in try await respond(request) }
        try await withListener(router, authorizationTestLogger) { port, _ in
            defer { service.gate.open() }
            service.port.withLock { $0 = port }
            try await test(service)
        }
    }
}

extension MockService {
    static func text(
        _ text: String,
        status: HTTPResponse.Status = .ok,
        headers: HTTPFields = [:]
    ) -> Handler {
        { _ in Response(status: status, headers: headers, body: .init(byteBuffer: ByteBuffer(string: text))) }
    }

    /// Sends the head immediately, and the body only when the gate opens.
    static let trickle: Handler = { service in
        Response(
            status: .ok,
            body: ResponseBody { writer in
                try await writer.write(ByteBuffer(string: "{"))
                await service.gate.wait()
                try await writer.finish(nil)
            }
        )
    }

    /// Sends nothing until the gate opens.
    static let silent: Handler = { service in
        await service.gate.wait()
        return Response(status: .ok)
    }
}

/// A gate that is closed until it is opened once.
final class ResponseGate: Sendable {
    private let state = Mutex<(isOpen: Bool, waiting: [CheckedContinuation<Void, Never>])>((false, []))

    func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }

    func open() {
        let waiting = state.withLock { state in
            defer { state = (true, []) }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}

/// A clock that a test advances.
final class AuthorizationClock: Sendable {
    private let time = Mutex<Int64>(1_000_000)

    var now: @Sendable () -> Int64 { { self.time.withLock { $0 } } }

    func advance(seconds: Int64) { time.withLock { $0 += seconds * 1_000 } }
}

/// Accepts connections, reads a little, writes the same bytes to each and closes it: for responses that are not HTTP.
final class RawService: Sendable {
    let port: Int
    private let socket: Int32
    private let accepted = Atomic(0)

    var count: Int { accepted.load(ordering: .relaxed) }

    init(answering answer: String) throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let socket = socket
        guard withLoopbackAddress(port: 0, { bind(socket, $0, $1) }) == 0, listen(socket, 16) == 0 else {
            throw SocketClient.Unconnected()
        }
        // The port is in bytes 2 and 3 of the address.
        var (address, size) = (sockaddr_storage(), socklen_t(MemoryLayout<sockaddr_storage>.size))
        let port = withUnsafeMutableBytes(of: &address) { bytes -> Int? in
            let result = bytes.withMemoryRebound(to: sockaddr.self) { getsockname(socket, $0.baseAddress, &size) }
            return result == 0 ? Int(bytes[2]) << 8 | Int(bytes[3]) : nil
        }
        guard let port else { throw SocketClient.Unconnected() }
        self.port = port
        let bytes = Array(answer.utf8)
        Thread.detachNewThread { [weak self] in
            while true {
                let connection = accept(socket, nil, nil)
                guard connection >= 0 else { return }
                self?.accepted.add(1, ordering: .relaxed)
                var buffer = [UInt8](repeating: 0, count: 4_096)
                _ = recv(connection, &buffer, buffer.count, 0)
                _ = send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
                close(connection)
            }
        }
    }

    deinit {
        shutdown(socket, Int32(SHUT_RDWR))
        close(socket)
    }
}

extension OutgoingHTTP {
    /// A client for tests that need a response, with a long timeout for busy machines.
    static let patient = OutgoingHTTP(connectTimeout: .seconds(120))
}
