import ArgumentParser
import FPSCrypto
import Foundation
import NIOCore
import NIOPosix

/// `keyway load`.
struct LoadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load",
        abstract: "Load a key server with virtual devices, and measure how it answers.",
        discussion: """
            SPCs and tokens are made before the clock starts; each SPC is new, as a replay would be refused. Without \
            --rate every connection sends its next request when the last is answered, which finds what the server can \
            do at most. With --rate requests are due at moments that do not wait for answers, as with real viewers, and \
            latency counts from the moment that a request was due: a server that stalls cannot hide it.

            Tokens are for accounts load-1, load-2 and so on. Each request has a new one, as where apps renew a lease with a \
            fresh token; a server remembers those that it has verified, so that --token-per account costs it less.

            Load only servers that are yours.
            """
    )

    @OptionGroup var target: LoadTargetOptions
    @OptionGroup var population: LoadPopulationOptions

    @Option(help: .init("Requests a second. Without it, as many as the server answers.", valueName: "number"))
    var rate: Double?

    @Option(help: .init("How many connections: 32, or with --rate at most 512.", valueName: "number"))
    var connections: Int?

    @Option(help: .init("How long to measure, in seconds.", valueName: "seconds"))
    var duration = 10.0

    @Option(help: .init("How long to wait before that, under load, in seconds.", valueName: "seconds"))
    var warmUp = 2.0

    @Option(help: .init("How many requests to make. Without it, enough for the time.", valueName: "number"))
    var requests: Int?

    @Option(help: .init("The share of requests that renew the lease of their session, 0 to 1.", valueName: "share"))
    var renewals = 0.0

    @Option(
        help: .init(
            "How many licenses a request asks for: the keys of one playback, in a batch, for as many assets.",
            valueName: "number"
        )
    )
    var batch = 1

    @Option(help: .init("How long an answer may take, in seconds.", valueName: "seconds"))
    var timeout = 30.0

    @Flag(help: "Have the devices open each CKC. It costs this process time, so not while measuring.")
    var check = false

    @Option(help: .init("The server's process: prints its processor time for a license.", valueName: "pid"))
    var serverPid: Int32?

    @Option(
        help: .init("Write a line of JSON for each request.", valueName: "file"),
        transform: OutputPath.parse
    )
    var trace: String?

    @OptionGroup var output: JSONOption

    /// No server in reach answers more in closed loop.
    private static let licensesPerSecond = 6000.0

    func validate() throws {
        guard (0.1...86_400).contains(duration), (0...3600).contains(warmUp), (0.1...600).contains(timeout) else {
            throw ValidationError("--duration is 0.1 to 86400, --warm-up 0 to 3600, --timeout 0.1 to 600 seconds.")
        }
        guard rate.map({ (0.1...1_000_000).contains($0) }) ?? true, (1...20_000).contains(connections ?? 1),
            (0...1).contains(renewals), (1...50_000_000).contains(requests ?? 1)
        else {
            throw ValidationError(
                "--rate is 0.1 to 1000000, --connections 1 to 20000, --requests 1 to 50000000, --renewals 0 to 1."
            )
        }
        try validateBatch()
    }

    private func validateBatch() throws {
        guard (1...32).contains(batch), batch <= population.assetIDs.count else {
            throw ValidationError("--batch is 1 to 32, and takes as many --assets.")
        }
    }

    func run() async throws {
        let target = try target.target()
        let server = serverPid.map(ProcessTime.init)
        guard server == nil || server?.seconds != nil else {
            throw CommandFailure.input("there is no process \(serverPid ?? 0)")
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
        let population = try await population.population(lifetime: Int64(plan.length) + 3600)
        let trace = try self.trace.map { try LoadTrace(path: $0, bufferSize: 1 << 16) }
        let material = try await prepare(population, certificate)
        var line = ProgressLine()
        let tally = try await client.reaching {
            try await LoadRun(
                target: target,
                plan: plan,
                material: material,
                on: group.next(),
                server: server,
                checksAnswers: check,
                trace: trace,
                progress: { tally, share in line.show(Self.progress(tally, share)) }
            ).run()
        }
        line.clear()
        try trace?.finish()
        var report = LoadReport(target: self.target.server, plan: plan, tally: tally).report
        if let count = tally.outcomes[.unusable] {
            report.problem = .init(stage: "device", code: "unusable", reason: "the devices refuse \(count) CKCs")
        } else if tally.ranOut, tally.outcomes.isEmpty {
            report.problem = .init(
                stage: "load",
                code: "ran-out",
                reason: "the SPCs ran out in the warm-up, and nothing was measured",
                next: "give --requests more, or --warm-up 0"
            )
        } else if tally.outcomes[.granted] == nil {
            report.problem = .init(
                stage: "server",
                code: "no-license",
                reason: "not one license was given",
                next: "the outcomes say why; the server's audit log has the detail"
            )
        }
        try ReportOptions.print(report, json: output.json)
    }

    private var plan: LoadPlan {
        LoadPlan(
            pace: rate.map { .open(rate: $0) } ?? .closed,
            connections: connections ?? (rate == nil ? 32 : 512),
            duration: duration,
            warmUp: warmUp,
            timeout: timeout
        )
    }

    /// Everything that can be made before the clock starts.
    private func prepare(_ population: LoadPopulation, _ certificate: X509Certificate) async throws
        -> LoadRun.Material
    {
        var random = SystemRandomNumberGenerator()
        let arrivals = plan.arrivals(using: &random)
        let count = requests ?? (rate == nil ? Int(Self.licensesPerSecond * plan.length) / batch : arrivals.count)
        let preparation = LoadPreparation(
            population: population,
            certificate: certificate.der,
            versions: self.population.device.versions,
            assets: self.population.assetIDs,
            renewals: renewals,
            batch: batch,
            keepsRequests: check
        )
        let line = LoadProgress("making \(count * batch) SPCs")
        defer { line.clear() }
        var requests = try preparation.requests(count) { line.show($0, of: count) }
        line.clear()
        let signing = LoadProgress("signing their tokens")
        defer { signing.clear() }
        try await preparation.sign(&requests) { signing.show($0, of: count) }
        return LoadRun.Material(
            population: population,
            assets: self.population.assetIDs,
            requests: requests,
            arrivals: Array(arrivals.prefix(requests.count)),
            mayRunOut: rate == nil || requests.count < arrivals.count
        )
    }

    private static func progress(_ tally: LoadTally, _ share: Double) -> String {
        let p99 = String(format: "%.1f", tally.granted.milliseconds(at: 99))
        return "\(Int(share * 100)) %  \(tally.grantedInTime) licenses  \(Int(tally.throughput))/s  p99 \(p99) ms"
            + "  other \(tally.total - (tally.outcomes[.granted] ?? 0))"
    }
}
