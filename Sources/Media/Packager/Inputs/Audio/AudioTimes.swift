import MediaFormats

/// Assigns decode times to the samples of an audio stream. Frames follow one another without gaps. The result is
/// compared with the timestamps of the PES packets; if these are later by more than half a frame, they take precedence,
/// so that audio and video stay in sync. If they are earlier, because frames overlap, no frame is dropped: the audio is
/// late until there is a gap, by at most ``maximumDelay``.
struct AudioTimes {
    /// The maximum duration by which audio is late because frames overlap, in units of 1/90,000 second: 100 ms. Viewers
    /// notice late audio from 125 ms on (ITU-R BT.1359-1). A larger overlap is a jump of the timestamps.
    static let maximumDelay: Int64 = 9000

    private let rate: Int64
    private var state = ProgramClock.StreamState()
    /// The time of the first frame on the program's timeline, in units of 1/90,000 second; nil before it.
    private(set) var start: Int64?
    /// The decode time of the next frame, in samples from the first frame.
    private var position: Int64 = 0
    /// The number of gaps.
    private(set) var gaps = 0

    /// - Parameter rate: The sample rate in hertz.
    init(rate: Int) { self.rate = Int64(rate) }

    /// The time of the next frame on the program's timeline; nil before the first one.
    var expected: Int64? { start.map { $0 + programTime(position) } }

    private var expectation: ProgramClock.Expectation? {
        expected.map { .init(time: $0, earliest: $0 - Self.maximumDelay) }
    }

    /// Returns the difference between a timestamp and the expected one; nil before the first frame.
    func difference(of time: Int64, clock: ProgramClock) -> Int64? {
        guard let expectation, let mapped = clock.mapped(time, expected: expectation, state: state) else { return nil }
        return mapped - expectation.time
    }

    /// Returns the decode time of the next frame, in samples from the first one; nil if it has no time.
    mutating func next(_ frame: ParsedAudioFrame, clock: ProgramClock) -> Int64? {
        if let time = frame.time, frame.hasTimestamp || start == nil {
            let mapped = time + clock.offset(time, expected: expectation, state: &state)
            if let start {
                let difference = toSamples(mapped - start) - position
                if difference > Int64(frame.duration) / 2 {
                    gaps += 1
                    position += difference
                }
            } else {
                start = mapped
            }
        }
        guard start != nil else { return nil }
        defer { position += Int64(frame.duration) }
        return position
    }

    /// Converts a time of the stream to units of 1/90,000 second.
    func programTime(_ samples: Int64) -> Int64 { RationalTime(samples, timescale: UInt32(rate)).converted(to: 90_000) }

    /// Converts a time of the program to samples.
    func toSamples(_ time: Int64) -> Int64 {
        RationalTime(time, timescale: UInt32(ProgramClock.rate)).converted(to: UInt32(rate))
    }
}
