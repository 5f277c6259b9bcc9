import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import KeyServer

/// Time is that of the embedded event loop, and only advances when a test advances it.
@Suite("Deadlines of a connection")
struct ConnectionDeadlinesTests {
    private let channel: EmbeddedChannel
    private let network = SlowNetwork()

    init() throws {
        var limits = ListenerLimits()
        limits.headDeadline = .seconds(10)
        limits.bodyDeadline = .seconds(20)
        limits.idleTimeout = .seconds(60)
        limits.writeTimeout = .seconds(30)
        channel = EmbeddedChannel(handlers: [network, ConnectionDeadlines(limits)])
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    }

    @Test("A connection without a request head is closed at the deadline and not before")
    func head() {
        advance(9)
        #expect(channel.isActive)
        advance(1)
        #expect(!channel.isActive)
    }

    @Test("The deadline applies to a slow body as a whole, and the route gets the error")
    func body() throws {
        try receive(.head(post))
        for _ in 0..<19 {
            advance(1)
            try receive(.body(ByteBuffer(bytes: [1])))
        }
        try channel.throwIfErrorCaught()
        advance(1)
        #expect(throws: BodyDeadlineExceeded.self) { try channel.throwIfErrorCaught() }
        #expect(channel.isActive)
        let head = try send(status: .requestTimeout)
        #expect(head?.headers["connection"] == ["close"])
        #expect(!channel.isActive)
    }

