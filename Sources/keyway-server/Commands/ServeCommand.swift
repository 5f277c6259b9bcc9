public import ArgumentParser
import Foundation
import Hummingbird
import KeyServer
import KeyServerModule
import KeyStore
import KeyStoreSQLite
public import Logging

/// The server itself.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve licences over HTTP.",
        discussion: """
            Put a proxy that terminates TLS in front. This version does not authorise playback requests by itself: it \
            runs with --dev, for development, on a loopback address; or with --no-authorization, which says that \
            something in front decides who may ask.
            """
    )

    @OptionGroup var store: StoreOptions
    @Option(help: ArgumentHelp("Where to listen for apps.", valueName: "host:port"))
    var listen = ListenAddress(argument: "127.0.0.1:8080")!
    @Option(
        help: ArgumentHelp(
            "Where to listen for administration, a loopback address. With --dev, where apps ask too unless given.",
            valueName: "host:port"
        )
    )
    var adminListen: ListenAddress?
    @Flag(help: "Development: use development certificates, and administration with the token in the data folder.")
    var dev = false
    @Flag(help: "Give licences to everybody who can reach this server; something in front decides who that is.")
    var noAuthorization = false
    @Flag(help: "Open and check every CKC before it leaves.")
    var paranoid = false
    @Option(help: ArgumentHelp("The FPS protocol versions that this server supports.", valueName: "list"))
    var protocolVersions = "1"
    @Option(
        help: ArgumentHelp("How old an SPC may be, in ISO 8601; a policy may say otherwise.", valueName: "duration")
    )
    var maximumSPCAge = "PT6H"
    @Option(help: ArgumentHelp("How many threads do RSA work; without it, one for each core.", valueName: "number"))
    var threads: Int?
    @Option(help: ArgumentHelp("How many licence requests may wait for such a thread.", valueName: "number"))
    var queue = 256
    @Option(help: "trace, debug, info, notice, warning, error or critical.")
    var logLevel: Logger.Level = .info

    func validate() throws {
        guard dev || noAuthorization else {
            throw ValidationError("Give --dev for development, or --no-authorization: see --help.")
        }
        guard !(dev && noAuthorization) else { throw ValidationError("Give --dev or --no-authorization, not both.") }
        guard !dev || listen.isLoopback else {
            throw ValidationError("--dev listens on a loopback address alone, such as 127.0.0.1:8080.")
        }
        guard adminListen?.isLoopback ?? true else {
            throw ValidationError("--admin-listen takes a loopback address.")
        }
        guard threads ?? 1 > 0, queue >= 0 else {
            throw ValidationError("--threads is at least 1, --queue at least 0.")
        }
        _ = try configuration()
    }

    func run() async throws {
        ProcessSecrecy.keepMemoryToItself()
        LoggingSystem.bootstrap(StreamLogHandler.standardError)
        var logger = Logger(label: "keyway-server")
        logger.logLevel = logLevel
        let store = try store.open()
        let loaded = BundleLoader.load(try await store.certificateBundles(), allowingDevelopment: dev)
        for (name, reason) in loaded.leftOut { logger.warning("bundle \(name) is not used: \(reason)") }
        guard !loaded.bundles.isEmpty else {
            throw CommandFailure(
                "there is no certificate to serve with; add one with `keyway-server certificates add`"
                    + (dev ? ", for development made by `keyway credentials new`" : "")
            )
        }
        let pool = BoundedWorkPool(threads: threads ?? ProcessInfo.processInfo.activeProcessorCount, capacity: queue)
        let module = try KeyServerModule(bundles: loaded.bundles, configuration: try configuration())
        let token = try AdminTokenFile(folder: self.store.data).token()
        try await ServerProcess(
            listen: listen,
            adminListen: adminListen,
            isDevelopment: dev,
            token: token,
            tokenFile: AdminTokenFile(folder: self.store.data).path,
            logger: logger
        ).run(module: module, store: store, pool: pool)
        pool.stop()
        try store.close()
    }

    private func configuration() throws -> KeyServerModule.Configuration {
        var configuration = KeyServerModule.Configuration()
        let versions = protocolVersions.split(separator: ",").map { UInt32($0.trimmingPrefix(" ")) }
        guard !versions.isEmpty, !versions.contains(nil) else {
            throw ValidationError("--protocol-versions takes numbers such as 1 or 1,2.")
        }
        guard let age = Seconds(iso8601: maximumSPCAge), age.rawValue > 0 else {
            throw ValidationError("--maximum-spc-age takes an ISO 8601 duration such as PT6H.")
        }
        configuration.protocolVersions = Set(versions.compactMap { $0 })
        configuration.maximumSPCAge = age
        if paranoid { configuration.checksBeforeIssuing = true }
        return configuration
    }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
