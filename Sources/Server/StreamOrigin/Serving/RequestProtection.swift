import HTTPListening
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// Adds the handlers that protect a connection of HTTP/1.1, or a stream of HTTP/2, from slow and malicious clients.
///
/// Hummingbird adds the same handlers to both, after the codec. The rules of HTTP/1.1 apply before the codec, which
/// drops what they check.
final class RequestProtection: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart

    private let limits: ConnectionLimits
    private let metrics: OriginMetrics

    init(_ limits: ConnectionLimits, _ metrics: OriginMetrics) {
        self.limits = limits
        self.metrics = metrics
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let pipeline = context.pipeline.syncOperations
        do {
            if let codec = try? pipeline.handler(type: HTTP1ToHTTPServerCodec.self) {
                let deadlines = ConnectionDeadlines.Limits(
                    head: limits.headDeadline,
                    body: limits.bodyDeadline,
                    idle: limits.idleTimeout,
                    write: limits.writeTimeout
                )
                try pipeline.addHandler(ConnectionDeadlines(deadlines), position: .before(codec))
                let rules = RequestRulesHandler(OriginRequestPolicy(metrics: metrics))
                try pipeline.addHandler(rules, position: .before(codec))
            } else {
                let connection = try? context.channel.parent?.pipeline.syncOperations.handler(
                    type: ConnectionGuard.self
                )
                try pipeline.addHandler(StreamDeadlines(limits, connection: connection), position: .after(self))
            }
        } catch {
            context.close(promise: nil)
        }
    }
}

/// The origin's policy for connections of HTTP/1.1: the rules of the protocol, and responses with a sentence.
private struct OriginRequestPolicy: RequestPolicy {
    let metrics: OriginMetrics

    // ConnectionCounter counts connections.
    func open(_ channel: any Channel) -> Bool { true }

    var isForOneRequest: Bool { false }

    func refusal(of head: HTTPRequestHead) -> RequestRules.Problem? { nil }

    func refusal(for problem: RequestRules.Problem) -> RequestRules.Problem { problem }

    func response(to problem: RequestRules.Problem, method: HTTPMethod?) -> ByteBuffer {
        let (status, reason): (HTTPResponseStatus, String) =
            switch problem {
            case .malformed(let reason): (.badRequest, reason)
            case .unsupportedTransferCoding: (.notImplemented, "Only the transfer coding chunked is supported.")
            }
        metrics.request(.other, status: Int(status.code))
        let head = """
            HTTP/1.1 \(status.code) \(status.reasonPhrase)\r
            Content-Type: text/plain; charset=utf-8\r
            Cache-Control: \(CachePolicy.none)\r
            Content-Length: \(reason.utf8.count + 1)\r
            Connection: close\r
            \r

            """
        return ByteBuffer(string: method == .HEAD ? head : head + reason + "\n")
    }
}
