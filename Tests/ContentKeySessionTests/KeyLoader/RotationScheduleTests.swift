import Testing

@testable import ContentKeySession

@Suite("Key rotation")
struct RotationScheduleTests {
    let schedule = RotationSchedule(period: .seconds(300), window: .seconds(60), reserve: .seconds(10))

    @Test(
        "has the times of its table",
        arguments: [
            (0.0, 230.0, 290.0), (229, 230, 290), (260, 260, 290), (290, 290, 290), (295, 295, 295), (400, 400, 400),
        ]
    )
    func moments(now: Double, earliest: Double, latest: Double) {
        let moments = schedule.moments(after: .zero, now: .seconds(now))
        #expect(moments == .seconds(earliest)...(.seconds(latest)))
    }

    @Test("limits the window and the reserve to the period")
    func bounds() {
        var numbers = SeededNumbers(seed: 3)
        for _ in 0..<2000 {
            let schedule = RotationSchedule(
                period: .milliseconds(Int.random(in: -10...600_000, using: &numbers)),
                window: .milliseconds(Int.random(in: -10...900_000, using: &numbers)),
                reserve: .milliseconds(Int.random(in: -10...900_000, using: &numbers))
            )
            let now = Duration.milliseconds(Int.random(in: 0...600_000, using: &numbers))
            let moment = schedule.moment(after: .zero, now: now, using: &numbers)
            #expect(moment >= now)
            #expect(moment <= max(now, schedule.period))
            #expect(schedule.window >= .zero && schedule.window + schedule.reserve <= schedule.period)
        }
    }

    @Test("distributes a hundred thousand viewers evenly: chi-square over the seconds of the window")
    func evenness() {
        var counts = [Int](repeating: 0, count: 60)
        for viewer in 0..<100_000 {
            // As in production, each viewer has a separate generator.
            var numbers = SeededNumbers(seed: UInt64(viewer))
            let moment = schedule.moment(after: .zero, now: .zero, using: &numbers)
            counts[min(59, Int(moment.inSeconds - 230))] += 1
        }
        // With 59 degrees of freedom, exceeded once in a thousand times.
        #expect(chiSquare(counts) < 98.3, "\(counts)")
    }

    @Test("is reproducible with the same seed")
    func seeds() {
        let moments = [5, 5, 6].map { (seed: UInt64) -> Duration in
            var numbers = SeededNumbers(seed: seed)
            return schedule.moment(after: .zero, now: .zero, using: &numbers)
        }
        #expect(moments[0] == moments[1])
        #expect(moments[1] != moments[2])
    }

    @Test("lets a loader fetch each next key once, before its tag, for an hour")
    func hour() throws {
        let schedule = schedule
        let bench = LoaderBench(settings: .with { $0.rotation = schedule })
        try bench.run { bench in
            for number in 0..<12 {
                let keys = ["skd://audio/\(number)", "skd://video/\(number)"]
                if number == 0 { await bench.loader.preload(keys) }
                if number > 0 {
                    let names = bench.session.all.filter(\.isLoaded).map(\.identifier)
                    #expect(names.count == 2 * (number + 1), "a stall at \(number)")
                    #expect(names.suffix(2) == keys[...])
                }
                // A playlist is reloaded repeatedly and contains the same keys.
                await bench.loader.keysAppeared(keys)
                await bench.loader.keysAppeared(keys)
                try await bench.pass(.seconds(300))
            }
        }
        #expect(Set(bench.session.all.map(\.identifier)).count == bench.session.all.count)
        #expect(bench.server.licenses.count == 13)
        for (number, license) in bench.server.licenses.enumerated().dropFirst() {
            let tag = Duration.seconds(300 * number)
            #expect(license.moment > tag - .seconds(71) && license.moment < tag - .seconds(9))
        }
    }

    @Test(
        "predicts the next key",
        arguments: [
            ("skd://channel/41", "skd://channel/42"), ("skd://channel/009", "skd://channel/010"),
            ("skd://channel/99", "skd://channel/100"), ("skd://channel", nil),
            ("skd://channel/999999999999999999", "skd://channel/1000000000000000000"),
            ("skd://channel/9999999999999999999999", nil),
        ]
    )
    func prediction(identifier: String, next: String?) {
        #expect(KeyPrediction.trailingNumber.next(after: identifier) == next)
    }

    @Test("predicts the next key from a list")
    func list() {
        let prediction = KeyPrediction.list(["a", "b", "b", "c"])
        #expect(prediction.next(after: "a") == "b")
        #expect(prediction.next(after: "c") == nil)
        #expect(prediction.next(after: "b") == nil)
    }
}
