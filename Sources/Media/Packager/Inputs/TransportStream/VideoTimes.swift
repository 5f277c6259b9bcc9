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
    /// How long pictures last: as parameter sets say it, then as timestamps show it.
    private var duration: Int64
    /// The last decode time that was said, on the time line, and how many pictures came since.
    private var lastSaid: Int64?
    private var countSince: Int64 = 0
    /// How many pictures had no times.
    private(set) var guesses = 0
    /// How many decode times did not grow.
    private(set) var disorder = 0

    /// - Parameter duration: How long pictures last, as far as parameter sets say it.
    init(duration: Int64? = nil) { self.duration = duration ?? Self.usualDuration }

    /// The times of the next picture in decoding order.
    mutating func next(_ said: PacketTimes.Entry?, clock: ProgramClock) -> Times {
        let expected = last.map { $0.decode + duration }
        countSince += 1
        guard let said, let decode = said.decode else {
            guesses += 1
            // As late behind its decoding as the picture before.
            let delay = last.map { $0.presentation - $0.decode } ?? 0
            let times = Times(decode: expected ?? 0, presentation: (expected ?? 0) + delay)
            last = times
            return times
        }
        let distance = clock.distance(decode, expected: expected, line: &line)
        var times = Times(decode: decode + distance, presentation: (said.presentation ?? decode) + distance)
        if let last, times.decode <= last.decode {
            disorder += 1
            times.decode = last.decode + 1
        }
        if let lastSaid {
            let step = (times.decode - lastSaid) / countSince
            if (1...ProgramClock.rate).contains(step) { duration = step }
        }
        lastSaid = times.decode
        countSince = 0
        last = times
        return times
    }

    /// How long the last picture lasts: as long as the one before.
    var lastDuration: Int64 { duration }
}
