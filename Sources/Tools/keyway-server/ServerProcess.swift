import Foundation
import KeyServer
import KeyServerModule
import KeyStore
import Logging
import ServiceLifecycle
import ToolSupport
import UnixSignals

/// A server as a process: its signals, what it prints, and what it tells the service manager.
struct ServerProcess {
    let configuration: ServerConfiguration
    let settings: [EffectiveSetting]
    let isDevelopment: Bool
    let token: SingleAdminToken
    let tokenFile: String
    let logger: Logger

    /// Serves until SIGTERM or SIGINT, then finishes the requests in progress.
    func run(bundles: BundleCache, store: any KeyServerStore, pool: BoundedWorkPool) async throws {
        let application = try application(bundles: bundles, store: store, pool: pool)
        if isDevelopment { announceDevelopment(bundles.module.bundles) }
        var services: [any Service] = [application]
        // Closing a developer's terminal stops the server, so SIGHUP is handled only for a service. A service group
        // stops its services in reverse order, so a SIGHUP during the shutdown does not end the process.
        if configuration.tls.certificate != nil || !isDevelopment {
            services.insert(ReloadOnHangUp(application: application), at: 0)
        }
        let group = ServiceGroup(services: services, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        try await group.run()
    }

    private func application(
        bundles: BundleCache,
        store: any KeyServerStore,
        pool: BoundedWorkPool
    ) throws -> KeyServerApplication {
        do {
            return try KeyServerApplication(
                configuration: configuration,
                store: store,
                bundles: bundles,
                pool: pool,
                environment: environment,
                logger: logger
            )
        } catch let error as ServerTLSError {
            throw error.isUnusableKeyFile ? CommandFailure.file(error.description) : .input(error.description)
        }
    }

    private var environment: ServerEnvironment {
        var environment = ServerEnvironment(administrator: token)
        environment.version = KeywayServer.version
        environment.isDevelopment = isDevelopment
        environment.settings = settings
        if case .dataFolder(let folder, _) = StoreLocation(configuration) { environment.databaseFolder = folder }
        environment.onListening = { listener in
            printUnbuffered("listening for \(listener.name.rawValue) on \(listener.url)")
            if listener.hasDashboard { printUnbuffered("dashboard on \(listener.url)/dashboard") }
            if listener.name == .apps { ServiceManager.notify(.ready) }
        }
        environment.onStopping = { ServiceManager.notify(.stopping) }
        return environment
    }

    private func announceDevelopment(_ bundles: [CertificateBundle]) {
        let authorization = configuration.authorization
        let clients =
            authorization.tokens.isEmpty && authorization.webhook == nil
            ? "Every client on this machine gets licenses without a token."
            : "Clients on this machine get licenses as `authorization` permits."
        let names = bundles.filter { $0.kind == .development }.map(\.name).joined(separator: ", ")
        printUnbuffered(
            """
            ==============================================================================
              DEVELOPMENT MODE. \(clients)
              Development certificates in use: \(names.isEmpty ? "none" : names)
              Token for administration: \(tokenFile)
            ==============================================================================
            """
        )
    }
}

/// Prints a line to standard output without buffering, so that a script can wait for the line and read it.
private func printUnbuffered(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

/// Reloads certificates on SIGHUP, in addition to the periodic reload.
private struct ReloadOnHangUp: Service {
    let application: KeyServerApplication

    func run() async throws {
        let signals = await UnixSignalsSequence(trapping: .sighup)
        for await _ in signals.cancelOnGracefulShutdown() { await application.reload() }
    }
}
