import HummingbirdCore
import Logging
import NIOCore
import NIOSSL

/// TLS connections that request a client certificate. Each connection uses the authorities at the time it is opened.
struct ClientTLS: ServerChildChannel {
    typealias Value = GuardedChannel.Value

    let base: GuardedChannel
    let authorities: ClientAuthorities

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: authorities.context))
        }.flatMap {
            base.setup(channel: channel, logger: logger)
        }
    }

    func handle(value: Value, logger: Logger) async { await base.handle(value: value, logger: logger) }
}
