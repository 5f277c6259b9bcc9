import ArgumentParser
import CommandSupport
import Foundation
import HTTPListening
import Logging
import ServiceLifecycle
import StreamOrigin
import UnixSignals

/// `serve`.
struct OriginServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve a folder of live channels over HTTP.",
        discussion: """
            A channel is a subfolder with its playlists. The folder can be written on this machine, or by packagers on \
            other hosts with PUT and DELETE, which --tokens allows.

            With TLS, clients can use HTTP/2, which Low-Latency HLS requires; without TLS, a proxy must provide it. \
            docs/origin.md describes caches, metrics, and limits.
            """
    )

    @Argument(help: ArgumentHelp("The folder to serve.", valueName: "folder"))
    var folder: FolderPath
    @Option(help: ArgumentHelp("The address to listen on for players and packagers.", valueName: "host:port"))
    var listen = ListenAddress(host: "127.0.0.1", port: 8090)
    @Option(
        help: ArgumentHelp(
            "The address to listen on for /metrics. (default: metrics are not served)",
            valueName: "host:port"
        )
    )
    var metricsListen: ListenAddress?
    @Option(
        help: ArgumentHelp(
            """
            A PEM file with the TLS certificate, followed by its issuers; read again every minute and on SIGHUP.
            """,
            valueName: "file"
        )
    )
    var tlsCertificate: InputPath?
    @Option(help: ArgumentHelp("A PEM file with the private key of --tls-certificate.", valueName: "file"))
    var tlsKey: InputPath?
    @Option(
        help: ArgumentHelp(
            """
            A file with the tokens of packagers. Each line has the names of channels, separated by commas, or * for \
            all, then a space and a token of at least 16 characters. (default: no uploads)
            """,
            valueName: "file"
        )
    )
    var tokens: InputPath?
    @Option(
        help: ArgumentHelp(
            """
            The origins of web pages whose scripts may read the streams, separated by commas, such as \
            https://www.example.com; or none. (default: all)
            """,
            valueName: "list"
        )
    )
    var crossOrigin: String?
    @Option(help: ArgumentHelp("The maximum number of channels.", valueName: "number"))
    var maxChannels = 1000
    @Option(
        help: ArgumentHelp(
            "The memory for the segments of each channel, in MiB; older segments are read from the folder.",
            valueName: "number"
        )
    )
    var channelMemory = 256
    @Option(help: ArgumentHelp("The maximum number of connections.", valueName: "number"))
    var maxConnections = 10_000
    @Option(
        help: ArgumentHelp(
            "The maximum number of connections from one address, an IPv6 address by its /64 network; 0 means unlimited.",
            valueName: "number"
        )
    )
    var maxConnectionsPerAddress = 500
    @Option(help: ArgumentHelp("The maximum size of an uploaded file, in MiB.", valueName: "number"))
    var maxFileSize = 64
    @Option(
        help: ArgumentHelp(
            "The lowest level that is logged: debug, info, notice, warning, or error. Requests have level info.",
            valueName: "level"
        )
    )
    var logLevel = OriginLogLevelArgument(level: .info)

    func validate() throws {
        guard (tlsCertificate == nil) == (tlsKey == nil) else {
            throw ValidationError("Use --tls-certificate and --tls-key together.")
        }
        for (value, range, option) in [
            (maxChannels, 1...100_000, "--max-channels"), (channelMemory, 1...1_000_000, "--channel-memory"),
            (maxConnections, 1...1_000_000, "--max-connections"),
            (maxConnectionsPerAddress, 0...1_000_000, "--max-connections-per-address"),
            (maxFileSize, 1...100_000, "--max-file-size"),
        ] where !range.contains(value) {
            throw ValidationError("\(option) must be from \(range.lowerBound) to \(range.upperBound).")
        }
    }

    func run() async throws {
        raiseOpenFileLimit()
        let level = logLevel.level
        LoggingSystem.bootstrap { label in
            var handler = StreamLogHandler.standardError(label: label)
            handler.logLevel = level
            return handler
        }
        let isSecure = tlsCertificate != nil
        let addresses = ["players": listen, "metrics": metricsListen]
        let logger = Logger(label: "keyway-origin")
        let application = try OriginApplication(configuration: settings, logger: logger) { name, port in
            guard var address = addresses[name] ?? nil else { return }
            address.port = port
            let scheme = isSecure && name == "players" ? "https" : "http"
            FileHandle.standardOutput.write(Data("listening for \(name) on \(scheme)://\(address)\n".utf8))
        }
        let group = ServiceGroup(
            services: [ReloadOnHangUp(application: application), application],
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: logger
        )
        try await group.run()
    }

    /// The settings of the options.
    private var settings: OriginConfiguration {
        var settings = OriginConfiguration(folder: folder.path)
        settings.version = KeywayOrigin.version
        settings.listen = listen
        settings.metricsListen = metricsListen
        if let tlsCertificate, let tlsKey {
            settings.tls = .init(certificate: tlsCertificate.path, key: tlsKey.path)
        }
        settings.tokens = tokens?.path
        if let crossOrigin {
            let origins = crossOrigin.split(separator: ",").map { String($0.filter { $0 != " " }) }
            settings.crossOrigin = .listed(crossOrigin == "none" ? [] : Set(origins))
        }
        settings.channels = maxChannels
        settings.channelMemory = channelMemory << 20
        settings.connections.connections = maxConnections
        settings.connections.connectionsPerAddress = maxConnectionsPerAddress
        settings.uploads.fileBytes = maxFileSize << 20
        return settings
    }

    /// Raises the soft limit of open files, which include connections, to the hard limit. The usual soft limit of 1,024
    /// exists for programs that use `select`.
    private func raiseOpenFileLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}

extension ListenAddress: ExpressibleByArgument {
    package init?(argument: String) { self.init(argument) }
}

/// A level of the log, on the command line.
struct OriginLogLevelArgument: ExpressibleByArgument, CustomStringConvertible {
    let level: Logger.Level

    init(level: Logger.Level) { self.level = level }

    init?(argument: String) {
        guard let level = Logger.Level(rawValue: argument) else { return nil }
        self.level = level
    }

    var description: String { level.rawValue }
    var defaultValueDescription: String { description }
}

/// Reads the TLS certificate again on SIGHUP.
private struct ReloadOnHangUp: Service {
    let application: OriginApplication

    func run() async throws {
        let signals = await UnixSignalsSequence(trapping: .sighup)
        for await _ in signals.cancelOnGracefulShutdown() { application.reload() }
    }
}
