import HummingbirdCore
import Logging
import NIOCore
import NIOHTTPTypesHTTP1

/// HTTP/1.1 connections with deadlines, which refuse what there is no room for.
///
/// What guards a connection stands where bytes have just become HTTP/1.1, before anything is made of a request: a refusal is
/// to cost as little as it can.
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
                RequestRulesHandler(limiter: limiter, metrics: metrics),
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
