import HummingbirdCore
import Logging
import NIOCore
import NIOHTTPTypesHTTP1

/// HTTP/1.1 connections with deadlines, request rules and load shedding.
///
/// The handlers are placed directly after the HTTP/1.1 decoder, before the request is processed, so that a refusal
/// costs as little as possible.
struct GuardedChannel: ServerChildChannel {
    typealias Value = HTTP1Channel.Value

    let base: HTTP1Channel
    let limits: ListenerLimits
    let limiter: ConnectionLimiter
    let metrics: ServerMetrics?
    let shedding: LoadShedding?

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        base.setup(channel: channel, logger: logger).flatMapThrowing { value in
            let pipeline = channel.pipeline.syncOperations
            let codec = try pipeline.handler(type: HTTP1ToHTTPServerCodec.self)
            try pipeline.addHandler(ConnectionDeadlines(limits), position: .before(codec))
            try pipeline.addHandler(
                RequestRulesHandler(ListenerRequestPolicy(limiter: limiter, metrics: metrics)),
                position: .before(codec)
            )
            if let shedding {
                try pipeline.addHandler(
                    LoadSheddingHandler(shedding, maximumBody: limits.licenseBody),
                    position: .before(codec)
                )
            }
            return value
        }
    }

    func handle(value: Value, logger: Logger) async { await base.handle(value: value, logger: logger) }
}
