import Foundation
package import Hummingbird

extension KeyServerParts {
    /// Whether there is a listener for administration.
    var hasAdminListener: Bool { configuration.admin.listen != nil }
    /// Whether the listener for players also serves administration. That is for development only.
    var isAdministrationPublic: Bool { !hasAdminListener && isDevelopment }
    /// Whether one of the listeners serves administration.
    var servesAdministration: Bool { hasAdminListener || isAdministrationPublic }
}

extension KeyServerApplication {
    /// The routes for players. All routers of an application share its state.
    ///
    /// Middleware applies to routes that are added after it. The order from the client to a route is: the client's
    /// address and the trace (``RequestOrigin``), log and metrics (``RequestLog``), CORS (``CrossOrigin``), problem
    /// documents (``ProblemMiddleware``), spelling of the path (``ExactPath``), rate limits (``RateLimitMiddleware``).
    /// So every request is counted and logged, a preflight request is answered before it is routed, web pages can read
    /// every refusal, and a health check is never rate-limited.
    package var publicRouter: Router<ServerRequestContext> {
        let router = Listener.makeRouter(
            proxies: parts.proxies,
            crossOrigin: parts.configuration.crossOrigin,
            crossOriginHeaders: parts.configuration.crossOriginHeaders
                + parts.configuration.licenses.requests.pageHeaders,
            exposedHeaders: parts.configuration.licenses.deviceHeaders ? DeviceHeaders.names : [],
            metrics: parts.metrics
        )
        parts.readiness.add(to: router)
        if parts.isAdministrationPublic { addAdministration(to: router) }
        // The routes above are not rate-limited. All others are, and unknown paths too.
        router.add(middleware: RateLimitMiddleware(limiter: parts.limiter, metrics: parts.metrics))
        addPlayback(to: router)
        return router
    }

    /// The routes for administration; nil if there is no listener for them.
    package var adminRouter: Router<ServerRequestContext>? {
        guard parts.hasAdminListener else { return nil }
        let router = Listener.makeRouter(proxies: parts.proxies, metrics: parts.metrics)
        parts.readiness.add(to: router)
        addAdministration(to: router)
        return router
    }

    private func addPlayback(to router: Router<ServerRequestContext>) {
        let configuration = parts.configuration
        let rules = configuration.licenses.requests
        LicenseRoutes(
            service: licenses,
            authorizer: parts.authorizer,
            limits: parts.limits,
            names: rules.allNames,
            tokens: rules.allTokens,
            sendsDevice: configuration.licenses.deviceHeaders
        ).add(to: router)
        OtherClientRoutes(
            service: otherClients,
            clients: configuration.licenses.otherClients,
            tokens: rules.allTokens
        ).add(to: router)
        // Pages of other origins that may use the key server may load its FairPlay library, too.
        let hasPage = configuration.playerPage || parts.isDevelopment
        if hasPage || configuration.crossOrigin != nil {
            let hls = configuration.playerLibrary.flatMap { FileManager.default.contents(atPath: $0) }
            PlayerPage(isSecure: parts.tls != nil, hls: hls.map { Array($0) }, isLibraryOnly: !hasPage).add(to: router)
        }
    }

    private func addAdministration(to router: Router<ServerRequestContext>) {
        if parts.configuration.metrics { parts.metrics.registry.add(to: router) }
        administration?.add(to: router)
        DashboardPages.add(to: router, isSecure: parts.tls != nil)
    }
}
