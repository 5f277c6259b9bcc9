package import Hummingbird
import HummingbirdCore
import HummingbirdTLS
package import Logging
import NIOCore

/// Creates listeners with routes and limits.
package enum Listener {
    /// Sets the number of event loops; call it before the first connection. The best value is the number of cores that
    /// this process may use. More event loops would only compete for cores, and each would handle fewer requests per
    /// wakeup.
    package static func useEventLoops(_ count: Int) {
        NIOSingletons.groupLoopCountSuggestion = max(count, 1)
    }

    /// Creates a router that responds to failures with problem documents and logs every request. Routes are added to
    /// it.
    ///
    /// - Parameters:
    ///   - proxies: The trusted proxies.
    ///   - crossOrigin: The origins of web pages that may use the routes; nil means none.
    ///   - crossOriginHeaders: Further headers that these pages may send.
    ///   - exposedHeaders: Further headers of responses that these pages may read.
    ///   - metrics: The metrics for requests.
    package static func makeRouter(
        proxies: TrustedProxies = .none,
        crossOrigin: CrossOrigin.Origins? = nil,
        crossOriginHeaders: [String] = [],
        exposedHeaders: [String] = [],
        metrics: ServerMetrics? = nil
    ) -> Router<ServerRequestContext> {
        let router = Router(context: ServerRequestContext.self, options: .autoGenerateHeadEndpoints)
        router.add(middleware: RequestOrigin(proxies: proxies))
        router.add(middleware: RequestLog(metrics: metrics))
        if let crossOrigin {
            router.add(
                middleware: CrossOrigin(origins: crossOrigin, headers: crossOriginHeaders, exposed: exposedHeaders)
            )
        }
        router.add(middleware: ProblemMiddleware())
        router.add(middleware: ExactPath())
        router.get("/healthz") { _, _ in
            // This only reports that the process responds, not that it can issue licenses.
            Response(
                status: .ok,
                headers: [.contentType: "text/plain", .cacheControl: "no-store"],
                body: .init(byteBuffer: ByteBuffer(string: "ok\n"))
            )
        }
        return router
    }

    /// Creates the server, which runs as a service. Port 0 means any free port, which is passed to `onRunning`.
    ///
    /// - Parameters:
    ///   - certificate: The TLS certificate; without it the server uses plain HTTP.
    ///   - clientAuthorities: The authorities for clients' certificates, with the listener's certificate; without it no
    ///     client certificate is requested.
    ///   - limiter: The connection limiter; nil creates one with `limits`.
    ///   - metrics: The metrics for requests that are refused before routing.
    ///   - shedding: The load shedding of license requests; nil for routes that issue no licenses.
    ///   - isQuick: Whether every route returns quickly, so that requests can be handled on the event loops. It has no
    ///     effect with `clientAuthorities`.
    /// - Throws: An error if TLS cannot be set up.
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
            return isQuick ? EventLoopChannel(base: channel) : channel
        }
        return Application(
            router: RouterWithTable(router: router),
            server: try server(plain, guarded, certificate, clientAuthorities),
            configuration: ApplicationConfiguration(address: .hostname(host, port: port)),
            onServerRunning: { channel in await onRunning(channel.localAddress?.port ?? port) },
            logger: logger
        )
    }

    /// Returns the server, with TLS if there is a certificate.
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
