import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import KeyServer

/// Time is the embedded event loop's own, and moves only when a test says so.
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

    @Test("A connection without a head is closed at the deadline and not before")
    func head() {
        advance(9)
        #expect(channel.isActive)
        advance(1)
        #expect(!channel.isActive)
    }

    @Test("A body that trickles in is cut off as a whole, and the route learns of it")
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
        #expect(head?.headerFields[.connection] == "close")
        #expect(!channel.isActive)
    }

    @Test("A route that does not answer the missed deadline does not keep the connection")
    func bodyWithoutAnswer() throws {
        try receive(.head(post))
        advance(20)
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: ConnectionDeadlines.graceForAnswer - .nanoseconds(1))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .nanoseconds(1))
        #expect(!channel.isActive)
    }

    @Test("The server's own time is not the client's")
    func slowServer() throws {
        try receive(.head(post), .end(nil))
        advance(1_000)
        #expect(channel.isActive)
        try channel.throwIfErrorCaught()
        let head = try send(status: .ok)
        #expect(head?.headerFields[.connection] == nil)
        #expect(channel.isActive)
    }

    @Test("After an answer the next head has the idle time-out")
    func idle() throws {
        try receive(.head(post), .end(nil))
        _ = try send(status: .ok)
        advance(59)
        #expect(channel.isActive)
        advance(1)
        #expect(!channel.isActive)
    }

    @Test("A next request takes the connection out of idleness")
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

    @Test("An answer that comes before the body has ended announces the end, which waits for the rest of the body")
    func earlyAnswer() throws {
        try receive(.head(post))
        let head = try send(status: .contentTooLarge)
        #expect(head?.headerFields[.connection] == "close")
        try receive(.body(ByteBuffer(bytes: [1])))
        #expect(channel.isActive)
        try receive(.end(nil))
        #expect(!channel.isActive)
    }

    @Test("The rest of the body after an early answer has its deadline too")
    func earlyAnswerAndEndlessBody() throws {
        try receive(.head(post))
        _ = try send(status: .contentTooLarge)
        advance(19)
        #expect(channel.isActive)
        advance(1)
        #expect(!channel.isActive)
        try channel.throwIfErrorCaught()
    }

    @Test("A client that takes nothing of its answer is cut off")
    func blockedWrite() throws {
        try receive(.head(post), .end(nil))
        network.isBlocked = true
        _ = try send(status: .ok)
        advance(29)
        #expect(channel.isActive)
        advance(1)
        #expect(!channel.isActive)
    }

    @Test("A client that takes its answer slowly but steadily is not")
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

    @Test("Requests that do not wait for answers are counted")
    func pipelining() throws {
        try receive(.head(post), .end(nil), .head(post), .end(nil))
        _ = try send(status: .ok)
        advance(1_000)
        #expect(channel.isActive)
        _ = try send(status: .ok)
        advance(60)
        #expect(!channel.isActive)
    }

    private let post = HTTPRequest(method: .post, scheme: "http", authority: "localhost", path: "/")

    private func advance(_ seconds: Int64) { channel.embeddedEventLoop.advanceTime(by: .seconds(seconds)) }

    private func receive(_ parts: HTTPRequestPart...) throws {
        for part in parts { try channel.writeInbound(part) }
        while try channel.readInbound(as: HTTPRequestPart.self) != nil {}
    }

    /// Writes a whole answer, and hands back its head as it left.
    private func send(status: HTTPResponse.Status) throws -> HTTPResponse? {
        for part in [HTTPResponsePart.head(HTTPResponse(status: status)), .body(ByteBuffer(bytes: [1])), .end(nil)] {
            channel.write(part, promise: nil)
        }
        channel.flush()
        var head: HTTPResponse?
        while let part = try channel.readOutbound(as: HTTPResponsePart.self) {
            if case .head(let found) = part { head = found }
        }
        return head
    }
}

/// Stands for the network and the client behind it: while it is blocked it holds what is written.
private final class SlowNetwork: ChannelOutboundHandler {
    typealias OutboundIn = HTTPResponsePart
    var isBlocked = false
    private var held: [EventLoopPromise<Void>?] = []

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if isBlocked { held.append(promise) } else { context.write(data, promise: promise) }
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        for promise in held { promise?.fail(ChannelError.ioOnClosedChannel) }
        held = []
        context.close(mode: mode, promise: promise)
    }

    /// False when nothing is held.
    func letOnePass() -> Bool {
        guard !held.isEmpty else { return false }
        held.removeFirst()?.succeed(())
        return true
    }
}
