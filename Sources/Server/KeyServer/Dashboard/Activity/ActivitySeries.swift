/// A time series of recent activity: a ring buffer of slots, each for an interval of the same length.
struct ActivitySeries: Sendable {
    /// The activity in one interval.
    struct Slot: Sendable, Equatable {
        /// The count of each outcome, in the order of `ServerMetrics.Outcome.allCases`.
        var outcomes = [Int](repeating: 0, count: ServerMetrics.Outcome.allCases.count)
        var latency = LatencyHistogram()

        /// Adds to the count of an outcome.
        mutating func add(_ requests: Int, _ outcome: ServerMetrics.Outcome) {
            if let index = ServerMetrics.Outcome.allCases.firstIndex(of: outcome) { outcomes[index] += requests }
        }

        /// Returns the count of an outcome.
        func count(_ outcome: ServerMetrics.Outcome) -> Int {
            ServerMetrics.Outcome.allCases.firstIndex(of: outcome).map { outcomes[$0] } ?? 0
        }

        /// The number of licenses and keys that were issued, including retries.
        var issued: Int { count(.issued) + count(.issuedPersistable) + count(.retried) }
    }

    /// The length of an interval, in seconds.
    let step: Int64
    private var slots: [Slot]
    /// The number of the interval in each slot, counted from 1970.
    private var numbers: [Int64]

    /// Creates an empty series.
    ///
    /// - Parameters:
    ///   - step: The length of an interval in seconds, at least 1.
    ///   - count: The number of slots.
    init(step: Int64, count: Int) {
        self.step = max(step, 1)
        slots = [Slot](repeating: Slot(), count: max(count, 1))
        numbers = [Int64](repeating: .min, count: max(count, 1))
    }

    /// Counts an outcome at a time, in Unix seconds. Times before the oldest slot are ignored.
    mutating func add(_ outcome: ServerMetrics.Outcome, microseconds: Int?, at time: Int64) {
        let number = time / step
        let index = Int(number.magnitude % UInt64(slots.count))
        guard number >= numbers[index] else { return }
        if number > numbers[index] {
            numbers[index] = number
            slots[index].outcomes.withUnsafeMutableBufferPointer { $0.update(repeating: 0) }
            slots[index].latency.removeAll()
        }
        slots[index].outcomes[Self.indices[outcome] ?? 0] += 1
        if let microseconds { slots[index].latency.add(microseconds: microseconds) }
    }

    /// Returns the slot for a time; empty if there was no activity.
    func slot(at time: Int64) -> Slot { slot(number: time / step) }

    /// Returns the last complete slots before a time, oldest first, and the start of the first one.
    func slots(_ count: Int, before time: Int64) -> (start: Int64, slots: [Slot]) {
        let end = time / step
        let count = Int64(min(max(count, 0), slots.count - 1))
        return ((end - count) * step, (end - count..<end).map { slot(number: $0) })
    }

    private func slot(number: Int64) -> Slot {
        let index = Int(number.magnitude % UInt64(slots.count))
        return numbers[index] == number ? slots[index] : Slot()
    }

    private static let indices = Dictionary(
        uniqueKeysWithValues: ServerMetrics.Outcome.allCases.enumerated().map { ($0.element, $0.offset) }
    )
}
