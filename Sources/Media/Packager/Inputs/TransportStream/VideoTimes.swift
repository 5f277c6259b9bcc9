import MediaFormats

/// Assigns each picture its times on the program's timeline. Missing timestamps are derived from the previous pictures.
struct VideoTimes {
    /// The default frame duration: 25 pictures per second.
    private static let defaultDuration: Int64 = 3600

    /// The decode time and the presentation time of a picture.
    struct Times {
        var decode: Int64
        var presentation: Int64
    }

    private var state = ProgramClock.StreamState()
    private var last: Times?
    /// The frame duration: first from the parameter sets, then measured from timestamps.
    private var duration: Int64
    /// The last decode time with a timestamp, on the timeline, and the number of pictures since.
    private var lastTimestamp: Int64?
    private var countSince: Int64 = 0
    /// The number of pictures without timestamps.
    private(set) var estimatedCount = 0
    /// The number of decode times that did not increase.
    private(set) var nonIncreasingCount = 0

    /// - Parameter duration: The frame duration in the parameter sets; nil if they do not specify it.
    init(duration: Int64? = nil) { self.duration = duration ?? Self.defaultDuration }

    /// The decode time of the next picture if it has the same duration; nil before the first one.
    var expected: Int64? { last.map { $0.decode + duration } }

    private var expectation: ProgramClock.Expectation? {
        last.map { .init(time: $0.decode + duration, earliest: $0.decode - ProgramClock.maximumOverlap) }
    }

    /// Returns the difference between a decode time in a packet and the expected one; nil before the first picture.
    func difference(of time: Int64, clock: ProgramClock) -> Int64? {
        guard let expectation, let mapped = clock.mapped(time, expected: expectation, state: state) else { return nil }
        return mapped - expectation.time
    }

    /// Returns the times of the next picture in decoding order.
    mutating func next(_ timestamps: PacketTimes.Entry?, clock: ProgramClock) -> Times {
        let expected = expected
        countSince += 1
        guard let timestamps, let decode = timestamps.decode else {
            estimatedCount += 1
            // Use the composition offset of the previous picture.
            let delay = last.map { $0.presentation - $0.decode } ?? 0
            let times = Times(decode: expected ?? 0, presentation: (expected ?? 0) + delay)
            last = times
            return times
        }
        let offset = clock.offset(decode, expected: expectation, state: &state)
        var times = Times(decode: decode + offset, presentation: (timestamps.presentation ?? decode) + offset)
        if let last, times.decode <= last.decode {
            nonIncreasingCount += 1
            times.decode = last.decode + 1
        }
        if let lastTimestamp {
            let step = (times.decode - lastTimestamp) / countSince
            if (1...ProgramClock.rate).contains(step) { duration = step }
        }
        lastTimestamp = times.decode
        countSince = 0
        last = times
        return times
    }

    /// The duration of the last picture, equal to that of the one before.
    var lastDuration: Int64 { duration }
}
