import MediaFormats

/// Gives each sample of an audio stream its decode time. Frames follow one another without gaps; the timestamps of PES
/// packets are held against that on the way, and where both part by more than half a frame, the timestamps win, so that
/// sound and picture stay together.
struct AudioTimes {
    private let rate: Int64
    private var line = ProgramClock.Line()
    /// Where the first frame is on the program's time line, in units of 1/90,000 second; nil before it.
    private(set) var start: Int64?
    /// Where the stream goes on, in samples from the first frame.
    private var position: Int64 = 0
    /// How far the frames that come have been played already, in samples.
    private var overlap: Int64 = 0
    /// How many gaps there were, and how long they were together, in samples.
    private(set) var gaps = 0
    private(set) var gapLength: Int64 = 0
    /// How many frames were left out, since others have been at their time.
    private(set) var overlaps = 0
    /// How many frames came before the first timestamp.
    private(set) var early = 0

    /// - Parameter rate: Samples a second.
    init(rate: Int) { self.rate = Int64(rate) }

    /// When the next frame is decoded, in samples from the first one; nil when it is to be left out.
    mutating func next(_ said: PacketTimes.Entry?, duration: UInt32, clock: ProgramClock) -> Int64? {
        if let time = said?.presentation {
            let expected = start.map { $0 + onProgramLine(position) }
            let mapped = time + clock.distance(time, expected: expected, line: &line)
            if let start {
                compare(toSamples(mapped - start), duration)
            } else {
                start = mapped
            }
        }
        guard start != nil else {
            early += 1
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

    /// A time of the stream in units of 1/90,000 second.
    func onProgramLine(_ samples: Int64) -> Int64 { MediaTime(samples, timescale: UInt32(rate)).converted(to: 90_000) }

    /// A time of the program's in samples.
    func toSamples(_ time: Int64) -> Int64 {
        MediaTime(time, timescale: UInt32(ProgramClock.rate)).converted(to: UInt32(rate))
    }
}
