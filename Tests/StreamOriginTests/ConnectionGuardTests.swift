import NIOCore
import NIOEmbedded
import NIOTLS
import Testing

@testable import StreamOrigin

/// Time is that of the embedded event loop, and only advances when a test advances it.
@Suite("Connections with TLS")
struct ConnectionGuardTests {
    private let channel: EmbeddedChannel
    private let connection: ConnectionGuard

    init() throws {
        var limits = ConnectionLimits()
        limits.headDeadline = .seconds(10)
        limits.idleTimeout = .seconds(60)
        limits.writeTimeout = .seconds(20)
        connection = ConnectionGuard(limits)
        channel = EmbeddedChannel(handler: connection)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    }

    private func advance(_ seconds: Int64) { channel.embeddedEventLoop.advanceTime(by: .seconds(seconds)) }

    private func finishHandshake(_ negotiated: String?) {
        channel.pipeline.fireUserInboundEventTriggered(TLSUserEvent.handshakeCompleted(negotiatedProtocol: negotiated))
    }

    @Test("A handshake that does not end is closed at the deadline and not before, even if bytes arrive")
    func handshake() throws {
        for _ in 0..<9 {
            advance(1)
            try channel.writeInbound(ByteBuffer(bytes: [0x16]))
        }
        #expect(channel.isActive)
        advance(1)
        #expect(!channel.isActive)
    }

    @Test("HTTP/1.1 has its own deadlines", arguments: ["http/1.1", nil])
    func http1(negotiated: String?) {
        finishHandshake(negotiated)
        advance(10_000)
        #expect(channel.isActive)
    }

    @Test("HTTP/2 without a stream is closed, even if frames arrive")
    func idle() throws {
        finishHandshake("h2")
        for _ in 0..<69 {
            advance(1)
            try channel.writeInbound(ByteBuffer(bytes: [0]))
        }
        #expect(channel.isActive)
        advance(1)
        #expect(!channel.isActive)
    }

    @Test("A stream that waits keeps the connection open; the time begins with its end")
    func waiting() {
        finishHandshake("h2")
        advance(50)
        connection.streamOpened()
        connection.streamOpened()
        advance(10_000)
        connection.streamClosed()
        advance(100)
        #expect(channel.isActive)
        connection.streamClosed()
        advance(69)
        #expect(channel.isActive)
        // The time is checked once in each period.
        advance(70)
        #expect(!channel.isActive)
    }

    private func setWritable(_ isWritable: Bool) {
        channel.isWritable = isWritable
        channel.pipeline.fireChannelWritabilityChanged()
    }

    @Test("HTTP/2 whose client does not read is closed, although its streams wait, and one that reads slowly is not")
    func unread() {
        finishHandshake("h2")
        connection.streamOpened()
        for _ in 0..<10 {
            setWritable(false)
            advance(19)
            setWritable(true)
            advance(1)
        }
        setWritable(false)
        advance(19)
        #expect(channel.isActive)
        advance(20)
        #expect(!channel.isActive)
    }
}
