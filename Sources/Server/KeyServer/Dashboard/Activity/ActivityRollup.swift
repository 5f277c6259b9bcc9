import KeyStore

/// The activity of this process by minute and by hour, until it is written to the store, in bounded memory.
struct ActivityRollup: Sendable {
    /// The properties that the requests of a row have in common. A row is for all titles, or for one title and without
    /// class and reason.
    struct Key: Hashable, Sendable {
        var title = ""
        var deviceClass = ""
        let outcome: ServerMetrics.Outcome
        var reason = ""
    }

    /// The number of requests and their latencies.
    struct Sum: Sendable {
        var requests: Int64 = 0
        var latency = LatencyHistogram()

        mutating func add(_ microseconds: Int?) {
            requests += 1
            if let microseconds { latency.add(microseconds: microseconds) }
        }
    }

    /// The lengths of intervals, in seconds.
    static let steps: [Int64] = [60, 3_600]
    /// The maximum number of rows for all titles, and of rows for titles, of an interval. Devices choose their classes.
    static let capacity = 256
    /// The maximum number of intervals of a length that are kept if they are not taken.
    static let intervals = 120

    /// The rows by length and start of their interval.
    private var sums: [Int64: [Int64: [Key: Sum]]] = [:]
    /// The end of the minutes that have been taken. Later requests of these minutes are counted in the next one.
    private var taken: Int64 = .min

    /// Counts a request.
    ///
    /// - Parameter time: The time of the response, in Unix seconds.
    mutating func add(_ event: ActivityEvent, at time: Int64) {
        let time = max(time, taken)
        let key = Key(
            deviceClass: event.client?.kind ?? "",
            outcome: event.outcome,
            reason: event.reason ?? ""
        )
        add(key, event.microseconds, at: time)
        if let title = event.title { add(Key(title: title, outcome: event.outcome), event.microseconds, at: time) }
    }

    /// Counts a request that was shed before it was processed.
    mutating func shed(at time: Int64) {
        add(Key(outcome: .failed, reason: ProblemType.overloaded.name), nil, at: max(time, taken))
    }

    private mutating func add(_ key: Key, _ microseconds: Int?, at time: Int64) {
        for step in Self.steps {
            let start = time - time % step
            var rows = sums[step]?[start] ?? [:]
            sums[step]?[start] = nil
            if rows[key] != nil || rows.keys.count(where: { $0.title.isEmpty == key.title.isEmpty }) < Self.capacity {
                rows[key, default: Sum()].add(microseconds)
            } else if key.title.isEmpty {
                let other = Key(deviceClass: MetricLabel.other, outcome: key.outcome, reason: MetricLabel.other)
                rows[other, default: Sum()].add(microseconds)
            }
            sums[step, default: [:]][start] = rows
            if let count = sums[step]?.count, count > Self.intervals, let oldest = sums[step]?.keys.min() {
                sums[step]?[oldest] = nil
            }
        }
    }

    /// Removes and returns the minutes that ended before a time, in Unix seconds, and returns the hours that they
    /// belong to, as they are so far.
    ///
    /// - Parameter node: The ID of the process, 8 bytes.
    mutating func take(before time: Int64, node: [UInt8]) -> [ActivityRecord] {
        let minutes = (sums[60] ?? [:]).filter { $0.key + 60 <= time }
        guard let last = minutes.keys.max() else { return [] }
        taken = max(taken, last + 60)
        for start in minutes.keys { sums[60]?[start] = nil }
        let touched = Set(minutes.keys.map { $0 - $0 % 3_600 })
        let hours = (sums[3_600] ?? [:]).filter { touched.contains($0.key) }
        for start in hours.keys where start + 3_600 <= taken { sums[3_600]?[start] = nil }
        return [(60, minutes), (3_600, hours)].flatMap { step, intervals in
            intervals.flatMap { start, rows in
                rows.map { key, sum in
                    ActivityRecord(
                        step: step,
                        start: start,
                        node: node,
                        title: key.title,
                        deviceClass: key.deviceClass,
                        outcome: key.outcome.rawValue,
                        reason: key.reason,
                        requests: sum.requests,
                        latency: sum.latency.encoded
                    )
                }
            }
        }
    }
}
