import ArgumentParser
import ContentKeySession

/// `keyway simulate`.
struct SimulateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Try out at a desk what would need a million viewers.",
        subcommands: [SimulateRotationCommand.self]
    )
}

/// `keyway simulate rotation`.
struct SimulateRotationCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotation",
        abstract: "Show what a new key of a live stream does to the key server, spread over a window and not.",
        discussion: """
            Each viewer's moment is drawn by the rule that the key loader follows. Not spread, viewers ask when their \
            players read the playlist for the first time after the key's tag has appeared in it.

            How many licenses a core gives in a second, keyway load measures.
            """
    )

    @Option(help: .init("How many watch, 1 to 10 million.", valueName: "number"))
    var viewers = 1_000_000

    @Option(help: .init("Over how long requests are spread, in seconds.", valueName: "seconds"))
    var window = 60.0

    @Option(help: .init("How often keys change, in seconds.", valueName: "seconds"))
    var period = 300.0

    @Option(help: .init("How long before the tag the window ends, in seconds.", valueName: "seconds"))
    var reserve = 10.0

    @Option(help: .init("How often players read the playlist, in seconds.", valueName: "seconds"))
    var reload = 6.0

    @Option(help: .init("How many keys change together; a request asks for all of them.", valueName: "number"))
    var keys = 1

    @Option(help: .init("Licenses that a core of the server gives in a second.", valueName: "number"))
    var licensesPerCore = 1500.0

    @Option(help: .init("Another number, other moments.", valueName: "number"))
    var seed: UInt64 = 1

    @OptionGroup var output: JSONOption

    func validate() throws {
        guard (1...10_000_000).contains(viewers), (1...100).contains(keys) else {
            throw ValidationError("--viewers is 1 to 10000000, --keys 1 to 100.")
        }
        guard (1...86_400).contains(period), (1...3600).contains(reload), (0...43_200).contains(reserve),
            (1...86_400).contains(window), window + reserve <= period, reserve <= period / 2
        else {
            throw ValidationError(
                "--period is 1 to 86400 and --reload 1 to 3600; --window is 1 or more, --reserve at most half of the "
                    + "period, and both together at most the period."
            )
        }
        guard (1...1_000_000).contains(licensesPerCore) else {
            throw ValidationError("--licenses-per-core is 1 to 1000000.")
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
        // Latency grows faster than load beyond 70 % of what a server can do.
        let cores = (Double(load.peak * keys) / (0.7 * licensesPerCore)).rounded(.up)
        return FieldTable(
            title: title,
            remark: "cores at 70 % of \(shortNumber(licensesPerCore)) licenses a second each",
            fields: [
                Field("requests", .number(load.total)),
                Field("peak requests a second", .number(load.peak)),
                Field("peak licenses a second", .number(load.peak * keys)),
                Field("cores", .number(Int(cores))),
            ]
        )
    }
}
