import MediaFormats

/// Creates samples from the audio frames of a part.
final class AudioSection: StreamSection {
    /// A buffered sample.
    private struct Sample {
        var frame: ParsedAudioFrame
        var decode: Int64
    }

    private let label: String
    private let clock: ProgramClock
    private let description: AudioTrackDescription
    /// The number of its configuration in the stream.
    let configuration: Int
    private var times: AudioTimes
    private var samples = Queue<Sample>()
    private(set) var bufferedBytes = 0

    /// Creates a section without samples.
    ///
    /// - Parameter first: The first frame, which must have a time.
    init(label: String, clock: ProgramClock, first: ParsedAudioFrame) {
        self.label = label
        self.clock = clock
        description = first.description
        configuration = first.configuration
        times = AudioTimes(rate: description.rate)
    }

    func append(_ frame: ParsedAudioFrame) {
        guard let decode = times.next(frame, clock: clock) else { return }
        bufferedBytes += frame.range.count
        samples.append(Sample(frame: frame, decode: decode))
    }

    /// Returns the difference between a frame's timestamp and the expected one; nil if it has none.
    func difference(of frame: ParsedAudioFrame) -> Int64? {
        frame.hasTimestamp ? frame.time.flatMap { times.difference(of: $0, clock: clock) } : nil
    }

    /// Returns the presentation time of a frame on the timeline.
    func presentation(of frame: ParsedAudioFrame) -> Int64? {
        times.expected.map { $0 + (difference(of: frame) ?? 0) }
    }

    /// Removes and returns the frames that are presented at a time or later, or at most half a frame before it.
    func takeBack(since time: Int64) -> [ParsedAudioFrame] {
        var kept = Queue<Sample>()
        var taken: [ParsedAudioFrame] = []
        while let sample = samples.removeFirst() {
            let half = times.programTime(Int64(sample.frame.duration)) / 2
            if taken.isEmpty, programTime(sample) < time - half {
                kept.append(sample)
            } else {
                bufferedBytes -= sample.frame.range.count
                taken.append(sample.frame)
            }
        }
        samples = kept
        return taken
    }

    var firstPresentation: Int64? { times.start }
    var end: Int64? { times.expected }
    var isEmpty: Bool { samples.isEmpty }
    var lastDecodeTime: Int64? { samples.last.map(programTime) }
    // Waiting for video at each frame would be needless: audio of one configuration can be divided anywhere.
    var nextStart: Int64? { nil }

    private func programTime(_ sample: Sample) -> Int64 { (times.start ?? 0) + times.programTime(sample.decode) }

    func makeTrack(origin: Int64, language: String) throws -> MediaTrack {
        guard let start = times.start else { throw TransportFailure.notReady }
        let delay = UInt64(clamping: times.toSamples(start - origin))
        let timing = TrackTiming(timescale: UInt32(description.rate), mediaTime: 0, delay: delay)
        return description.track(timing: timing, language: language)
    }

    func nextDecodeTime(isClosed: Bool) -> Int64? {
        samples.count > 1 || isClosed ? samples.first.map(programTime) : nil
    }

    func next(isClosed: Bool) -> MediaSample? {
        guard samples.count > 1 || isClosed, let sample = samples.removeFirst() else { return nil }
        bufferedBytes -= sample.frame.range.count
        // A gap extends the duration of the frame before it.
        let duration = samples.first.map { UInt32(clamping: $0.decode - sample.decode) } ?? sample.frame.duration
        return MediaSample(
            bytes: sample.frame.bytes,
            offset: sample.frame.range.lowerBound,
            size: sample.frame.range.count,
            decodeTime: sample.decode,
            duration: duration
        )
    }

    var warnings: [String] {
        times.gaps > 0 ? ["\(label): \(times.gaps) gaps; the frame before each gap is extended"] : []
    }
}
