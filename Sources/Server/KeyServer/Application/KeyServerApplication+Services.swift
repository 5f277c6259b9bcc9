import Hummingbird
import KeyServerModule
package import ServiceLifecycle

extension KeyServerApplication {
    /// The services, in the order in which they are started. A service group stops them in the opposite order, each
    /// after the previous one has ended, so a shutdown is:
    ///
    /// 1. ``ReadinessService``: `/readyz` fails, and requests are still accepted until load balancers have noticed.
    /// 2. ``DashboardEventService``: ends the open event streams, which would otherwise delay the listeners.
    /// 3. The listener for players: closes its port and finishes its requests.
    /// 4. The listener for administration, so that the metrics can be read until the last license is sent.
    /// 5. Periodic work, which does not matter to clients.
    ///
    /// - Throws: An error if TLS cannot be set up.
    package func services() throws -> [any Service] {
        periodicServices + (try listeners())
            + [
                DashboardEventService(parts.dashboard, time: parts.time),
                ReadinessService(
                    readiness: parts.readiness,
                    delay: .seconds(Int64(parts.configuration.shutdownDelay.rawValue)),
                    clock: parts.time.clock,
                    onStop: parts.environment.onStopping
                ),
            ]
    }

    private var periodicServices: [any Service] {
        let (store, time, logger) = (parts.store, parts.time, parts.logger)
        let plans = parts.configuration.channels.compactMap(\.plan)
        return (parts.tls?.services ?? [])
            + [
                StorePruning(store: store, time: time, logger: logger),
                ActivityHistory(parts.activity, store: store, time: time, logger: logger),
                KeyPeriodService(store: store, plans: plans, time: time, logger: logger),
                parts.bundleReload,
            ]
    }

    private func listeners() throws -> [any Service] {
        var listeners: [any Service] = []
        if let address = parts.configuration.admin.listen, let adminRouter {
            listeners.append(try listener(.administration, at: address, adminRouter))
        }
        listeners.append(try listener(.apps, at: parts.configuration.listen, publicRouter))
        return listeners
    }

    /// The load shedding of license requests.
    private var shedding: LoadShedding {
        LoadShedding(
            // Requests that wait for the webhook have left the pool's queue.
            room: parts.pool.room * (parts.configuration.authorization.webhook == nil ? 1 : 2),
            metrics: parts.metrics,
            activity: parts.activity,
            clock: parts.time.milliseconds
        )
    }

    private func listener(
        _ name: ServerMetrics.Listener,
        at address: ListenAddress,
        _ router: Router<ServerRequestContext>
    ) throws -> any Service {
        let isForApps = name == .apps
        let (isSecure, onListening) = (parts.tls != nil, parts.environment.onListening)
        let hasDashboard = isForApps ? parts.isAdministrationPublic : true
        let application = try Listener.makeApplication(
            router: router,
            host: address.host,
            port: address.port,
            limits: parts.limits,
            certificate: parts.tls?.certificate,
            clientAuthorities: isForApps ? nil : parts.tls?.authorities,
            limiter: parts.connections[name],
            metrics: parts.metrics,
            shedding: isForApps ? shedding : nil,
            isQuick: isForApps,
            logger: parts.logger,
            onRunning: { port in
                let url = address.url(port: port, isSecure: isSecure)
                await onListening(OpenListener(name: name, port: port, url: url, hasDashboard: hasDashboard))
            }
        )
        return ListenerService(
            application,
            at: address,
            setting: isForApps ? "listen (or --listen)" : "admin.listen (or --admin-listen)"
        )
    }
}
