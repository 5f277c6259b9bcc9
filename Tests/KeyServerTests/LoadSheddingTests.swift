import Foundation
import Hummingbird
import Logging
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Synchronization
import Testing

@testable import KeyServer

/// A gate at which routes wait.
private final class ThreadBlocker: Sendable {
    private let isOpen = Mutex(false)

    func open() { isOpen.withLock { $0 = true } }

    func pass() async throws {
        try await eventually("the gate is opened") { isOpen.withLock { $0 } }
    }
}

@Suite("License requests are shed before they cause any work", .timeLimit(.minutes(10)))
struct LoadSheddingTests {
    private let metrics = ServerMetrics()

    /// A server with a limit of concurrent license requests, whose route responds when the gate is open.
    private func serve(
        room: Int,
        _ test: @Sendable (TestServer, ThreadBlocker, LoadShedding) async throws -> Void
    ) async throws {
        let (gate, shedding) = (ThreadBlocker(), LoadShedding(room: room, metrics: metrics))
        let router = Listener.makeRouter()
        router.post("/fps/license") { request, _ in
            let body = try await request.boundedBody(upTo: 100)
            if body.elementsEqual("wait".utf8) { try await gate.pass() }
            return "\r\n\(body.count)"
        }
        router.post("/other") { _, _ in "\r\nother" }
        var limits = ListenerLimits()
        limits.licenseBody = 100
        let logger = Logger(label: "test") { _ in LogRecorder() }
        try await withListener(router, limits: limits, shedding: shedding, logger) { port, _ in
            defer { gate.open() }
            try await test(TestServer(port: port), gate, shedding)
        }
    }

    private static func post(_ path: String, _ body: String, _ fields: String = "") -> String {
        "POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\(fields)\r\n\(body)"
    }

    private static func ask(_ server: TestServer, _ request: String) async throws -> String {
        try await server.exchange { client in
            client.send(request)
            return client.readToEnd()
        }
    }

    @Test("Requests beyond the limit get 503 and Retry-After; the others are answered, also afterwards")
    func sheds() async throws {
        try await serve(room: 2) { server, gate, shedding in
            async let first = Self.ask(server, Self.post("/fps/license", "wait"))
            async let second = Self.ask(server, Self.post("/fps/license?persist=true", "wait"))
            try await eventually("two requests are counted") { shedding.count == 2 }
            let refused = try await Self.ask(server, Self.post("/fps/license", "x"))
            #expect(refused.hasPrefix("HTTP/1.1 503"))
            #expect(refused.value(of: "Retry-After") == "1")
            #expect(refused.value(of: "Cache-Control") == "no-store")
            #expect(refused.value(of: "X-Request-Id")?.isEmpty == false)
            #expect(refused.contains("urn:keyway:problem:overloaded"))
            let other = try await Self.ask(server, Self.post("/fps/license", "x"))
            #expect(other.value(of: "X-Request-Id") != refused.value(of: "X-Request-Id"))
            // Other routes, requests of web pages, and bodies that the route refuses are passed to the routes.
            #expect(try await Self.ask(server, Self.post("/other", "x")).hasSuffix("other"))
            #expect(
                try await Self.ask(server, Self.post("/fps/license", "x", "Origin: https://a\r\n")).hasSuffix("\r\n1")
            )
            let long = String(repeating: "x", count: 101)
            #expect(try await Self.ask(server, Self.post("/fps/license", long)).hasPrefix("HTTP/1.1 413"))
            gate.open()
            #expect(try await first.hasSuffix("\r\n4"))
            #expect(try await second.hasSuffix("\r\n4"))
            try await eventually("no request is counted") { shedding.count == 0 }
            #expect(try await Self.ask(server, Self.post("/fps/license", "x")).hasSuffix("\r\n1"))
        }
        let text = await metrics.registry.exposition()
        #expect(text.contains(#"keyway_licenses_total{outcome="failed",reason="overloaded"} 2"#))
    }

    @Test("Slow bodies do not occupy capacity, and a disconnected client occupies it only until its work is done")
    func slowBodies() async throws {
        try await serve(room: 1) { server, gate, shedding in
            try await server.exchange { client in
                client.send("POST /fps/license HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nx")
                #expect(shedding.count == 0)
            }
            _ = try await server.exchange { client in
                client.send(Self.post("/fps/license", "wait"))
                // Not before the request is admitted: what the server determines afterwards would occupy the capacity
                // again.
                for _ in 0..<60_000 where shedding.count == 0 { usleep(1000) }
                #expect(shedding.count == 1)
            }
            gate.open()
            try await eventually("no request is counted") { shedding.count == 0 }
            #expect(try await Self.ask(server, Self.post("/fps/license", "x")).hasSuffix("\r\n1"))
        }
    }

    @Test("A held request is passed to the route at shutdown, and the route keeps its connection open")
    func shutdown() throws {
        let shedding = LoadShedding(room: 1)
        let channel = EmbeddedChannel(handler: LoadSheddingHandler(shedding, maximumBody: 100))
        let head = HTTPRequestHead(
            version: .http1_1,
            method: .POST,
            uri: "/fps/license",
            headers: ["Content-Length": "2"]
        )
        let (first, second) = (ByteBuffer(bytes: [1]), ByteBuffer(bytes: [2]))
        try channel.writeInbound(HTTPServerRequestPart.head(head))
        try channel.writeInbound(HTTPServerRequestPart.body(first))
        #expect(try channel.readInbound(as: HTTPServerRequestPart.self) == nil)
        channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        try channel.writeInbound(HTTPServerRequestPart.body(second))
        try channel.writeInbound(HTTPServerRequestPart.end(nil))
        for part in [HTTPServerRequestPart.head(head), .body(first), .body(second), .end(nil)] {
            #expect(try channel.readInbound(as: HTTPServerRequestPart.self) == part)
        }
        #expect(shedding.count == 0)
        _ = try channel.finish()
    }

    @Test("Responses on one connection keep the order of the requests")
    func order() async throws {
        try await serve(room: 1) { server, gate, shedding in
            let head = "POST /fps/license HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nwait"
            let answers = try await server.exchange { client in
                client.send(head + Self.post("/fps/license", "12345"))
                gate.open()
                return client.readToEnd()
            }
            let (four, five) = (answers.range(of: "\r\n4"), answers.range(of: "\r\n5"))
            #expect(try #require(four).lowerBound < (try #require(five)).lowerBound)
            #expect(!answers.contains(" 503 "))
        }
    }
}
