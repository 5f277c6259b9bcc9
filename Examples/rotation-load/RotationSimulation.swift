import ContentKeySession

/// A simulation of the load of a key rotation: the times at which viewers of a live stream request the next key, with
/// the spreading of ``RotationSchedule`` and without.
struct RotationSimulation {
    /// The number of viewers.
    var viewers: Int
    /// The schedule of the key loader.
    var schedule: RotationSchedule
    /// The interval at which a player reloads the playlist, in seconds; about the target duration.
    var reload: Double
    /// The seed of the random numbers; the same seed repeats a run.
    var seed: UInt64

    /// The number of requests in each second, from `start` on; the key's tag appears at 0.
    struct Load: Equatable {
        /// The first second, usually negative.
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

    /// Returns the load if each viewer's loader draws a random time in the window.
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

    /// Returns the load if each viewer requests the key when its player first reloads the playlist after the tag has
    /// appeared.
    func unspread() -> Load {
        var load = Load(start: 0, counts: .init(repeating: 0, count: max(1, Int(reload.rounded(.up)))))
        // The random numbers are independent of those of the spread viewers.
        var numbers = SeededNumbers(seed: seed ^ 0x6b65_7977_6179_0001)
        for _ in 0..<viewers { load.add(at: Double.random(in: 0..<reload, using: &numbers)) }
        return load
    }

    static func seconds(_ duration: Duration) -> Double {
        Double(duration.components.seconds) + Double(duration.components.attoseconds) * 1e-18
    }
}
