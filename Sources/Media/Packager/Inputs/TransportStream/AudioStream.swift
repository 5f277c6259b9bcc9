import ByteCoding
import MediaFormats

/// Creates samples from an audio stream.
final class AudioStream<Framing: AudioFraming>: ElementaryStream {
    /// A buffered sample.
    private struct Frame {
        var bytes: BufferedBytes
        var range: Range<Int>
        var decode: Int64
        var duration: UInt32
    }

    /// A sample of the current packet.
    private struct NewFrame {
        var frame: AudioFrame
        var range: Range<Int>
    }

    let label: String
    private let clock: ProgramClock
    private var framing = Framing()
    private var packets = PacketTimes()
    /// The number of bytes of the elementary stream received.
    private var streamEnd = 0
    private var times: AudioTimes?
    private var description: AudioTrackDescription?
    private var identity: UInt64 = 0
    private var frames = Queue<Frame>()
    private var hasEnded = false
    private var isDescribed = false
    /// The error that makes the stream unreadable.
    private var failure: ParseError?
    /// The number of frames whose sample rate or channels differ from the first frame.
    private var mismatchedFrames = 0
    private(set) var bufferedBytes = 0

    /// Starts at the beginning of a stream.
    init(label: String, clock: ProgramClock) {
        self.label = label
        self.clock = clock
    }

    var isReady: Bool { firstPresentation != nil && !frames.isEmpty }
    var firstPresentation: Int64? { times?.start }
    /// The number of configuration changes. A few differing frames indicate damage, many another configuration.
    var changes: Int { mismatchedFrames / 8 }
    var notReadyReason: String { failure.map { "\($0)" } ?? "it contains no frame with a timestamp" }

    func consume(_ packet: TransportDemuxer.Packet) throws {
        packets.append(packet, at: streamEnd)
        streamEnd += packet.payload.count
        try gather(reserving: packet.payload.count) { [unowned self] body in
            try self.framing.feed(packet.payload.span.bytes, body)
        }
    }

    func finish() throws {
        if streamEnd > 0 { try gather(reserving: 0) { [unowned self] body in try self.framing.finish(body) } }
        hasEnded = true
    }

    /// Copies the samples of a packet into a single buffer, then assigns their times.
    private func gather(
        reserving count: Int,
        _ feed: ((AudioFrame, RawSpan) throws -> Void) throws -> Void
    ) throws {
        guard failure == nil else { return }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        var new: [NewFrame] = []
        do {
            try feed { frame, whole in
                if description == nil {
                    let description = try Framing.description(of: whole)
                    self.description = description
                    times = AudioTimes(rate: description.rate)
                    identity = frame.identity
                }
                let start = bytes.count
                whole.extracting(frame.sample).withUnsafeBytes { bytes.append(contentsOf: $0) }
                new.append(NewFrame(frame: frame, range: start..<bytes.count))
            }
        } catch let error as ParseError {
            // A stream that already has a track can no longer be skipped.
            guard !isDescribed else { throw error }
            failure = error
        }
        let buffer = BufferedBytes(bytes)
        for item in new { consume(item, buffer) }
    }

    private func consume(_ new: NewFrame, _ bytes: BufferedBytes) {
        let timestamps = packets.removeEntry(at: new.frame.offset)
        guard new.frame.identity == identity else {
            mismatchedFrames += 1
            return
        }
        guard let decode = times?.next(timestamps, duration: new.frame.duration, clock: clock) else { return }
        bufferedBytes += new.range.count
        frames.append(Frame(bytes: bytes, range: new.range, decode: decode, duration: new.frame.duration))
    }

    func makeTrack(origin: Int64, language: String) throws -> MediaTrack {
        guard let description, let times, let start = times.start else { throw TransportFailure.notReady }
        isDescribed = true
        let delay = UInt64(clamping: times.toSamples(start - origin))
        let timing = TrackTiming(timescale: UInt32(description.rate), mediaTime: 0, delay: delay)
        return description.track(timing: timing, language: language)
    }

    var nextDecodeTime: Int64? { frames.count > 1 || hasEnded ? frames.first.flatMap(programTime) : nil }
    var lastDecodeTime: Int64? { frames.last.flatMap(programTime) }

    private func programTime(_ frame: Frame) -> Int64? {
        times.flatMap { times in times.start.map { $0 + times.programTime(frame.decode) } }
    }

    func next() -> MediaSample? {
        guard frames.count > 1 || hasEnded, let frame = frames.removeFirst() else { return nil }
        bufferedBytes -= frame.range.count
        // A gap extends the duration of the frame before it.
        let duration = frames.first.map { UInt32(clamping: $0.decode - frame.decode) } ?? frame.duration
        return MediaSample(
            bytes: frame.bytes,
            offset: frame.range.lowerBound,
            size: frame.range.count,
            decodeTime: frame.decode,
            duration: duration
        )
    }

    var warnings: [String] {
        var warnings: [String] = []
        func warn(_ count: Int, _ text: String) {
            if count > 0 { warnings.append("\(label): \(count) \(text)") }
        }
        warn(times?.earlyCount ?? 0, "frames before the first timestamp are skipped")
        warn(times?.gaps ?? 0, "gaps; the frame before each gap is extended")
        warn(times?.overlaps ?? 0, "frames are skipped because they overlap earlier frames")
        warn(mismatchedFrames, "frames are skipped because their sample rate or channels differ from the first frame")
        warn(framing.damage, "byte sequences outside of audio frames are skipped")
        return warnings
    }
}
