import ArgumentParser
import FPSCrypto
import Foundation
import KeyServer
import KeyServerModule
import KeyStore
import Logging
import ServerCrypto
import ToolSupport

/// `serve`.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve licenses over HTTP.",
        discussion: """
            The options here take precedence over environment variables, and these over the file of --config. One of \
            --config, --dev, and --no-authorization is required.

            The name of the environment variable for a setting is KEYWAY_ and the setting's path in uppercase \
            letters, with an underscore for each dot and between the words of a name: KEYWAY_LIMITS_QUEUE for \
            `limits.queue`, KEYWAY_POSTGRES_PASSWORD_FILE for `postgres.passwordFile`. The commands serve, \
            config check, doctor, and keys url read these variables, and so do commands with --config.

            Clients are authorized by playback tokens or by your webhook, as the settings `authorization.tokens` or \
            `authorization.webhook` specify. With --no-authorization, a proxy in front of the server must authorize \
            clients. --dev, for development, uses development certificates, accepts only loopback addresses to \
            listen on, and, without these settings, authorizes every request.

            An SPC (server playback context) is the license request of a FairPlay client; a CKC (content key \
            context) is the response, which contains the content key.
            """
    )

    @Option(help: ArgumentHelp("The configuration file; `keyway-server config example` prints one.", valueName: "file"))
    var config: InputPath?
    @Option(
        help: ArgumentHelp(
            """
            The data folder; created if it does not exist. Required here or as the setting `data`, also with \
            --store.
            """,
            valueName: "folder"
        )
    )
    var data: FolderPath?
    @Option(
        help: ArgumentHelp(
            """
            The address of a PostgreSQL database, which is used instead of the one in the data folder, in libpq's \
            format and without a password: postgres://USER@HOST[:PORT]/DATABASE[?PARAMETER=VALUE&…]. Without PORT, \
            libpq's default is used, 5432. Without the parameter sslmode, it is verify-full (TLS with a valid \
            certificate), unless HOST is this machine; sslrootcert=FILE specifies the CA. The settings \
            `postgres.passwordFile` and `postgres.passwordVariable` specify the password. Without --dev, a \
            key-encryption key must be specified by a --kek-* option or the setting `kek`.
            """,
            valueName: "address"
        )
    )
    var store: String?
    @OptionGroup var kek: KeyEncryptionKeyOptions
    @Option(
        help: ArgumentHelp("The address to listen on for apps. \(standard(\.listen))", valueName: "host:port")
    )
    var listen: ListenAddress?
    @Option(
        help: ArgumentHelp(
            """
            The address to listen on for administration: a loopback address, unless `admin.allowRemote` is true, \
            which requires TLS and no --dev. If the address is given, administration is served only there. (default: \
            with --dev, the address for apps; without --dev, administration is not served)
            """,
            valueName: "host:port"
        )
    )
    var adminListen: ListenAddress?
    @Flag(
        help:
            """
            Development mode: use development certificates and, without the setting `authorization`, accept requests \
            without a token. Cannot be used with \
            --no-authorization.
            """
    )
    var dev = false
    @Flag(
        help:
            """
            Issue licenses to every client that can reach this server; a proxy in front must authorize clients. \
            Cannot be used with --dev.
            """
    )
    var noAuthorization = false
    @Flag(help: "Decrypt and verify every CKC before it is sent.")
    var checkBeforeIssuing = false
    @Option(
        help: ArgumentHelp(
            """
            The FPS protocol versions that this server supports: numbers separated by commas, such as 1,2. \
            \(standard(\.licenses.protocolVersions[0]))
            """,
            valueName: "versions"
        )
    )
    var protocolVersions: ProtocolVersionList?
    @Option(
        name: .customLong("max-spc-age"),
        help: ArgumentHelp(
            "The maximum age of an SPC; a policy may override it. \(standard(\.maximumSPCAge))",
            valueName: "duration"
        )
    )
    var maximumSPCAge: DurationArgument?
    @Option(
        help: ArgumentHelp(
            "The number of threads for RSA operations; 0 means one per core. \(standard(\.limits.threads))",
            valueName: "number"
        )
    )
    var threads: Int?
    @Option(
        help: ArgumentHelp(
            """
            The maximum number of license requests that wait, per thread. When the queue is full, further requests \
            are refused with status 503. \(standard(\.limits.queue))
            """,
            valueName: "number"
        )
    )
    var queue: Int?
    @Option(
        help: ArgumentHelp(
            "The lowest level that is logged. \(standard(\.log.level))",
            valueName: "level"
        )
    )
    var logLevel: LogLevelArgument?

    func validate() throws {
        guard config != nil || dev || noAuthorization else {
            throw ValidationError("Use --config, --dev for development, or --no-authorization: see --help.")
        }
        guard !(dev && noAuthorization) else { throw ValidationError("Use --dev or --no-authorization, not both.") }
        // Without a configuration file, an invalid setting is a usage error.
        if config == nil { _ = try load() }
    }

    func run() async throws {
        CoreDumps.disable()
        let loaded = try load()
        var configuration = loaded.configuration
        if dev, loaded.settings.first(where: { $0.path == "log.format" })?.origin == .standard {
            configuration.log.format = .text
        }
        let log = configuration.log
        LoggingSystem.bootstrap { LineLogHandler(label: $0, format: log.format, level: log.level) }
        let logger = Logger(label: "keyway-server")
        for warning in loaded.warnings { logger.warning("\(warning)") }
        let location = StoreLocation(configuration)
        for warning in location.warnings { logger.warning("\(warning)") }
        let opened = try await location.open(creating: .ifMissing)
        if opened.isNew { for line in location.contents { logger.notice("created \(line)") } }
        let store = opened.store
        var module = configuration.module
        module.multiBuffer = try multiBuffer(configuration.limits.multiBuffer, logger)
        let cores = ProcessInfo.processInfo.activeProcessorCount
        let threads = configuration.limits.threads > 0 ? configuration.limits.threads : cores
        let bundles = BundleCache(
            configuration: module,
            allowsDevelopment: dev,
            plugins: configuration.certificates.plugins(threads: threads, logger)
        )
        for (name, reason) in try bundles.update(with: try await store.certificateBundles()).skipped {
            logger.warning("bundle \(name) is not used: \(reason)")
        }
        guard !bundles.module.bundles.isEmpty else {
            throw CommandFailure.input(
                "there is no certificate to serve with",
                next: "add one with `keyway-server certificates add`"
                    + (dev ? "; `keyway credentials new` creates one for development" : "")
            )
        }
        OpenFileLimit.raise()
        Listener.useEventLoops(min(threads, cores))
        let pool = BoundedWorkPool(threads: threads, capacity: configuration.limits.queue * threads)
        let token = try AdminTokenFile(folder: configuration.data).authenticator()
        if let warning = OpenFileLimit.warning(about: configuration) { logger.warning("\(warning)") }
        let process = ServerProcess(
            configuration: configuration,
            settings: loaded.settings,
            isDevelopment: dev,
            token: token,
            tokenFile: AdminTokenFile(folder: configuration.data).path,
            logger: logger
        )
        do {
            try await process.run(bundles: bundles, store: store, pool: pool)
        } catch let failure as ListenFailure {
            try? await opened.close()
            throw CommandFailure.file("\(failure)")
        }
        pool.stop()
        try await opened.close()
    }

    /// Returns the library that performs several RSA operations at once, or nil if it is off or not found.
    ///
    /// - Throws: ``CommandFailure`` if the setting specifies a library that cannot be used.
    private func multiBuffer(_ wanted: ServerConfiguration.MultiBuffer, _ logger: Logger) throws -> MultiBufferRSA? {
        let path: String
        switch wanted {
        case .off: return nil
        case .auto: path = MultiBufferRSA.libraryName
        case .library(let named): path = named
        }
        do {
            let found = try MultiBufferRSA(library: path)
            logger.info("RSA operations use \(found.version), up to \(MultiBufferRSA.width) at once")
            return found
        } catch {
            guard wanted == .auto else { throw CommandFailure.input("limits.multiBuffer: \(error)") }
            logger.debug("RSA operations run one at a time: \(error)")
            return nil
        }
    }

    /// Loads the settings. Options take precedence over the environment, and the environment over the file.
    private func load() throws -> LoadedConfiguration {
        let longest = Int64(Seconds.maximum.rawValue)
        let age = try maximumSPCAge.map { try $0.wholeSeconds(in: 1...longest, option: "--max-spc-age") }
        let given: [(path: String, value: String?, option: String)] = [
            ("data", data?.path, "--data"), ("store", store, "--store"),
            ("kek.file", kek.kekFile?.path, "--kek-file"), ("kek.variable", kek.kekVariable, "--kek-variable"),
            ("kek.command", kek.kekCommand, "--kek-command"),
            ("listen", listen?.description, "--listen"), ("admin.listen", adminListen?.description, "--admin-listen"),
            ("authorization.none", noAuthorization ? "true" : nil, "--no-authorization"),
            ("licenses.checkBeforeIssuing", checkBeforeIssuing ? "true" : nil, "--check-before-issuing"),
            (
                "licenses.protocolVersions", protocolVersions?.values.map(String.init).joined(separator: ","),
                "--protocol-versions"
            ),
            ("licenses.maximumSPCAge", age.map { "PT\($0)S" }, "--max-spc-age"),
            ("limits.threads", threads.map(String.init), "--threads"),
            ("limits.queue", queue.map(String.init), "--queue"), ("log.level", logLevel?.level.rawValue, "--log-level"),
        ]
        do {
            return try LoadedConfiguration.load(
                file: config?.path,
                environment: ProcessInfo.processInfo.environment,
                options: given.compactMap { given in given.value.map { (given.path, $0, given.option) } },
                isDevelopment: dev
            )
        } catch {
            if config == nil { throw ValidationError(error.description) }
            let isReadable = config.map { FileManager.default.isReadableFile(atPath: $0.path) } ?? true
            throw CommandFailure(kind: isReadable ? .input : .file, what: error.description)
        }
    }
}

