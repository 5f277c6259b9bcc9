import MediaFormats

/// Assigns decode times to the samples of an audio stream. Frames follow one another without gaps. The result is
/// compared with the timestamps of the PES packets; if they differ by more than half a frame, the timestamps take
/// precedence, so that audio and video stay in sync.
struct AudioTimes {
    private let rate: Int64
    private var state = ProgramClock.StreamState()
    /// The time of the first frame on the program's timeline, in units of 1/90,000 second; nil before it.
    private(set) var start: Int64?
    /// The decode time of the next frame, in samples from the first frame.
    private var position: Int64 = 0
    /// The duration of upcoming frames that overlap frames already returned, in samples.
    private var overlap: Int64 = 0
    /// The number of gaps, and their total duration in samples.
    private(set) var gaps = 0
    private(set) var gapLength: Int64 = 0
    /// The number of frames dropped because earlier frames cover their time.
    private(set) var overlaps = 0
    /// The number of frames before the first timestamp.
    private(set) var earlyCount = 0

    /// - Parameter rate: The sample rate in hertz.
    init(rate: Int) { self.rate = Int64(rate) }

    /// Returns the decode time of the next frame, in samples from the first one; nil if the frame must be dropped.
    mutating func next(_ timestamps: PacketTimes.Entry?, duration: UInt32, clock: ProgramClock) -> Int64? {
        if let time = timestamps?.presentation {
            let expected = start.map { $0 + programTime(position) }
            let mapped = time + clock.offset(time, expected: expected, state: &state)
            if let start {
                compare(toSamples(mapped - start), duration)
            } else {
                start = mapped
            }
        }
        guard start != nil else {
            earlyCount += 1
            return nil
        }
        if overlap > Int64(duration) / 2 {
            overlap -= Int64(duration)
            overlaps += 1
            return nil
        }
        overlap = 0
        defer { position += Int64(duration) }
        return position
    }

    private mutating func compare(_ time: Int64, _ duration: UInt32) {
        let difference = time - position
        overlap = 0
        if difference > Int64(duration) / 2 {
            gaps += 1
            gapLength += difference
            position = time
        } else if difference < -Int64(duration) / 2 {
            overlap = -difference
        }
    }

    /// Converts a time of the stream to units of 1/90,000 second.
    func programTime(_ samples: Int64) -> Int64 { RationalTime(samples, timescale: UInt32(rate)).converted(to: 90_000) }

    /// Converts a time of the program to samples.
    func toSamples(_ time: Int64) -> Int64 {
        RationalTime(time, timescale: UInt32(ProgramClock.rate)).converted(to: UInt32(rate))
    }
}
