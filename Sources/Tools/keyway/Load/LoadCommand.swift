import ArgumentParser
import FPSCrypto
import Foundation
import NIOCore
import NIOPosix
import TextCoding
import ToolSupport

/// `keyway load`.
struct LoadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load",
        abstract: "Generate load on a key server with virtual devices, and measure throughput and latency.",
        discussion: """
            SPCs and tokens are created before the measurement; each SPC is new, because the server refuses replays. \
            Without --rate, every connection sends its next request when the previous one is answered (closed loop), \
            which measures the maximum throughput. With --rate, requests are sent at times that do not depend on \
            responses (open loop), as with real viewers. Latency is measured from the time at which a request was due, \
            so a stalled server cannot hide it.

            Tokens are for the accounts load-1, load-2, and so on. By default, they are those of a development server \
            (keyway-server serve --dev). With --token-algorithm es256 or hs256, each request has a new signed token \
            (--token-per request), as in apps that renew a lease with a fresh token. The server caches tokens that it \
            has verified, so --token-per account reduces its work. With --token-algorithm none, requests have no token.

            A server limits the requests of each account and address. The command prints what the default limits mean \
            for the load before it starts, and fails if the server refuses most requests.

            Generate load only on servers that you operate.
            """
    )

    @OptionGroup var target: LoadTargetOptions
    @OptionGroup var population: LoadPopulationOptions

    @Option(
        help: .init(
            "The number of requests per second. (default: as many as the server answers)",
            valueName: "number"
        )
    )
    var rate: Double?

    @Option(
        help: .init(
            "The number of connections; with --rate, the maximum number. (default: 32, or 512 with "
                + "--rate)",
            valueName: "number"
        )
    )
    var connections: Int?

    @Option(help: .init("The duration of the measurement.", valueName: "duration"))
    var duration = DurationArgument.seconds(10)

    @Option(
        help: .init("The duration of the warm-up under load before the measurement.", valueName: "duration")
    )
    var warmUp = DurationArgument.seconds(2)

    @Option(
        help: .init(
            "The number of requests to prepare, for the warm-up and the measurement. If they are used "
                + "up, the run ends early, with a note; if they are used up during the warm-up, the command "
                + "fails. (default: enough for both durations: those of --rate, or 6000 licenses per "
                + "second)",
            valueName: "number"
        )
    )
    var requests: Int?

    @Option(
        name: .customLong("renewal-share"),
        help: .init("The fraction of requests that renew the lease of their session, 0 to 1.", valueName: "share")
    )
    var renewals = 0.0

    @Option(
        help: .init(
            "The number of licenses per request, each for a different asset of one playback; 1 to 32, "
                + "at most the number of --assets.",
            valueName: "number"
        )
    )
    var batch = 1

    @Option(help: .init("The timeout of a request.", valueName: "duration"))
    var timeout = DurationArgument.seconds(30)

    @Flag(help: "Open each CKC with its device. This takes CPU time and distorts measurements.")
    var check = false

    @Option(
        help: .init(
            "The process ID of the server, to print its CPU time per license. (default: not printed)",
            valueName: "pid"
        )
    )
    var serverPid: Int32?

    @Option(
        help: .init("A file for one line of JSON per request. (default: none)", valueName: "file")
    )
    var trace: OutputPath?

    @OptionGroup var output: JSONOption

    /// The number of requests prepared per second for the closed loop; no known server answers more.
    private static let licensesPerSecond = 6000.0

    func validate() throws {
        try duration.require(.milliseconds(100) ... .seconds(86_400), option: "--duration")
        try warmUp.require(.zero ... .seconds(3600), option: "--warm-up")
        try timeout.require(.milliseconds(100) ... .seconds(600), option: "--timeout")
        guard rate.map({ (0.1...1_000_000).contains($0) }) ?? true, (1...20_000).contains(connections ?? 1),
            (0...1).contains(renewals), (1...50_000_000).contains(requests ?? 1)
        else {
            throw ValidationError(
                "Expected --rate 0.1 to 1000000, --connections 1 to 20000, --requests 1 to 50000000, "
                    + "--renewal-share 0 to 1."
            )
        }
        try validateBatch()
    }

    private func validateBatch() throws {
        guard (1...32).contains(batch), batch <= population.assets.elements.count else {
            throw ValidationError("--batch: expected 1 to 32, and at least as many --assets.")
        }
    }

    func run() async throws {
        let target = try target.target()
        let server = serverPid.map(ProcessTime.init)
        guard server == nil || server?.seconds != nil else {
            throw CommandFailure.input("--server-pid: there is no process \(serverPid ?? 0)")
        }
        FileLimit.raise()
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        do {
            try await measure(target, server, group)
        } catch {
            try? await group.shutdownGracefully()
            throw error
        }
        try? await group.shutdownGracefully()
    }

    private func measure(_ target: LoadTarget, _ server: ProcessTime?, _ group: MultiThreadedEventLoopGroup)
        async throws
    {
        let client = LoadClient(target: target, loop: group.next())
        let certificate = try await client.certificate()
        Terminal.writeError("note: \(limits(target).sentence)")
        let population = try await population.population(lifetime: Int64(plan.length) + 3600)
        let trace = try self.trace.map { try LoadTrace(path: $0.path, bufferSize: 1 << 16) }
        let material = try await prepare(population, certificate)
        var line = ProgressLine()
        let tally = try await client.reaching {
            try await LoadRun(
                target: target,
                plan: plan,
                material: material,
                on: group.next(),
                server: server,
                checksResponses: check,
                trace: trace,
                progress: { tally, share in line.show(Self.progress(tally, share)) }
            ).run()
        }
        line.clear()
        try trace?.finish()
        var report = LoadReport(target: self.target.server.description, plan: plan, tally: tally).report
        if let count = tally.outcomes[.unusable] {
            report.problem = .init(stage: "device", code: "unusable", reason: "the devices rejected \(count) CKCs")
        } else if tally.ranOut, tally.outcomes.isEmpty {
            report.problem = .init(
                stage: "load",
                code: "requests-exhausted",
                reason: "the prepared SPCs were used up during the warm-up, so nothing was measured",
                next: "increase --requests, or give --warm-up 0s"
            )
        } else if let refusal = LoadReport.refusal(of: tally) {
            report.problem = refusal
        } else if tally.outcomes[.granted] == nil {
            report.problem = .init(
                stage: "server",
                code: "no-license",
                reason: "no license was issued",
                next: "see the outcomes above, and the server's audit log for details"
            )
        }
        try ReportOptions.print(report, json: output.json)
    }

    private var plan: LoadPlan {
        LoadPlan(
            pace: rate.map { .open(rate: $0) } ?? .closed,
            connections: connections ?? (rate == nil ? 32 : 512),
            duration: duration.seconds,
            warmUp: warmUp.seconds,
            timeout: timeout.seconds
        )
    }

    private func limits(_ target: LoadTarget) -> LoadLimits {
        LoadLimits(
            accounts: population.accountsOfTokens,
            isRemote: !target.isLoopback,
            seconds: plan.length,
            licenses: rate.map { $0 * plan.length * Double(batch) }
        )
    }

    /// Prepares everything that is needed before the measurement.
    private func prepare(_ population: LoadPopulation, _ certificate: X509Certificate) async throws
        -> LoadRun.Material
    {
        var random = SystemRandomNumberGenerator()
        let arrivals = plan.arrivals(using: &random)
        let count = requests ?? (rate == nil ? Int(Self.licensesPerSecond * plan.length) / batch : arrivals.count)
        let preparation = LoadPreparation(
            population: population,
            certificate: certificate.der,
            versions: self.population.device.versions.values,
            assets: self.population.assets.elements,
            renewals: renewals,
            batch: batch,
            keepsRequests: check
        )
        let line = LoadProgress("creating \(count * batch) SPCs")
        defer { line.clear() }
        var requests = try preparation.requests(count) { line.show($0, of: count) }
        line.clear()
        let signing = LoadProgress("signing their tokens")
        defer { signing.clear() }
        try await preparation.sign(&requests) { signing.show($0, of: count) }
        return LoadRun.Material(
            population: population,
            assets: self.population.assets.elements,
            requests: requests,
            arrivals: Array(arrivals.prefix(requests.count)),
            mayRunOut: rate == nil || requests.count < arrivals.count
        )
    }

    private static func progress(_ tally: LoadTally, _ share: Double) -> String {
        let p99 = String(format: "%.1f", tally.granted.milliseconds(at: 99))
        return
            "\(Int(share * 100)) %  \(counted(tally.grantedInTime, "license"))  \(Int(tally.throughput))/s  p99 \(p99) ms"
            + "  other \(tally.total - (tally.outcomes[.granted] ?? 0))"
    }
}