    @Test("A route that does not respond to the missed deadline does not keep the connection open")
    func bodyWithoutAnswer() throws {
        try receive(.head(post))
        advance(20)
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: ConnectionDeadlines.graceForAnswer - .nanoseconds(1))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .nanoseconds(1))
        #expect(!channel.isActive)
    }

    @Test("The server's processing time does not count for the client")
    func slowServer() throws {
        try receive(.head(post), .end(nil))
        advance(1_000)
        #expect(channel.isActive)
        try channel.throwIfErrorCaught()
        let head = try send(status: .ok)
        #expect(head?.headers["connection"] == [])
        #expect(channel.isActive)
    }

    @Test("After a response, the idle timeout applies to the next head")
    func idle() throws {
        try receive(.head(post), .end(nil))
        _ = try send(status: .ok)
        advance(59)
        #expect(channel.isActive)
        advance(1)
        #expect(!channel.isActive)
    }

    @Test("Another request ends the idle time")
    func keepAlive() throws {
        for _ in 0..<3 {
            try receive(.head(post), .end(nil))
            _ = try send(status: .ok)
            advance(59)
        }
        try receive(.head(post))
        advance(19)
        #expect(channel.isActive)
        try channel.throwIfErrorCaught()
    }

    @Test("A response before the end of the body announces the close, which waits for the rest of the body")
    func earlyAnswer() throws {
        try receive(.head(post))
        let head = try send(status: .payloadTooLarge)
        #expect(head?.headers["connection"] == ["close"])
        try receive(.body(ByteBuffer(bytes: [1])))
        #expect(channel.isActive)
        #expect(network.isHalfClosed)
        try receive(.end(nil))
        #expect(!channel.isActive)
    }

    @Test("The server does not wait for a client that closes its side after an early response")
    func earlyAnswerAndGone() throws {
        try receive(.head(post))
        _ = try send(status: .payloadTooLarge)
        #expect(channel.isActive)
        channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(!channel.isActive)
    }

    @Test("Invalid input gets a response, and what follows it is not read, until the deadline")
    func noRequest() throws {
        try channel.pipeline.syncOperations.addHandler(HTTPResponseEncoder(), position: .first)
        let answer = EncodedResponse(bytes: ByteBuffer(string: "no"), isLast: true, hasUnreadInput: true)
        _ = channel.triggerUserOutboundEvent(answer)
        #expect(network.isHalfClosed)
        try receive(.head(post), .end(nil))
        advance(19)
        #expect(channel.isActive)
        advance(1)
        #expect(!channel.isActive)
    }

    @Test("A response that announces it closes the connection")
    func lastAnswer() throws {
        try receive(.head(post), .end(nil))
        let head = try send(status: .ok, headers: ["Connection": "close"])
        #expect(head?.headers["connection"] == ["close"])
        #expect(!channel.isActive)
    }

    @Test("The rest of the body after an early response has its deadline too")
    func earlyAnswerAndEndlessBody() throws {
        try receive(.head(post))
        _ = try send(status: .payloadTooLarge)
        advance(19)
        #expect(channel.isActive)
        advance(1)
        #expect(!channel.isActive)
        try channel.throwIfErrorCaught()
    }

    @Test("A client that does not read the response is disconnected")
    func blockedWrite() throws {
        try receive(.head(post), .end(nil))
        network.isBlocked = true
        _ = try send(status: .ok)
        advance(29)
        #expect(channel.isActive)
        advance(1)
        #expect(!channel.isActive)
    }

    @Test("A client that reads the response slowly but steadily is not disconnected")
    func slowWrite() throws {
        try receive(.head(post), .end(nil))
        network.isBlocked = true
        _ = try send(status: .ok)
        while network.letOnePass() {
            #expect(channel.isActive)
            advance(29)
        }
        #expect(channel.isActive)
        advance(31)
        #expect(!channel.isActive)
    }

    @Test("Pipelined requests are counted")
    func pipelining() throws {
        try receive(.head(post), .end(nil), .head(post), .end(nil))
        _ = try send(status: .ok)
        advance(1_000)
        #expect(channel.isActive)
        _ = try send(status: .ok)
        advance(60)
        #expect(!channel.isActive)
    }

    @Test("An encoded response is sent unchanged, and ends its request")
    func encodedAnswer() throws {
        try channel.pipeline.syncOperations.addHandler(HTTPResponseEncoder(), position: .first)
        let bytes = ByteBuffer(string: "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n")
        for _ in 0..<2 {
            try receive(.head(post), .end(nil))
            _ = channel.triggerUserOutboundEvent(EncodedResponse(bytes: bytes, isLast: false))
            #expect(try channel.readOutbound(as: IOData.self) == .byteBuffer(bytes))
            advance(59)
            #expect(channel.isActive)
        }
        advance(1)
        #expect(!channel.isActive)
    }

    @Test("An encoded response that announces it closes the connection")
    func lastEncodedAnswer() throws {
        try channel.pipeline.syncOperations.addHandler(HTTPResponseEncoder(), position: .first)
        try receive(.head(post), .end(nil))
        _ = channel.triggerUserOutboundEvent(EncodedResponse(bytes: ByteBuffer(string: "bye"), isLast: true))
        #expect(try channel.readOutbound(as: IOData.self) == .byteBuffer(ByteBuffer(string: "bye")))
        #expect(!channel.isActive)
    }

    private let post = HTTPRequestHead(version: .http1_1, method: .POST, uri: "/", headers: ["host": "localhost"])

    private func advance(_ seconds: Int64) { channel.embeddedEventLoop.advanceTime(by: .seconds(seconds)) }

    private func receive(_ parts: HTTPServerRequestPart...) throws {
        for part in parts { try channel.writeInbound(part) }
        while try channel.readInbound(as: HTTPServerRequestPart.self) != nil {}
    }

    /// Writes a whole response, and returns its head as it was sent.
    private func send(status: HTTPResponseStatus, headers: HTTPHeaders = [:]) throws -> HTTPResponseHead? {
        let head = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
        let body = IOData.byteBuffer(ByteBuffer(bytes: [1]))
        for part in [HTTPServerResponsePart.head(head), .body(body), .end(nil)] { channel.write(part, promise: nil) }
        channel.flush()
        var sent: HTTPResponseHead?
        while let part = try channel.readOutbound(as: HTTPServerResponsePart.self) {
            if case .head(let found) = part { sent = found }
        }
        return sent
    }
}

/// Simulates the network and the client: while it is blocked it keeps what is written.
private final class SlowNetwork: ChannelOutboundHandler {
    typealias OutboundIn = HTTPServerResponsePart
    var isBlocked = false
    /// True if the server has closed its output.
    private(set) var isHalfClosed = false
    private var held: [EventLoopPromise<Void>?] = []

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if isBlocked { held.append(promise) } else { context.write(data, promise: promise) }
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard mode != .output else {
            isHalfClosed = true
            promise?.succeed()
            return
        }
        for promise in held { promise?.fail(ChannelError.ioOnClosedChannel) }
        held = []
        context.close(mode: mode, promise: promise)
    }

    /// Returns false if nothing is kept.
    func letOnePass() -> Bool {
        guard !held.isEmpty else { return false }
        held.removeFirst()?.succeed(())
        return true
    }
}
