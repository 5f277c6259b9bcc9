import ArgumentParser
import ContentKeySession
import Testing

@testable import rotation_load

@Suite("The example rotation-load")
struct RotationLoadTests {
    private func simulation(viewers: Int) -> RotationSimulation {
        RotationSimulation(
            viewers: viewers,
            schedule: RotationSchedule(period: .seconds(300), window: .seconds(60), reserve: .seconds(10)),
            reload: 6,
            seed: 1
        )
    }

    @Test("Every viewer sends one request, within the window or within a reload")
    func allViewers() {
        let simulation = simulation(viewers: 60_000)
        let spread = simulation.spread()
        #expect(spread.total == 60_000)
        #expect(spread.start == -70)
        #expect(spread.counts.suffix(10) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
        let unspread = simulation.unspread()
        #expect(unspread.total == 60_000)
        #expect(unspread.start == 0 && unspread.counts.count == 6)
    }

    @Test("Both loads are uniform by a chi-square test")
    func even() {
        let simulation = simulation(viewers: 60_000)
        func chiSquare(_ counts: some Collection<Int>) -> Double {
            let mean = 60_000 / Double(counts.count)
            return counts.reduce(0) { $0 + (Double($1) - mean) * (Double($1) - mean) / mean }
        }
        // Each limit is exceeded in one of a thousand cases.
        #expect(chiSquare(simulation.spread().counts.prefix(60)) < 98.3)
        #expect(chiSquare(simulation.unspread().counts) < 20.5)
    }

    @Test("The plot has a line per second or for several seconds, and at most the maximum number of lines")
    func plot() {
        let plot = RotationPlot(
            spread: .init(start: -3, counts: [0, 2, 0]),
            unspread: .init(start: 0, counts: [4, 4]),
            width: 4
        )
        #expect(
            plot.text == """
                Requests per second  = spread, # not spread; the key's tag appears at 0 s
                      -3 s |
                      -2 s |== 2
                      -1 s |
                       0 s |#### 4
                       1 s |#### 4

                """
        )
        let coarse = RotationPlot(spread: plot.spread, unspread: plot.unspread, maximumLines: 3)
        #expect(
            coarse.lines == [
                .init(second: -4, spread: 0, unspread: 0), .init(second: -2, spread: 2, unspread: 0),
                .init(second: 0, spread: 0, unspread: 4),
            ]
        )
    }

    @Test(
        "Numbers are grouped by thousands",
        arguments: [
            (0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567"), (-1000, "-1,000"), (-100, "-100"),
        ]
    )
    func grouping(number: Int, text: String) { #expect(grouped(number) == text) }

    @Test("A window that does not fit into the period is an invalid command line")
    func bounds() throws {
        #expect(throws: (any Error).self) { try RotationLoad.parse(["--period", "60", "--window", "60"]) }
        _ = try RotationLoad.parse(["--period", "70", "--window", "60"])
    }
}
