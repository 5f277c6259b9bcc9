import ArgumentParser
import ContentKeySession

/// A simulation of the load of a key rotation on a key server, with and without spreading requests over a window. The
/// times of requests are drawn by the same rule as in the key loader:
///
///     swift run rotation-load --viewers 1000000 --window 60 --licenses-per-core 1500
@main
struct RotationLoad: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotation-load",
        abstract:
            "Simulate the load of a key rotation on the key server, with and without spreading requests over a window.",
        discussion: """
            When requests are spread, each viewer's player requests the next key at a random time within a window that \
            ends before the key's tag appears in the playlist. When requests are not spread, viewers request the key \
            when their players first reload the playlist after its tag has appeared.
            """
    )

    @Option(help: .init("The number of viewers, 1 to 10 million.", valueName: "number"))
    var viewers = 1_000_000

    @Option(help: .init("The window over which requests are spread, in seconds.", valueName: "seconds"))
    var window = 60

    @Option(help: .init("The key period, in seconds: the time between two rotations.", valueName: "seconds"))
    var period = 300

    @Option(help: .init("The time between the end of the window and the key's tag, in seconds.", valueName: "seconds"))
    var reserve = 10

    @Option(help: .init("The interval at which players reload the playlist, in seconds.", valueName: "seconds"))
    var reload = 6

    @Option(
        help: .init("The number of keys that change together; one request is for all of them.", valueName: "number")
    )
    var keys = 1

    @Option(help: .init("The licenses per second that one core of the server issues.", valueName: "number"))
    var licensesPerCore = 1500

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

    func run() {
        let simulation = RotationSimulation(
            viewers: viewers,
            schedule: RotationSchedule(
                period: .seconds(period),
                window: .seconds(window),
                reserve: .seconds(reserve)
            ),
            reload: Double(reload),
            seed: 1
        )
        let plot = RotationPlot(spread: simulation.spread(), unspread: simulation.unspread())
        print("\(grouped(viewers)) viewers, a window of \(window) s, playlists read every \(reload) s")
        print("spread:      \(text(plot.spread))")
        print("not spread:  \(text(plot.unspread))")
        print("\n" + plot.text, terminator: "")
    }

    private func text(_ load: RotationSimulation.Load) -> String {
        // Latency grows faster than load above 70 % of a server's capacity.
        let cores = (Double(load.peak * keys) / (0.7 * Double(licensesPerCore))).rounded(.up)
        return "at most \(grouped(load.peak)) requests and \(grouped(load.peak * keys)) licenses per second, "
            + "\(grouped(Int(cores))) cores at 70 %"
    }
}