/// Returns the default of a setting, for the help of the option that overrides it.
private func standard(_ setting: (ServerConfiguration) -> some Any) -> String {
    "(default: \(setting(ServerConfiguration())))"
}

extension ServerConfiguration.Certificates {
    /// Returns the loader of plug-ins.
    ///
    /// - Parameter threads: The number of threads for licenses. One of them is not available to a plug-in, so that a
    ///   plug-in that hangs does not stop the licenses of other bundles.
    fileprivate func plugins(threads: Int, _ logger: Logger) -> PluginLoader {
        var settings = PluginProcessSettings()
        settings.calls = min(max(threads - 1, 1), PluginProcessSettings.maximumCalls)
        settings.callLimit = .seconds(Int64(pluginDeadline.rawValue))
        settings.memory = pluginMemory << 20
        return PluginLoader(settings: settings, inProcess: Set(pluginsInProcess)) { bundle, event in
            logger.warning("bundle \(bundle): \(event)")
        }
    }
}

extension ServerConfiguration {
    fileprivate var maximumSPCAge: DurationArgument { .seconds(Int64(licenses.maximumSPCAge.rawValue)) }

    fileprivate var module: KSM.Configuration {
        var module = KSM.Configuration()
        module.protocolVersions = Set(licenses.protocolVersions)
        module.maximumSPCAge = licenses.maximumSPCAge
        if licenses.checkBeforeIssuing { module.checksBeforeIssuing = true }
        return module
    }
}
