import Foundation
import Glibc
import Hummingbird
import Logging
import Testing

@testable import KeyServer

@Suite("Idle connections", .timeLimit(.minutes(10)))
struct IdleConnectionsTests {
    @Test("1,400 of them leave capacity for health checks, and refused requests get Retry-After")
    func health() async throws {
        try #require(raiseOpenFiles() >= 4_000)
        let router = Listener.makeRouter()
        Readiness(checks: []).add(to: router)
        router.get("/other") { _, _ in "here" }
        var limits = ListenerLimits()
        // They stay open for the duration of the test.
        limits.headDeadline = .seconds(3_600)
        let limiter = ConnectionLimiter(limits: limits)
        let most = limits.connections + ConnectionLimiter.healthConnections
        let logger = Logger(label: "test") { _ in LogRecorder() }
        try await withListener(router, limits: limits, limiter: limiter, logger) { port, _ in
            let idle = try await IdleConnections.open(1_400, port: port)
            for _ in 0..<20 {
                #expect(try await fetch(port, "/healthz").status == 200)
                #expect(try await fetch(port, "/readyz").status == 200)
            }
            #expect(limiter.count <= most)
            let refused = try await fetch(port, "/other")
            #expect(refused.status == 503)
            #expect(refused.headers["retry-after"] == "1")
            #expect(refused.body.contains(#""reason":"connections""#))
            idle.close()
            try await eventually("a connection is free") { try await fetch(port, "/other").status == 200 }
        }
    }
}

/// Connections on which nothing is sent.
private final class IdleConnections: Sendable {
    struct Unconnected: Error {}
    private let sockets: [Int32]

    private init(_ sockets: [Int32]) { self.sockets = sockets }

    /// Opens them on a separate thread, because connecting blocks.
    static func open(_ count: Int, port: Int) async throws -> IdleConnections {
        try await withCheckedThrowingContinuation { opened in
            Thread.detachNewThread {
                let sockets = (0..<count).compactMap { _ in connected(to: port) }
                let idle = IdleConnections(sockets)
                if sockets.count == count { return opened.resume(returning: idle) }
                idle.close()
                opened.resume(throwing: Unconnected())
            }
        }
    }

    private static func connected(to port: Int) -> Int32? {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let result = withLoopbackAddress(port: port) { connect(socket, $0, $1) }
        if result == 0 { return socket }
        Glibc.close(socket)
        return nil
    }

    func close() { for socket in sockets { Glibc.close(socket) } }
}

/// Raises the limit of open files of this process to the maximum; returns it.
private func raiseOpenFiles() -> UInt {
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0 else { return 0 }
    limit.rlim_cur = limit.rlim_max
    setrlimit(resource, &limit)
    return limit.rlim_cur
}
