/// The time line of a program. The streams' timestamps are put onto it, each on its own and yet in step: where clocks
/// start anew, as in files that were joined, all streams are moved by the same distance.
final class ProgramClock {
    /// Units of timestamps in a second.
    static let rate: Int64 = 90_000
    /// How far the next timestamp may lie ahead of what is expected before it counts as a new beginning: 10 s.
    static let greatestGap = 10 * rate
    /// How far it may lie behind: 1 s. What lies less far behind is an overlap.
    static let greatestOverlap = rate
    /// How often clocks may start anew.
    static let mostJumps = 10_000

    /// Where a stream stands.
    struct Line {
        /// Whole periods of 2^33 that bring the stream near the others; nil before its first timestamp.
        fileprivate var shift: Int64?
        /// Which of the clock's distances holds for it.
        fileprivate var epoch = 0
    }

    /// What is added to timestamps, each time that they start anew.
    private var distances: [Int64] = [0]
    /// A timestamp that came lately.
    private var reference: Int64?

    /// How often clocks started anew.
    var jumps: Int { distances.count - 1 }

    /// What to add to a stream's timestamps to come to the time line.
    ///
    /// - Parameters:
    ///   - time: The decode time that a packet says.
    ///   - expected: When the stream would go on, on the time line; nil at its beginning.
    func distance(_ time: Int64, expected: Int64?, line: inout Line) -> Int64 {
        if line.shift == nil {
            // One stream may have come around 2^33 already when another has not.
            let period: Int64 = 1 << 33
            let ahead = (reference ?? time) - time
            line.shift = (ahead + (ahead < 0 ? -period / 2 : period / 2)) / period * period
            line.epoch = distances.count - 1
        }
        let shift = line.shift ?? 0
        reference = time + shift
        guard let expected else { return shift + distances[line.epoch] }
        if isNear(time + shift + distances[line.epoch], expected) { return shift + distances[line.epoch] }
        // Perhaps another stream went there first.
        for epoch in distances.indices.suffix(8) where epoch > line.epoch {
            guard isNear(time + shift + distances[epoch], expected) else { continue }
            line.epoch = epoch
            return shift + distances[epoch]
        }
        if distances.count <= Self.mostJumps { distances.append(expected - time - shift) }
        line.epoch = distances.count - 1
        return shift + distances[line.epoch]
    }

    private func isNear(_ time: Int64, _ expected: Int64) -> Bool {
        (-Self.greatestOverlap...Self.greatestGap).contains(time - expected)
    }
}
