package import Hummingbird
import HummingbirdCore
import HummingbirdTLS
package import Logging
import NIOCore

/// Puts routes on a port, within limits.
package enum Listener {
    /// Says, before the first connection, how many event loops there are: as many as cores that this process may use.
    /// More only change places on a core, and each wakes for fewer requests at once.
    package static func useEventLoops(_ count: Int) {
        NIOSingletons.groupLoopCountSuggestion = max(count, 1)
    }

    /// A router that answers every failure with a problem document and logs every request; routes come on top.
    ///
    /// - Parameters:
    ///   - proxies: whose word on a client's address is taken.
    ///   - crossOrigin: the web pages that may use the routes; nil for routes that no page may use.
    ///   - metrics: where requests are counted.
    package static func makeRouter(
        proxies: TrustedProxies = .none,
        crossOrigin: CrossOrigin.Origins? = nil,
        metrics: ServerMetrics? = nil
    ) -> Router<ServerRequestContext> {
        let router = Router(context: ServerRequestContext.self, options: .autoGenerateHeadEndpoints)
        router.add(middleware: RequestOrigin(proxies: proxies))
        router.add(middleware: RequestLog(metrics: metrics))
        if let crossOrigin { router.add(middleware: CrossOrigin(origins: crossOrigin)) }
        router.add(middleware: ProblemMiddleware())
        router.add(middleware: ExactPath())
        router.get("/healthz") { _, _ in
            // Says that the process answers. Whether it can serve licenses is another question.
            Response(
                status: .ok,
                headers: [.contentType: "text/plain", .cacheControl: "no-store"],
                body: .init(byteBuffer: ByteBuffer(string: "ok\n"))
            )
        }
        return router
    }

    /// The server, to be run as a service. Port 0 means any free port; `onRunning` is told which.
    ///
    /// - Parameters:
    ///   - certificate: for TLS, without which it speaks plain HTTP.
    ///   - clientAuthorities: who issues clients' certificates, with the listener's own in it; without it no client is asked
    ///     for one.
    ///   - limiter: what limits connections; nil for one of the listener's own, by `limits`.
    ///   - metrics: where requests are counted that are refused before there is a route for them.
    ///   - shedding: what refuses licenses before the routes see them; nil for routes that give none.
    ///   - isQuick: whether no route keeps a thread busy for long, so that requests may be handled on the event loops. Never
    ///     with `clientAuthorities`.
    /// - Throws: when TLS cannot be set up.
    package static func makeApplication(
        router: Router<ServerRequestContext>,
        host: String,
        port: Int,
        limits: ListenerLimits,
        certificate: ServerCertificate? = nil,
        clientAuthorities: ClientAuthorities? = nil,
        limiter: ConnectionLimiter? = nil,
        metrics: ServerMetrics? = nil,
        shedding: LoadShedding? = nil,
        isQuick: Bool = false,
        logger: Logger,
        onRunning: @escaping @Sendable (_ port: Int) async -> Void = { _ in }
    ) throws -> some ApplicationProtocol {
        var decoder = HTTP1Channel.Configuration.DecoderConfiguration()
        decoder.maxHeaderFieldSize = limits.headerBytes
        decoder.maxHeaderListSize = limits.headerBytes
        decoder.maxHeaderFieldCount = limits.headerFields
        let limiter = limiter ?? ConnectionLimiter(limits: limits)
        let guarded: @Sendable (@escaping HTTPChannelHandler.Responder) -> GuardedChannel = { [decoder] responder in
            let channel = HTTP1Channel(
                responder: responder,
                configuration: .init(httpDecoderConfiguration: decoder)
            )
            return GuardedChannel(base: channel, limits: limits, limiter: limiter, metrics: metrics, shedding: shedding)
        }
        let plain = HTTPServerBuilder { responder in
            let channel = guarded(responder)
            return isQuick ? OnEventLoop(base: channel) : channel
        }
        return Application(
            router: RouterWithTable(router: router),
            server: try server(plain, guarded, certificate, clientAuthorities),
            configuration: ApplicationConfiguration(address: .hostname(host, port: port)),
            onServerRunning: { channel in await onRunning(channel.localAddress?.port ?? port) },
            logger: logger
        )
    }

    /// With TLS around it, where there is a certificate.
    private static func server(
        _ plain: HTTPServerBuilder,
        _ guarded: @escaping @Sendable (@escaping HTTPChannelHandler.Responder) -> GuardedChannel,
        _ certificate: ServerCertificate?,
        _ clientAuthorities: ClientAuthorities?
    ) throws -> HTTPServerBuilder {
        if let clientAuthorities {
            return HTTPServerBuilder { ClientTLS(base: guarded($0), authorities: clientAuthorities) }
        }
        guard let certificate else { return plain }
        return try .tls(plain, tlsConfiguration: try certificate.listenerConfiguration())
    }
}
