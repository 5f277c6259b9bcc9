import FileAccess
import HTTPListening
import Hummingbird
import HummingbirdCore
import HummingbirdHTTP2
package import Logging
import NIOCore
import ServiceLifecycle

/// An origin: its listeners and services, as a configuration specifies them. The executable and the tests run the same
/// application. What belongs to a process is the caller's: signals and standard output.
package struct OriginApplication: Service, CustomStringConvertible {
    private let configuration: OriginConfiguration
    private let channels: LiveChannels
    private let metrics = OriginMetrics()
    private let counter: ConnectionCounter
    private let access: FolderAccess
    private let thread: FolderThread
    private let certificate: OriginCertificate?
    private let uploads: UploadResponder?
    private let clock: @Sendable () -> Duration
    private let logger: Logger
    private let onListening: @Sendable (_ name: String, _ port: Int) async -> Void

    /// Creates an origin. It reads the files that the configuration names, and opens no port.
    ///
    /// - Parameters:
    ///   - clock: The time since any moment.
    ///   - onListening: Called with `players` or `metrics` and the port, when a port is open.
    /// - Throws: ``OriginError`` and ``UploadTokenError``.
    package init(
        configuration: OriginConfiguration,
        clock: @escaping @Sendable () -> Duration = OriginApplication.monotonicClock(),
        logger: Logger,
        onListening: @escaping @Sendable (_ name: String, _ port: Int) async -> Void = { _, _ in }
    ) throws {
        self.configuration = configuration
        self.clock = clock
        self.logger = logger
        self.onListening = onListening
        channels = LiveChannels(memoryLimit: configuration.channelMemory, maximum: configuration.channels)
        counter = ConnectionCounter(limits: configuration.connections, metrics: metrics)
        let access = FolderAccess(root: configuration.folder)
        self.access = access
        guard access.exists else { throw OriginError("\(configuration.folder) is not a folder that can be read") }
        thread = FolderThread(
            access: access,
            channels: channels,
            pollInterval: configuration.pollInterval,
            clock: clock,
            logger: logger
        )
        certificate = try configuration.tls.map { try OriginCertificate($0, logger: logger) }
        uploads = try configuration.tokens.map { [metrics] path in
            UploadResponder(
                tokens: try UploadTokens(path: path),
                folder: WritableFolder(access: access),
                limits: configuration.uploads,
                metrics: metrics,
                logger: logger
            )
        }
    }

    /// The name of the type: service groups log the description of their services.
    package var description: String { "OriginApplication" }

    /// Returns a clock that begins now and is not changed by the time of day.
    package static func monotonicClock() -> @Sendable () -> Duration {
        let start = ContinuousClock.now
        return { ContinuousClock.now - start }
    }

    /// Answers the requests of players and packagers.
    package var responder: OriginResponder {
        OriginResponder(
            channels: channels,
            files: FileResponder(channels: channels, access: access, metrics: metrics, clock: clock),
            playlists: PlaylistResponder(channels: channels, metrics: metrics, clock: clock),
            uploads: uploads,
            crossOrigin: configuration.crossOrigin,
            metrics: metrics,
            isHealthy: { [thread, channels] in thread.exists && !channels.isClosed },
            clock: clock,
            logger: logger
        )
    }

    /// Reads the certificate again now, in addition to every minute.
    package func reload() { certificate?.reload() }

    /// Serves until the shutdown, then answers the waiting requests and finishes those in progress.
    package func run() async throws {
        await thread.start()
        defer { thread.stop() }
        // A service group stops its services in the opposite order, each after the previous one has ended.
        var services: [any Service] = [WaitDeadlines(channels: channels, clock: clock), thread]
        if let certificate { services.append(certificate) }
        if let address = configuration.metricsListen { services.append(metricsListener(address)) }
        services += [try listener(), WaitEnding(channels: channels)]
        var group = ServiceGroupConfiguration(services: services.map { .init(service: $0) }, logger: logger)
        group.maximumGracefulShutdownDuration = configuration.shutdownGrace
        try await ServiceGroup(configuration: group).run()
    }

    // MARK: Listeners

    private func listener() throws -> any Service {
        let (limits, counter, metrics) = (configuration.connections, counter, metrics)
        var decoder = HTTP1Channel.Configuration.DecoderConfiguration()
        decoder.maxHeaderFieldSize = limits.headerBytes
        decoder.maxHeaderListSize = limits.headerBytes
        decoder.maxHeaderFieldCount = 100
        let stream = HTTP1Channel.Configuration(
            additionalChannelHandlers: [RequestProtection(limits, metrics)],
            httpDecoderConfiguration: decoder
        )
        let server: HTTPServerBuilder
        if let tls = try certificate?.listenerConfiguration() {
            let http2 = HTTP2UpgradeChannel.Configuration(
                idleTimeout: limits.idleTimeout,
                gracefulCloseTimeout: configuration.shutdownGrace,
                streamConfiguration: stream
            )
            server = HTTPServerBuilder { responder in
                LimitedChannel(
                    base: try HTTP2UpgradeChannel(tlsConfiguration: tls, configuration: http2, responder: responder),
                    limits: limits,
                    counter: counter
                )
            }
        } else {
            server = HTTPServerBuilder { responder in
                LimitedChannel(
                    base: HTTP1Channel(responder: responder, configuration: stream),
                    limits: limits,
                    counter: counter
                )
            }
        }
        return application(responder, server, configuration.listen, "players")
    }

    private func metricsListener(_ address: ListenAddress) -> any Service {
        let router = Router()
        let (metrics, channels, counter, version) = (metrics, channels, counter, configuration.version)
        router.get("/metrics") { _, _ in
            let text = metrics.exposition(channels: channels, connections: counter.count, version: version)
            return Response(
                status: .ok,
                headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8", .cacheControl: CachePolicy.none],
                body: .init(byteBuffer: ByteBuffer(string: text))
            )
        }
        let limits = configuration.connections
        let stream = HTTP1Channel.Configuration(additionalChannelHandlers: [RequestProtection(limits, metrics)])
        return application(router.buildResponder(), .http1(configuration: stream), address, "metrics")
    }

    private func application<Responder: HTTPResponder>(
        _ responder: Responder,
        _ server: HTTPServerBuilder,
        _ address: ListenAddress,
        _ name: String
    ) -> any Service where Responder.Context: InitializableFromSource<ApplicationRequestContextSource> {
        let onListening = onListening
        let application = Application(
            responder: responder,
            server: server,
            configuration: ApplicationConfiguration(address: .hostname(address.host, port: address.port)),
            onServerRunning: { await onListening(name, $0.localAddress?.port ?? address.port) },
            logger: quietLogger
        )
        let option = name == "players" ? "--listen" : "--metrics-listen"
        return ListenerService(application, at: address, setting: option)
    }

    /// A logger for Hummingbird, whose messages about connections are of no use to operators.
    private var quietLogger: Logger {
        var quiet = logger
        quiet.logLevel = max(quiet.logLevel, .warning)
        return quiet
    }
}

/// Ends the requests whose time is over.
private struct WaitDeadlines: Service {
    let channels: LiveChannels
    let clock: @Sendable () -> Duration

    private static let interval = Duration.milliseconds(50)

    func run() async throws {
        // The shutdown cancels the sleep; the waiting requests have ended by then.
        try? await cancelWhenGracefulShutdown {
            while true {
                try await Task.sleep(for: Self.interval)
                // A response is sent before its deadline, not after it.
                channels.expire(now: clock() + Self.interval * 2)
            }
        }
    }
}

/// Ends the waiting requests before the listener ends, which would wait for them.
private struct WaitEnding: Service {
    let channels: LiveChannels

    func run() async throws {
        try? await gracefulShutdown()
        channels.close()
    }
}
