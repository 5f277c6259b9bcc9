/// The timeline of a program. It maps the timestamps of all streams to a common timeline: at a clock reset, as in
/// concatenated files, all streams are shifted by the same offset.
final class ProgramClock {
    /// The timestamp units per second.
    static let rate: Int64 = 90_000
    /// The maximum distance of a timestamp after the expected one; a larger distance is a clock reset: 10 s.
    static let maximumGap = 10 * rate
    /// The maximum distance of a timestamp before the previous one: 0.1 s. A smaller distance is an overlap.
    static let maximumOverlap = rate / 10
    /// The maximum number of clock resets.
    static let maximumResets = 10_000

    /// The time at which a stream continues on the timeline.
    struct Expectation {
        /// The time after the last frame.
        var time: Int64
        /// The earliest time that is not a jump back; not after ``time``.
        var earliest: Int64
    }

    /// The state of a stream.
    struct StreamState {
        /// A multiple of 2^33 that aligns the stream with the others; nil before its first timestamp.
        fileprivate var shift: Int64?
        /// The index of the offset in ``ProgramClock/offsets`` that applies to the stream.
        fileprivate var epoch = 0
    }

    /// True if a stream that starts far from the others is shifted to them: in a part after a splice, its timestamps are
    /// wrong.
    private let alignsStreams: Bool

    /// The offset added to timestamps after each clock reset.
    private var offsets: [Int64] = [0]
    /// A recent timestamp of any stream, and the same on the timeline.
    private var reference: Int64?
    private var mappedReference: Int64 = 0

    init(alignsStreams: Bool = false) { self.alignsStreams = alignsStreams }

    /// The number of clock resets.
    var resetCount: Int { offsets.count - 1 }

    /// Returns the offset to add to a stream's timestamps to map them to the timeline.
    ///
    /// - Parameters:
    ///   - time: The timestamp in a packet.
    ///   - expected: The time at which the stream continues; nil at its start.
    func offset(_ time: Int64, expected: Expectation?, state: inout StreamState) -> Int64 {
        if state.shift == nil {
            // One stream may already have wrapped around at 2^33 when another has not.
            let period: Int64 = 1 << 33
            let ahead = (reference ?? time) - time
            state.shift = (ahead + (ahead < 0 ? -period / 2 : period / 2)) / period * period
            state.epoch = offsets.count - 1
        }
        let shifted = time + (state.shift ?? 0)
        var expected = expected
        if expected == nil, alignsStreams, let reference, (shifted - reference).magnitude > Self.maximumGap {
            expected = Expectation(time: mappedReference, earliest: mappedReference)
        }
        if let expected {
            if let epoch = epoch(of: shifted, expected, state) {
                state.epoch = epoch
            } else {
                if offsets.count <= Self.maximumResets { offsets.append(expected.time - shifted) }
                state.epoch = offsets.count - 1
            }
        }
        let offset = shifted - time + offsets[state.epoch]
        (reference, mappedReference) = (shifted, time + offset)
        return offset
    }

    /// The latest timestamp of any stream on the timeline; nil before the first one.
    var latest: Int64? { reference == nil ? nil : mappedReference }

    /// Returns a timestamp of 33 bits on the timeline, at most 2^32 units from the latest one; nil before the first
    /// timestamp of any stream.
    func nearest(_ time: Int64) -> Int64? {
        guard let reference else { return nil }
        let period: Int64 = 1 << 33
        let distance = ((time - reference) % period + period) % period
        return mappedReference + (distance < period / 2 ? distance : distance - period)
    }

    /// Returns a timestamp on the timeline, without a new offset; nil before the first timestamp of the stream.
    func mapped(_ time: Int64, expected: Expectation, state: StreamState) -> Int64? {
        guard let shift = state.shift else { return nil }
        return time + shift + offsets[epoch(of: time + shift, expected, state) ?? state.epoch]
    }

    /// Returns the number of the offset with which a timestamp is near the expected one: that of the stream, or a later
    /// one, because another stream may already have passed the clock reset; nil if there is none.
    private func epoch(of time: Int64, _ expected: Expectation, _ state: StreamState) -> Int? {
        offsets.indices.suffix(from: state.epoch).first { epoch in
            (expected.earliest...expected.time + Self.maximumGap).contains(time + offsets[epoch])
        }
    }
}
