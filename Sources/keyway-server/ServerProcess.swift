import Foundation
import Hummingbird
import KeyServer
import KeyServerModule
import KeyStore
import Logging
import ServiceLifecycle
import UnixSignals

/// The listeners of one server process.
struct ServerProcess {
    let listen: ListenAddress
    let adminListen: ListenAddress?
    let isDevelopment: Bool
    let token: String
    let tokenFile: String
    let logger: Logger

    /// Serves until SIGTERM or SIGINT, then finishes what is under way.
    func run(module: KeyServerModule, store: any KeyStore, pool: BoundedWorkPool) async throws {
        let limits = ListenerLimits()
        let publicRouter = Listener.makeRouter()
        let service = LicenseService(module: module, store: store, pool: pool)
        LicenseRoutes(service: service, bundles: module.bundles, limits: limits).add(to: publicRouter)
        var services: [any Service] = []
        if let adminListen {
            let adminRouter = Listener.makeRouter()
            addAdministration(to: adminRouter, store)
            services.append(application(adminRouter, at: adminListen, limits, "administration"))
        } else if isDevelopment {
            addAdministration(to: publicRouter, store)
        }
        services.append(application(publicRouter, at: listen, limits, "apps"))
        if isDevelopment { announceDevelopment(module.bundles) }
        try await ServiceGroup(
            configuration: .init(
                services: services.map { .init(service: $0) },
                gracefulShutdownSignals: [.sigterm, .sigint],
                logger: logger
            )
        ).run()
    }

    private func addAdministration(to router: Router<ServerRequestContext>, _ store: any KeyStore) {
        let group = router.group("/admin").add(middleware: AdminTokenMiddleware(token: AdminToken(token)))
        ContentRoutes(store: store).add(to: group)
        PolicyRoutes(store: store).add(to: group)
    }

    private func application(
        _ router: Router<ServerRequestContext>,
        at address: ListenAddress,
        _ limits: ListenerLimits,
        _ audience: String
    ) -> any Service {
        Listener.makeApplication(
            router: router,
            host: address.host,
            port: address.port,
            limits: limits,
            logger: logger,
            onRunning: { port in
                // On standard output and at once, so that a script can wait for it and read the port.
                say("listening for \(audience) on \(address.url(port: port))")
            }
        )
    }

    private func announceDevelopment(_ bundles: [CertificateBundle]) {
        let names = bundles.filter { $0.kind == .development }.map(\.name).joined(separator: ", ")
        say(
            """
            ==============================================================================
              DEVELOPMENT MODE. Everybody on this machine gets licences without a token.
              Development certificates in use: \(names.isEmpty ? "none" : names)
              Administration takes the token in \(tokenFile)
            ==============================================================================
            """
        )
    }
}

/// Prints a line without waiting for a buffer to fill.
private func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
