import ArgumentParser
import FPSCrypto
import Foundation
import NIOCore
import NIOPosix
import TextCoding
import ToolSupport

/// `keyway device watch`.
struct DeviceWatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Simulate an audience of virtual devices that acquire, renew, and abandon leases.",
        discussion: """
            Each device starts a playback, renews its lease as a player does, stops, and starts again, until the \
            duration has passed. Devices continue while the server is unreachable, and send the same SPC again after a \
            broken connection. Use it to test limits on concurrent streams and devices: --trace records which account \
            had a license at what time. To measure the capacity of a server, use keyway load.

            Tokens are for the accounts load-1, load-2, and so on; by default they are those of a development server \
            (keyway-server serve --dev). The command fails if the server refuses most requests, for example because \
            the policy allows fewer streams than there are devices.
            """
    )

    @OptionGroup var target: LoadTargetOptions
    @OptionGroup var population: LoadPopulationOptions

    @Option(help: .init("The duration of the simulation.", valueName: "duration"))
    var duration = DurationArgument.seconds(30)

    @Flag(
        name: .customLong("single-pass"),
        help: .init(
            "Send one request for each device, one after the other, and stop; --duration does not "
                + "apply."
        )
    )
    var once = false

    @Option(help: .init("The longest pause between two playbacks of a device.", valueName: "duration"))
    var pause = DurationArgument.seconds(3)

    @Option(help: .init("The maximum number of lease renewals of a playback.", valueName: "number"))
    var renewals = 4

    @Option(
        name: .customLong("retry-share"),
        help: .init("The fraction of playbacks that send their first request twice, 0 to 1.", valueName: "share")
    )
    var retries = 0.05

    @Option(
        help: .init("A file for one line of JSON per request. (default: none)", valueName: "file")
    )
    var trace: OutputPath?

    @OptionGroup var output: JSONOption

    func validate() throws {
        try duration.require(.milliseconds(100) ... .seconds(86_400), option: "--duration")
        try pause.require(.zero ... .seconds(3600), option: "--pause")
        guard (0...1000).contains(renewals), (0...1).contains(retries) else {
            throw ValidationError("Expected --renewals 0 to 1000, and --retry-share 0 to 1.")
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
            headline: "\(counted(population.accounts, "account")) at \(escaped(self.target.server.description))"
        )
        report.tables = [LoadReport.outcomes(of: tally)]
        if let count = outcomes[.unusable] {
            report.problem = .init(stage: "device", code: "unusable", reason: "the devices rejected \(count) CKCs")
        } else {
            report.problem = LoadReport.refusal(of: tally)
        }
        try ReportOptions.print(report, json: output.json)
    }

    private func watch(_ client: LoadClient) async throws -> [LoadOutcome: Int] {
        let certificate = try await client.certificate()
        let limits = LoadLimits(
            accounts: population.accountsOfTokens,
            isRemote: !client.target.isLoopback,
            seconds: once ? 0 : duration.seconds,
            licenses: once ? Double(population.accounts * population.devicesPerAccount) : nil
        )
        Terminal.writeError("note: \(limits.sentence) Streams and devices of the policy limit each account too.")
        let log = AudienceLog(trace: try trace.map { try LoadTrace(path: $0.path, bufferSize: 0) })
        let audience = Audience(
            client: client,
            population: try await population.population(lifetime: duration.wholeSeconds + 3600),
            certificate: certificate.der,
            versions: population.device.versions.values,
            assets: population.assets.elements,
            behavior: .init(pause: pause.seconds, renewals: renewals, retries: retries, unlimited: pause.seconds),
            end: LoadClock.now + duration.seconds,
            log: log
        )
        await (once ? audience.requestOnce() : audience.watch())
        return try log.finish()
    }
}
