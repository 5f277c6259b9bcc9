import MediaFormats

/// Gives each picture its times on the program's time line. What packets do not say is worked out from the pictures
/// before.
struct VideoTimes {
    /// What most streams have: 25 pictures a second.
    private static let usualDuration: Int64 = 3600

    /// When a picture is decoded and presented.
    struct Times {
        var decode: Int64
        var presentation: Int64
    }

    private var line = ProgramClock.Line()
    private var last: Times?
    /// How long pictures last, from the last two that were not apart too far.
    private var duration: Int64 = usualDuration
    /// How many pictures had no times.
    private(set) var guesses = 0
    /// How many decode times did not grow.
    private(set) var disorder = 0

    /// The times of the next picture in decoding order.
    mutating func next(_ said: PacketTimes.Entry?, clock: ProgramClock) -> Times {
        let expected = last.map { $0.decode + duration }
        guard let said, let decode = said.decode else {
            guesses += 1
            // As late behind its decoding as the picture before.
            let delay = last.map { $0.presentation - $0.decode } ?? 0
            return take(Times(decode: expected ?? 0, presentation: (expected ?? 0) + delay))
        }
        let distance = clock.distance(decode, expected: expected, line: &line)
        var times = Times(decode: decode + distance, presentation: (said.presentation ?? decode) + distance)
        if let last, times.decode <= last.decode {
            disorder += 1
            times.decode = last.decode + 1
        }
        return take(times)
    }

    private mutating func take(_ times: Times) -> Times {
        if let last {
            let step = times.decode - last.decode
            if (1...ProgramClock.rate).contains(step) { duration = step }
        }
        last = times
        return times
    }

    /// How long the last picture lasts: as long as the one before.
    var lastDuration: Int64 { duration }
}
