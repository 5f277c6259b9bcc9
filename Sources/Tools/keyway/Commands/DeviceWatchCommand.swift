import ArgumentParser
import FPSCrypto
import Foundation
import NIOCore
import NIOPosix

/// `keyway device watch`.
struct DeviceWatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Have many virtual devices watch: take, renew and drop leases.",
        discussion: """
            Each device begins playbacks, renews their leases as a player does, stops, and begins again, until the time \
            is over. It goes on when the server is away, and after a broken connection asks again with the same SPC. \
            For trying out limits of streams and devices: --trace writes down who had a license when and for how long. \
            To find out how much a server can take, see keyway load.
            """
    )

    @OptionGroup var target: LoadTargetOptions
    @OptionGroup var population: LoadPopulationOptions

    @Option(help: .init("How long, in seconds.", valueName: "seconds"))
    var duration = 30.0

    @Flag(help: "Every device asks once, one after the other, and that is all.")
    var once = false

    @Option(help: .init("The longest pause between two playbacks of a device, in seconds.", valueName: "seconds"))
    var pause = 3.0

    @Option(help: .init("How many times a playback renews its lease at most.", valueName: "number"))
    var renewals = 4

    @Option(help: .init("The share of playbacks that send their first request twice, 0 to 1.", valueName: "share"))
    var retries = 0.05

    @Option(help: .init("Write a line of JSON for each request.", valueName: "file"), transform: OutputPath.parse)
    var trace: String?

    @OptionGroup var output: JSONOption

    func validate() throws {
        guard (0.1...86_400).contains(duration), (0...3600).contains(pause), (0...1000).contains(renewals),
            (0...1).contains(retries)
        else {
            throw ValidationError(
                "--duration is 0.1 to 86400, --pause 0 to 3600, --renewals 0 to 1000, --retries 0 to 1."
            )
        }
    }

    func run() async throws {
        let target = try target.target()
        FileLimit.raise()
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let outcomes: [LoadOutcome: Int]
        do {
            outcomes = try await watch(LoadClient(target: target, loop: group.next()))
        } catch {
            try? await group.shutdownGracefully()
            throw error
        }
        try? await group.shutdownGracefully()
        var tally = LoadTally()
        tally.outcomes = outcomes
        var report = Report(
            kind: "audience",
            headline: "\(population.accounts) accounts at \(escaped(self.target.server))"
        )
        report.tables = [LoadReport.outcomes(of: tally)]
        if let count = outcomes[.unusable] {
            report.problem = .init(stage: "device", code: "unusable", reason: "the devices refuse \(count) CKCs")
        }
        try ReportOptions.print(report, json: output.json)
    }

    private func watch(_ client: LoadClient) async throws -> [LoadOutcome: Int] {
        let certificate = try await client.certificate()
        let log = AudienceLog(trace: try trace.map { try LoadTrace(path: $0, bufferSize: 0) })
        let audience = Audience(
            client: client,
            population: try await population.population(lifetime: Int64(duration) + 3600),
            certificate: certificate.der,
            versions: population.device.versions,
            assets: population.assetIDs,
            habits: .init(pause: pause, renewals: renewals, retries: retries, unlimited: pause),
            end: LoadClock.now + duration,
            log: log
        )
        await (once ? audience.askOnce() : audience.watch())
        return try log.finish()
    }
}
