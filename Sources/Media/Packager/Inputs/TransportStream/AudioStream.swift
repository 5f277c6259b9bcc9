import ByteCoding
import MediaFormats

/// Makes samples of an audio stream.
final class AudioStream<Framing: AudioFraming>: ElementaryStream {
    /// A sample that waits.
    private struct Frame {
        var bytes: GatheredBytes
        var range: Range<Int>
        var decode: Int64
        var duration: UInt32
    }

    /// A sample of the packet that is being taken.
    private struct NewFrame {
        var frame: AudioFrame
        var range: Range<Int>
    }

    let label: String
    private let clock: ProgramClock
    private var framing = Framing()
    private var packets = PacketTimes()
    /// How many bytes of the elementary stream have come.
    private var streamEnd = 0
    private var times: AudioTimes?
    private var description: AudioTrackDescription?
    private var identity: UInt64 = 0
    private var frames = Queue<Frame>()
    private var hasEnded = false
    private var isDescribed = false
    /// Why the stream cannot be read.
    private var failure: ParseError?
    /// How many frames had another rate or other channels than the first one.
    private var strangers = 0
    private(set) var heldBytes = 0

    /// Starts at the beginning of a stream.
    init(label: String, clock: ProgramClock) {
        self.label = label
        self.clock = clock
    }

    var isReady: Bool { firstPresentation != nil && !frames.isEmpty }
    var firstPresentation: Int64? { times?.start }
    /// A few strange frames are damage, many are another configuration.
    var changes: Int { strangers / 8 }
    var absence: String { failure.map { "\($0)" } ?? "no frame with a timestamp came" }

    func take(_ packet: TransportDemuxer.Packet) throws {
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

    /// Copies the samples of a packet into one piece of memory, then gives them their times.
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
            // A stream that was described already cannot be left out any more.
            guard !isDescribed else { throw error }
            failure = error
        }
        let gathered = GatheredBytes(bytes)
        for item in new { take(item, gathered) }
    }

    private func take(_ new: NewFrame, _ bytes: GatheredBytes) {
        let said = packets.take(at: new.frame.offset)
        guard new.frame.identity == identity else {
            strangers += 1
            return
        }
        guard let decode = times?.next(said, duration: new.frame.duration, clock: clock) else { return }
        heldBytes += new.range.count
        frames.append(Frame(bytes: bytes, range: new.range, decode: decode, duration: new.frame.duration))
    }

    func makeTrack(origin: Int64, language: String) throws -> MediaTrack {
        guard let description, let times, let start = times.start else { throw TransportFailure.notReady }
        isDescribed = true
        let delay = UInt64(clamping: times.toSamples(start - origin))
        let timing = TrackTiming(timescale: UInt32(description.rate), mediaTime: 0, delay: delay)
        return description.track(timing: timing, language: language)
    }

    var nextDecodeTime: Int64? { frames.count > 1 || hasEnded ? frames.first.flatMap(onProgramLine) : nil }
    var lastDecodeTime: Int64? { frames.last.flatMap(onProgramLine) }

    private func onProgramLine(_ frame: Frame) -> Int64? {
        times.flatMap { times in times.start.map { $0 + times.onProgramLine(frame.decode) } }
    }

    func next() -> MediaSample? {
        guard frames.count > 1 || hasEnded, let frame = frames.removeFirst() else { return nil }
        heldBytes -= frame.range.count
        // What follows a gap makes the frame before it last longer.
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
        func warn(_ count: Int, _ words: String) {
            if count > 0 { warnings.append("\(label): \(count) \(words)") }
        }
        warn(times?.early ?? 0, "frames before the first timestamp are left out")
        warn(times?.gaps ?? 0, "gaps; the frame before each lasts as much longer")
        warn(times?.overlaps ?? 0, "frames are left out, since others came for the same time before")
        warn(strangers, "frames have another rate or other channels than the first one, and are left out")
        warn(framing.damage, "times there were bytes that belong to no frame")
        return warnings
    }
}
