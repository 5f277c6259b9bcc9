import ArgumentParser
import ContentKeySession

/// `keyway simulate`.
struct SimulateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Simulate large audiences.",
        subcommands: [SimulateRotationCommand.self]
    )
}

/// `keyway simulate rotation`.
struct SimulateRotationCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotation",
        abstract:
            "Simulate the load of a key rotation on the key server, with and without spreading requests over a window.",
        discussion: """
            When requests are spread, each viewer's player requests the next key at a random time within a window that \
            ends before the key's tag appears in the playlist. The times are drawn by the same rule as in the key \
            loader, the part of Keyway's client library that requests keys ahead of time. When requests are not \
            spread, viewers request the key when their players first reload the playlist after its tag has appeared.

            To measure how many licenses per second a core can issue, use keyway load.
            """
    )

    @Option(help: .init("The number of viewers, 1 to 10 million.", valueName: "number"))
    var viewers = 1_000_000

    @Option(help: .init("The window over which requests are spread, in seconds.", valueName: "seconds"))
    var window = 60.0

    @Option(help: .init("The key period, in seconds: the time between two rotations.", valueName: "seconds"))
    var period = 300.0

    @Option(help: .init("The time between the end of the window and the key's tag, in seconds.", valueName: "seconds"))
    var reserve = 10.0

    @Option(help: .init("The interval at which players reload the playlist, in seconds.", valueName: "seconds"))
    var reload = 6.0

    @Option(
        help: .init("The number of keys that change together; one request is for all of them.", valueName: "number")
    )
    var keys = 1

    @Option(help: .init("The licenses per second that one core of the server issues.", valueName: "number"))
    var licensesPerCore = 1500.0

    @Option(help: .init("The seed of the random request times.", valueName: "number"))
    var seed: UInt64 = 1

    @OptionGroup var output: JSONOption

    func validate() throws {
        guard (1...10_000_000).contains(viewers), (1...100).contains(keys) else {
            throw ValidationError("Expected --viewers 1 to 10000000, --keys 1 to 100.")
        }
        guard (1...86_400).contains(period), (1...3600).contains(reload), (0...43_200).contains(reserve),
            (1...86_400).contains(window), window + reserve <= period, reserve <= period / 2
        else {
            throw ValidationError(
                "Expected --period 1 to 86400, --reload 1 to 3600, --window at least 1, --reserve at most half of --period, "
                    + "and --window plus --reserve at most --period."
            )
        }
        guard (1...1_000_000).contains(licensesPerCore) else {
            throw ValidationError("--licenses-per-core: expected 1 to 1000000.")
        }
    }

    func run() throws {
        let simulation = RotationSimulation(
            viewers: viewers,
            schedule: RotationSchedule(
                period: .seconds(period),
                window: .seconds(window),
                reserve: .seconds(reserve)
            ),
            reload: reload,
            seed: seed
        )
        let plot = RotationPlot(spread: simulation.spread(), unspread: simulation.unspread())
        var report = report(plot)
        if output.json {
            let seconds = (plot.spread.start..<plot.unspread.counts.count).map { second in
                [
                    Field("second", .number(second)), Field("spread", .number(plot.spread.count(in: second))),
                    Field("not spread", .number(plot.unspread.count(in: second))),
                ]
            }
            report.tables.append(FieldTable(title: "Load", fields: [Field("seconds", .items(seconds))]))
            try ReportOptions.print(report, json: true)
        } else {
            try Terminal.write(TextRenderer(style: Terminal.style).text(report) + "\n" + plot.text)
        }
    }

    private func report(_ plot: RotationPlot) -> Report {
        let headline =
            "\(grouped(viewers)) viewers, a window of \(shortNumber(window)) s, "
            + "playlists read every \(shortNumber(reload)) s"
        var report = Report(kind: "rotation", headline: headline)
        let ratio = Double(plot.unspread.peak) / Double(max(1, plot.spread.peak))
        report.tables = [
            table("Spread", plot.spread),
            table("Not spread", plot.unspread),
            FieldTable(
                title: "Gain",
                fields: [Field("peak ratio", .decimal((ratio * 100).rounded() / 100, unit: nil))]
            ),
        ]
        return report
    }

    private func table(_ title: String, _ load: RotationSimulation.Load) -> FieldTable {
        // Latency grows faster than load above 70 % of a server's capacity.
        let cores = (Double(load.peak * keys) / (0.7 * licensesPerCore)).rounded(.up)
        return FieldTable(
            title: title,
            remark: "cores at 70 % of \(shortNumber(licensesPerCore)) licenses per second each",
            fields: [
                Field("requests", .number(load.total)),
                Field("peak requests per second", .number(load.peak)),
                Field("peak licenses per second", .number(load.peak * keys)),
                Field("cores", .number(Int(cores))),
            ]
        )
    }
}
