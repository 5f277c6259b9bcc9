/// The timeline of a program. It maps the timestamps of all streams to a common timeline: at a clock reset, as in
/// concatenated files, all streams are shifted by the same offset.
final class ProgramClock {
    /// The timestamp units per second.
    static let rate: Int64 = 90_000
    /// The maximum distance of a timestamp after the expected one; a larger distance is a clock reset: 10 s.
    static let maximumGap = 10 * rate
    /// The maximum distance of a timestamp before the expected one: 1 s. A smaller distance is an overlap.
    static let maximumOverlap = rate
    /// The maximum number of clock resets.
    static let maximumResets = 10_000

    /// The state of a stream.
    struct StreamState {
        /// A multiple of 2^33 that aligns the stream with the others; nil before its first timestamp.
        fileprivate var shift: Int64?
        /// The index of the offset in ``ProgramClock/offsets`` that applies to the stream.
        fileprivate var epoch = 0
    }

    /// The offset added to timestamps after each clock reset.
    private var offsets: [Int64] = [0]
    /// A recent timestamp of any stream.
    private var reference: Int64?

    /// The number of clock resets.
    var resetCount: Int { offsets.count - 1 }

    /// Returns the offset to add to a stream's timestamps to map them to the timeline.
    ///
    /// - Parameters:
    ///   - time: The decode time in a packet.
    ///   - expected: The expected time of the stream on the timeline; nil at its start.
    func offset(_ time: Int64, expected: Int64?, state: inout StreamState) -> Int64 {
        if state.shift == nil {
            // One stream may already have wrapped around at 2^33 when another has not.
            let period: Int64 = 1 << 33
            let ahead = (reference ?? time) - time
            state.shift = (ahead + (ahead < 0 ? -period / 2 : period / 2)) / period * period
            state.epoch = offsets.count - 1
        }
        let shift = state.shift ?? 0
        reference = time + shift
        guard let expected else { return shift + offsets[state.epoch] }
        if isNear(time + shift + offsets[state.epoch], expected) { return shift + offsets[state.epoch] }
        // Another stream may already have passed the clock reset.
        for epoch in offsets.indices.suffix(8) where epoch > state.epoch {
            guard isNear(time + shift + offsets[epoch], expected) else { continue }
            state.epoch = epoch
            return shift + offsets[epoch]
        }
        if offsets.count <= Self.maximumResets { offsets.append(expected - time - shift) }
        state.epoch = offsets.count - 1
        return shift + offsets[state.epoch]
    }

    private func isNear(_ time: Int64, _ expected: Int64) -> Bool {
        (-Self.maximumOverlap...Self.maximumGap).contains(time - expected)
    }
}
