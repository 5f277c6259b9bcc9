import HTTPListening
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import StreamOrigin

/// Time is that of the embedded event loop, and only advances when a test advances it.
@Suite("Streams of HTTP/2")
struct StreamDeadlinesTests {
    private let channel: EmbeddedChannel
    private let network = SlowStream()

    init() throws {
        var limits = ConnectionLimits()
        limits.bodyDeadline = .seconds(60)
        limits.writeTimeout = .seconds(20)
        channel = EmbeddedChannel(handlers: [network, StreamDeadlines(limits, connection: nil)])
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    }

    private func advance(_ seconds: Int64) { channel.embeddedEventLoop.advanceTime(by: .seconds(seconds)) }

    private func receive(_ fields: HTTPFields = [:], _ parts: HTTPRequestPart...) throws {
        let head = HTTPRequest(method: .put, scheme: "https", authority: "a", path: "/a/b.m4s", headerFields: fields)
        for part in [.head(head)] + parts { try channel.writeInbound(part) }
    }

    /// Returns the statuses of the heads that were sent.
    private func statuses() throws -> [Int] {
        var statuses: [Int] = []
        while let part = try channel.readOutbound(as: HTTPResponsePart.self) {
            if case .head(let head) = part { statuses.append(head.status.code) }
        }
        return statuses
    }

    @Test("A body that stalls ends the stream, also if a byte arrives now and then")
    func body() throws {
        try receive()
        for _ in 0..<59 {
            advance(1)
            try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(bytes: [1])))
        }
        #expect(channel.isActive)
        advance(1)
        #expect(!channel.isActive)
    }

    @Test("A complete request can wait")
    func waiting() throws {
        try receive([:], .end(nil))
        advance(10_000)
        #expect(channel.isActive)
    }

    @Test("A response without progress ends the stream, and one with progress does not")
    func response() throws {
        try receive([:], .end(nil))
        network.isBlocked = true
        channel.write(HTTPResponsePart.head(HTTPResponse(status: .ok)), promise: nil)
        for _ in 0..<10 { channel.write(HTTPResponsePart.body(ByteBuffer(bytes: [1])), promise: nil) }
        channel.flush()
        for _ in 0..<5 {
            advance(19)
            network.passOne()
        }
        advance(19)
        #expect(channel.isActive)
        advance(20)
        #expect(!channel.isActive)
    }

    @Test("100 Continue is sent when the body is read, once, and not after the body or the response has begun")
    func expectation() throws {
        let expect: HTTPFields = [.expect: "100-Continue"]
        try receive(expect)
        #expect(try statuses().isEmpty)
        channel.triggerUserOutboundEvent(BodyReadStarted(), promise: nil)
        channel.triggerUserOutboundEvent(BodyReadStarted(), promise: nil)
        #expect(try statuses() == [100])
        try receive(expect, .body(ByteBuffer(bytes: [1])))
        channel.triggerUserOutboundEvent(BodyReadStarted(), promise: nil)
        #expect(try statuses().isEmpty)
        try receive(expect)
        channel.writeAndFlush(HTTPResponsePart.head(HTTPResponse(status: .unauthorized)), promise: nil)
        channel.triggerUserOutboundEvent(BodyReadStarted(), promise: nil)
        #expect(try statuses() == [401])
        try receive()
        channel.triggerUserOutboundEvent(BodyReadStarted(), promise: nil)
        #expect(try statuses().isEmpty)
    }
}

/// A connection that can hold back what is written.
private final class SlowStream: ChannelOutboundHandler {
    typealias OutboundIn = HTTPResponsePart
    var isBlocked = false
    private var held: [EventLoopPromise<Void>?] = []

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if isBlocked { held.append(promise) } else { context.write(data, promise: promise) }
    }

    func passOne() { held.removeFirst()?.succeed() }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        for promise in held { promise?.fail(ChannelError.ioOnClosedChannel) }
        held = []
        context.close(mode: mode, promise: promise)
    }
}
