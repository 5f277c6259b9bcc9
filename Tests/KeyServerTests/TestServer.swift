import Hummingbird
import KeyStore
import Logging
import NIOCore
import Synchronization

@testable import KeyServer

/// An error whose text must not be sent or logged.
struct Fault: Error, CustomStringConvertible {
    let description = "movie-7"
}

/// A server on a separate port, for the duration of the test.
struct TestServer: Sendable {
    let port: Int

    /// Opens a connection, runs `client` on its own thread, and closes the connection.
    func exchange<Value: Sendable>(_ talk: @escaping @Sendable (SocketClient) -> Value) async throws -> Value {
        try await SocketClient.run(port: port, talk)
    }

    /// Returns the whole response to a request.
    func get(_ path: String) async throws -> String {
        try await exchange { client in
            client.send("GET \(path) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            return client.readToEnd()
        }
    }
}

/// Runs a server with routes that count bytes and fail in different ways.
func withServer(
    limits: ListenerLimits = ListenerLimits(),
    log: LogRecorder = LogRecorder(),
    _ test: @Sendable (TestServer) async throws -> Void
) async throws {
    let router = Listener.makeRouter()
    router.post("/count") { request, _ in
        let body = try await request.boundedBody(upTo: limits.licenseBody)
        return "\r\n\(body.count)"
    }
    router.get("/fault") { _, _ -> String in throw Fault() }
    router.get("/busy") { _, _ -> String in throw WorkPoolError.overloaded }
    router.get("/locked") { _, _ -> String in throw KeyStoreError(.locked, place: "content movie-7") }
    router.get("/corrupt") { _, _ -> String in throw KeyStoreError(.corrupt, place: "content movie-7") }

    try await withListener(router, limits: limits, Logger(label: "test") { _ in log }) { port, _ in
        try await test(TestServer(port: port))
    }
}

/// Collects log messages.
struct LogRecorder: LogHandler {
    private final class Lines: Sendable {
        let lines = Mutex<[String]>([])
    }

    private let lines = Lines()
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    var text: String { lines.lines.withLock { $0.joined(separator: "\n") } }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let line = "\(event.level) \(event.message) \(event.metadata ?? [:]) \(metadata)"
        lines.lines.withLock { $0.append(line) }
    }
}

extension String {
    /// Returns the value of a header field of a response.
    func value(of field: String) -> String? {
        split(separator: "\r\n").first { $0.hasPrefix(field + ": ") }.map { String($0.dropFirst(field.count + 2)) }
    }
}
