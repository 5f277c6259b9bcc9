import ContentKeySession

/// What a rotation of keys does to a server: when viewers of a live stream ask for the next key, spread by the loader's own
/// ``RotationSchedule`` and not spread at all.
struct RotationSimulation {
    /// How many watch.
    var viewers: Int
    /// When the loader fetches.
    var schedule: RotationSchedule
    /// How often a player reads the playlist again, in seconds; about the target duration.
    var reload: Double
    /// Repeats a run.
    var seed: UInt64

    /// Requests in each second, from `start` on; the key's tag appears at 0.
    struct Load: Equatable {
        /// In seconds, mostly negative.
        var start: Int
        var counts: [Int]

        var total: Int { counts.reduce(0, +) }
        var peak: Int { counts.max() ?? 0 }

        mutating func add(at seconds: Double) {
            let index = Int(seconds.rounded(.down)) - start
            counts[min(max(index, 0), counts.count - 1)] += 1
        }

        func count(in second: Int) -> Int {
            counts.indices.contains(second - start) ? counts[second - start] : 0
        }
    }

    /// Each viewer's loader draws its own moment in the window.
    func spread() -> Load {
        let period = Self.seconds(schedule.period)
        let first = Int(
            (period - Self.seconds(schedule.reserve) - Self.seconds(schedule.window) - period).rounded(.down)
        )
        var load = Load(start: first, counts: .init(repeating: 0, count: max(1, -first)))
        for viewer in 0..<viewers {
            var numbers = SeededNumbers(seed: seed &+ UInt64(viewer))
            let moment = schedule.moment(after: .zero, now: .zero, using: &numbers)
            load.add(at: Self.seconds(moment) - period)
        }
        return load
    }

    /// Each viewer asks when its player reads the playlist for the first time after the tag has appeared.
    func unspread() -> Load {
        var load = Load(start: 0, counts: .init(repeating: 0, count: max(1, Int(reload.rounded(.up)))))
        // Another stream of numbers than the spread viewers have.
        var numbers = SeededNumbers(seed: seed ^ 0x6b65_7977_6179_0001)
        for _ in 0..<viewers { load.add(at: Double.random(in: 0..<reload, using: &numbers)) }
        return load
    }

    static func seconds(_ duration: Duration) -> Double {
        Double(duration.components.seconds) + Double(duration.components.attoseconds) * 1e-18
    }
}
