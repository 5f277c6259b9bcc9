public import Hummingbird
import HummingbirdCore
public import Logging
import NIOCore

/// Puts routes on a port, within limits.
public enum Listener {
    /// A router that answers every failure with a problem document and logs every request; routes come on top.
    public static func makeRouter() -> Router<ServerRequestContext> {
        let router = Router(context: ServerRequestContext.self, options: .autoGenerateHeadEndpoints)
        router.add(middleware: RequestLog())
        router.add(middleware: ProblemMiddleware())
        router.get("/healthz") { _, _ in
            // Says that the process answers. Whether it can serve licences is another question.
            Response(
                status: .ok,
                headers: [.contentType: "text/plain", .cacheControl: "no-store"],
                body: .init(byteBuffer: ByteBuffer(string: "ok\n"))
            )
        }
        return router
    }

    /// The server, to be run as a service. Port 0 means any free port; `onRunning` is told which.
    public static func makeApplication(
        router: Router<ServerRequestContext>,
        host: String,
        port: Int,
        limits: ListenerLimits,
        logger: Logger,
        onRunning: @escaping @Sendable (_ port: Int) async -> Void = { _ in }
    ) -> some ApplicationProtocol {
        var decoder = HTTP1Channel.Configuration.DecoderConfiguration()
        decoder.maxHeaderFieldSize = limits.headerBytes
        decoder.maxHeaderListSize = limits.headerBytes
        decoder.maxHeaderFieldCount = limits.headerFields
        return Application(
            router: router,
            server: .http1(
                configuration: HTTP1Channel.Configuration(
                    additionalChannelHandlers: [ConnectionDeadlines(limits)],
                    httpDecoderConfiguration: decoder
                )
            ),
            configuration: ApplicationConfiguration(
                address: .hostname(host, port: port),
                availableConnectionsDelegate: MaximumAvailableConnections(limits.connections, logger: logger)
            ),
            onServerRunning: { channel in await onRunning(channel.localAddress?.port ?? port) },
            logger: logger
        )
    }
}
