/// Measures the frame rate of video from the durations of its samples.
///
/// The maximum is that of any 100 successive frames, or of any 10 if it is clearly higher: single frames have uneven
/// durations in many files, because times are rounded to the timescale.
struct FrameRateMeter: Sendable {
    /// The shortest duration of a number of successive samples.
    private struct Window: Sendable {
        private var durations: [UInt32] = []
        private let count: Int
        private var next = 0
        private var sum: UInt64 = 0
        private(set) var shortest: UInt64?

        init(count: Int) { self.count = count }

        mutating func append(_ duration: UInt32) {
            // A window counts when another sample follows: the duration of the last sample is often wrong.
            if durations.count == count { shortest = min(shortest ?? .max, sum) }
            sum += UInt64(duration)
            if durations.count < count { return durations.append(duration) }
            sum -= UInt64(durations[next])
            durations[next] = duration
            next = (next + 1) % count
        }

        /// Returns the highest rate in frames per second; nil if there were too few samples.
        func rate(_ timescale: UInt32) -> Double? {
            guard let shortest, shortest > 0 else { return nil }
            return Double(count) * Double(timescale) / Double(shortest)
        }
    }

    private let timescale: UInt32
    private var long = Window(count: 100)
    private var short = Window(count: 10)
    /// The number of samples.
    private(set) var count = 0
    private var duration: UInt64 = 0

    /// Starts a measurement of durations in units of 1/timescale second.
    init(timescale: UInt32) { self.timescale = timescale }

    /// Adds the duration of the next sample.
    mutating func append(_ sample: UInt32) {
        long.append(sample)
        short.append(sample)
        count += 1
        duration += UInt64(sample)
    }

    /// The total duration of the samples in seconds.
    var seconds: Double { Double(duration) / Double(timescale) }

    /// The average frame rate in frames per second; nil without samples.
    var average: Double? { duration > 0 ? Double(count) * Double(timescale) / Double(duration) : nil }

    /// The maximum frame rate in frames per second; nil without samples.
    var maximum: Double? {
        guard let average else { return nil }
        let steady = long.rate(timescale) ?? average
        guard let peak = short.rate(timescale), peak > steady * 1.02 else {
            return Self.standard(near: steady, within: 0.0005) ?? steady
        }
        return Self.standard(near: peak, within: 0.01) ?? peak
    }

    private static func standard(near rate: Double, within tolerance: Double) -> Double? {
        let rates: [Double] = [24, 30, 48, 60, 120].flatMap { [$0, $0 * 1000 / 1001] } + [25, 50, 90, 100]
        let nearest = rates.min { abs($0 - rate) < abs($1 - rate) }
        return nearest.flatMap { abs($0 - rate) <= rate * tolerance ? $0 : nil }
    }
}
