/// What happened in each second, or minute, of the recent past: a ring of slots, each of the same length.
struct ActivitySeries: Sendable {
    /// One length of time.
    struct Slot: Sendable, Equatable {
        /// How often each outcome came, in the order of `ServerMetrics.Outcome.allCases`.
        var outcomes = [Int](repeating: 0, count: ServerMetrics.Outcome.allCases.count)
        var latency = LatencyCounts()

        /// How often an outcome came.
        func count(_ outcome: ServerMetrics.Outcome) -> Int {
            ServerMetrics.Outcome.allCases.firstIndex(of: outcome).map { outcomes[$0] } ?? 0
        }

        /// Licenses and keys that were given, whether for the first time or again.
        var given: Int { count(.issued) + count(.issuedPersistable) + count(.retried) }
    }

    /// How many seconds a slot lasts.
    let step: Int64
    private var slots: [Slot]
    /// Which length of time each slot holds, counted from 1970.
    private var numbers: [Int64]

    /// - Parameters:
    ///   - step: how many seconds a slot lasts, at least 1.
    ///   - count: how many slots are kept.
    init(step: Int64, count: Int) {
        self.step = max(step, 1)
        slots = [Slot](repeating: Slot(), count: max(count, 1))
        numbers = [Int64](repeating: .min, count: max(count, 1))
    }

    /// Counts what happened at a time, in Unix seconds. What is older than the ring is left out.
    mutating func add(_ outcome: ServerMetrics.Outcome, microseconds: Int?, at time: Int64) {
        let number = time / step
        let place = Int(number.magnitude % UInt64(slots.count))
        guard number >= numbers[place] else { return }
        if number > numbers[place] {
            numbers[place] = number
            slots[place].outcomes.withUnsafeMutableBufferPointer { $0.update(repeating: 0) }
            slots[place].latency.removeAll()
        }
        slots[place].outcomes[Self.places[outcome] ?? 0] += 1
        if let microseconds { slots[place].latency.add(microseconds: microseconds) }
    }

    /// The slot that holds a time, empty when nothing happened.
    func slot(at time: Int64) -> Slot { slot(number: time / step) }

    /// The last slots that have ended by a time, the oldest first, and when the first of them began.
    func slots(_ count: Int, before time: Int64) -> (start: Int64, slots: [Slot]) {
        let end = time / step
        let count = Int64(min(max(count, 0), slots.count - 1))
        return ((end - count) * step, (end - count..<end).map { slot(number: $0) })
    }

    private func slot(number: Int64) -> Slot {
        let place = Int(number.magnitude % UInt64(slots.count))
        return numbers[place] == number ? slots[place] : Slot()
    }

    private static let places = Dictionary(
        uniqueKeysWithValues: ServerMetrics.Outcome.allCases.enumerated().map { ($0.element, $0.offset) }
    )
}
