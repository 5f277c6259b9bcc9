import KeyServerModule
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import KeyServer

@Suite("The connection limiter")
struct ConnectionLimiterTests {
    private let metrics = ServerMetrics()

    private func limiter(
        _ connections: Int,
        perAddress: Int = 0,
        proxies: TrustedProxies = .none
    ) -> ConnectionLimiter {
        var limits = ListenerLimits()
        (limits.connections, limits.connectionsPerAddress) = (connections, perAddress)
        return ConnectionLimiter(limits: limits, proxies: proxies, metrics: metrics)
    }

    private func address(_ text: String) throws -> ClientAddress { try #require(ClientAddress(text)) }

    @Test(
        "Each address has its own limit",
        arguments: [("192.0.2.1", "192.0.2.2"), ("2001:db8::1", "2001:db8:0:1::1")]
    )
    func perAddress(one: String, other: String) throws {
        let limiter = limiter(100, perAddress: 2)
        let (one, other) = (try address(one), try address(other))
        let first = limiter.open(from: one) {}
        #expect(first.admission == .everything)
        #expect(limiter.open(from: one) {}.admission == .everything)
        #expect(limiter.open(from: one) {}.admission == .health(.address))
        #expect(limiter.open(from: other) {}.admission == .everything)
        limiter.close(first)
        #expect(limiter.open(from: one) {}.admission == .everything)
        #expect(limiter.open(from: one) {}.admission == .health(.address))
    }

    @Test("The addresses of a /64 network count as one")
    func site() throws {
        let limiter = limiter(100, perAddress: 1)
        #expect(limiter.open(from: try address("2001:db8::1")) {}.admission == .everything)
        #expect(limiter.open(from: try address("2001:db8::ffff:2")) {}.admission == .health(.address))
    }

    @Test(
        "Trusted proxies and loopback addresses are limited by the listener only",
        arguments: ["10.1.2.3", "127.0.0.1", "::1"]
    )
    func exempt(text: String) throws {
        let limiter = limiter(3, perAddress: 1, proxies: TrustedProxies([IPNetwork(rawValue: "10.0.0.0/8")!]))
        let address = try address(text)
        for _ in 0..<3 { #expect(limiter.open(from: address) {}.admission == .everything) }
        #expect(limiter.open(from: address) {}.admission == .health(.server))
    }

    @Test("Without a limit for addresses there is none")
    func unlimited() throws {
        let limiter = limiter(1_000)
        for _ in 0..<1_000 { #expect(limiter.open(from: try address("192.0.2.1")) {}.admission == .everything) }
    }

    @Test("Of the health connections, the one that was silent for longest is replaced, and a used one is not")
    func displacement() async throws {
        let limiter = limiter(1, perAddress: 1)
        let address = try address("192.0.2.1")
        _ = limiter.open(from: address) {}
        let closed = Switch<[Int]>([])
        var tickets: [ConnectionLimiter.Ticket] = []
        let room = ConnectionLimiter.healthConnectionsPerAddress
        for number in 0..<room { tickets.append(limiter.open(from: address) { closed.value.append(number) }) }
        #expect(closed.value == [])
        limiter.use(tickets[0])
        #expect(limiter.open(from: address) {}.admission == .health(.address))
        #expect(closed.value == [1])
        #expect(limiter.count == room + 1)
        // It is closed twice: by the replacement, and when the connection has ended.
        limiter.close(tickets[1])
        #expect(limiter.count == room + 1)
        for ticket in tickets { limiter.use(ticket) }
        #expect(limiter.open(from: address) {}.admission == .health(.address))
        #expect(limiter.count == room + 1)
        // Other addresses have capacity too, up to the limit.
        #expect(limiter.open(from: try self.address("192.0.2.2")) {}.admission == .health(.server))
        let text = await metrics.registry.exposition()
        #expect(text.contains(#"keyway_connections_refused_total{listener="apps",by="address"} 2"#), "\(text)")
    }

    @Test("If all health connections are used, the next one is closed")
    func full() throws {
        let limiter = limiter(1)
        let address = try address("127.0.0.1")
        _ = limiter.open(from: address) {}
        for _ in 0..<ConnectionLimiter.healthConnections { limiter.use(limiter.open(from: address) {}) }
        #expect(limiter.open(from: address) {}.admission == .nothing)
    }

    @Test("After any sequence of opening and closing, all counts are zero")
    func balance() throws {
        let limiter = limiter(10, perAddress: 3)
        var tickets: [ConnectionLimiter.Ticket] = []
        for number in 0..<2_000 {
            tickets.append(limiter.open(from: try address("192.0.2.\(number % 9)")) {})
            if number.isMultiple(of: 3) { limiter.use(tickets[number / 2]) }
            if number.isMultiple(of: 2) { limiter.close(tickets[number / 3]) }
        }
        for ticket in tickets { limiter.close(ticket) }
        #expect(limiter.count == 0)
        for _ in 0..<3 { #expect(limiter.open(from: try address("192.0.2.1")) {}.admission == .everything) }
    }

    @Test("A request on a connection beyond the limit gets 429 and Retry-After; health checks are answered")
    func answers() throws {
        let limiter = limiter(100, perAddress: 1)
        _ = limiter.open(from: try address("192.0.2.1")) {}
        for (path, isAnswered) in [
            ("/healthz", true), ("/readyz", true), ("/healthz?a", true), ("/fps/license", false),
        ] {
            let answers = Answers()
            let policy = ListenerRequestPolicy(limiter: limiter, metrics: metrics)
            let channel = EmbeddedChannel(handlers: [answers, RequestRulesHandler(policy)])
            try channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 1)).wait()
            let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: path, headers: ["host": "a"])
            try channel.writeInbound(HTTPServerRequestPart.head(head))
            try channel.writeInbound(HTTPServerRequestPart.end(nil))
            guard case .head(let passed)? = try channel.readInbound(as: HTTPServerRequestPart.self) else {
                #expect(!isAnswered, "\(path)")
                #expect(answers.text.hasPrefix("HTTP/1.1 429 Too Many Requests\r\n"))
                #expect(answers.text.value(of: "Retry-After") == "1")
                #expect(answers.text.value(of: "Connection") == "close")
                #expect(answers.text.contains(#""reason":"connections""#))
                continue
            }
            #expect(isAnswered, "\(path)")
            // The connection is for one request, so that it frees capacity soon.
            #expect(!passed.isKeepAlive)
        }
    }
}

/// Collects the encoded responses.
private final class Answers: ChannelOutboundHandler {
    typealias OutboundIn = HTTPServerResponsePart
    var text = ""

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        if let answer = event as? EncodedResponse { text += String(buffer: answer.bytes) }
        promise?.succeed()
    }
}
