import ByteCoding
import MediaFormats
import TextCoding

/// A frame of audio that has been parsed.
struct ParsedAudioFrame {
    /// The buffer that contains the sample, and the sample's range in it.
    var bytes: BufferedBytes
    var range: Range<Int>
    /// The duration in samples.
    var duration: UInt32
    /// The presentation time in units of 1/90,000 second: of its packet, or derived from the previous frames.
    var time: Int64?
    /// True if the time is that of its packet.
    var hasTimestamp: Bool
    /// The number of its configuration, and the configuration.
    var configuration: Int
    var description: AudioTrackDescription
    /// The number of program map tables that applied when it started.
    var mapCount: Int
}

/// Parses an audio stream.
final class AudioStream<Framing: AudioFraming>: ElementaryStream {
    /// A sample of the current packet.
    private struct NewFrame {
        var frame: AudioFrame
        var range: Range<Int>
        /// The configuration; nil if it cannot be read.
        var description: AudioTrackDescription?
    }

    let label: String
    let isVideo = false
    let configurationName = "sample rate, channels or profile"
    private var framing = Framing()
    private var packets = PacketTimes()
    /// The number of bytes of the elementary stream received.
    private var streamEnd = 0
    /// The position at which the framing started, and the damage that earlier ones have found.
    private var framingStart = 0
    private var earlierDamage = 0
    /// True if bytes of the last packet are missing.
    private var wasDamaged = false
    private var mapCount = 0
    private var changes = ConfigurationChanges<ParsedAudioFrame>()
    private var described: [UInt64: AudioTrackDescription] = [:]
    private var clock = (time: Int64?.none, samples: Int64(0), rate: 1)
    private var pending = Queue<ParsedAudioFrame>()
    private var pendingBytes = 0
    private var sections: [Int: AudioSection] = [:]
    /// The error that makes the stream unreadable.
    private var failure: ParseError?
    private var earlyCount = 0
    private var unreadableCount = 0

    /// Starts at the beginning of a stream.
    init(label: String) { self.label = label }

    var notReadyReason: String { failure.map { "\($0)" } ?? "it contains no frame with a timestamp" }

    func consume(_ packet: TransportDemuxer.Packet) throws {
        if wasDamaged || packet.isDamaged, Framing.startsFrame(packet.payload) { try restartFraming() }
        wasDamaged = packet.isDamaged
        packets.append(packet, at: streamEnd)
        streamEnd += packet.payload.count
        try gather(reserving: packet.payload.count) { [unowned self] body in
            try self.framing.feed(packet.payload.span.bytes, body)
        }
    }

    func finish() throws {
        if framingStart > 0 {
            try finishFraming()
        } else if streamEnd > 0 {
            try gather(reserving: 0) { [unowned self] body in try self.framing.finish(body) }
        }
        for frame in changes.finish() { append(frame) }
    }

    /// Drops a frame whose end is missing: otherwise it would extend into the frames after a splice.
    private func restartFraming() throws {
        guard streamEnd > framingStart else { return }
        try finishFraming()
        earlierDamage += framing.damage
        framing = Framing()
        framingStart = streamEnd
    }

    /// Returns the last frames before missing bytes; there may be none.
    private func finishFraming() throws {
        try gather(reserving: 0) { [unowned self] body in
            do { try self.framing.finish(body) } catch is ParseError {}
        }
    }

    /// Copies the samples of a packet into a single buffer, then determines their times.
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
                if described[frame.identity] == nil {
                    // Only the first frame decides whether the stream can be packaged; a later one may be damaged.
                    let description =
                        try described.isEmpty ? Framing.description(of: whole) : try? Framing.description(of: whole)
                    described[frame.identity] = description
                }
                let start = bytes.count
                whole.extracting(frame.sample).withUnsafeBytes { bytes.append(contentsOf: $0) }
                new.append(
                    NewFrame(frame: frame, range: start..<bytes.count, description: described[frame.identity])
                )
            }
        } catch let error as ParseError {
            // A stream that already has a track can no longer be skipped.
            guard sections.isEmpty, pending.isEmpty else { throw error }
            failure = error
        }
        let buffer = BufferedBytes(bytes)
        for item in new { parse(item, buffer) }
    }

    private func parse(_ new: NewFrame, _ bytes: BufferedBytes) {
        let timestamps = packets.removeEntry(at: framingStart + new.frame.offset)
        mapCount = max(mapCount, timestamps?.mapCount ?? mapCount)
        guard let description = new.description else { return unreadableCount += 1 }
        if let time = timestamps?.presentation { clock = (time, 0, description.rate) }
        if clock.rate != description.rate { clock = (derivedTime, 0, description.rate) }
        let frame = ParsedAudioFrame(
            bytes: bytes,
            range: new.range,
            duration: new.frame.duration,
            time: derivedTime,
            hasTimestamp: timestamps?.presentation != nil,
            configuration: 0,
            description: description,
            mapCount: mapCount
        )
        clock.samples += Int64(new.frame.duration)
        for var frame in changes.add(frame, identity: new.frame.identity) {
            frame.configuration = changes.number
            append(frame)
        }
    }

    /// The time of the next frame, derived from the last timestamp.
    private var derivedTime: Int64? {
        clock.time.map { $0 + RationalTime(clock.samples, timescale: UInt32(clock.rate)).converted(to: 90_000) }
    }

    private func append(_ frame: ParsedAudioFrame) {
        pendingBytes += frame.range.count
        pending.append(frame)
    }

    var warnings: [String] {
        var warnings: [String] = []
        func warn(_ count: Int, _ noun: String, _ reason: String) {
            if count > 0 { warnings.append("\(label): \(counted(count, noun)) skipped\(reason)") }
        }
        warn(earlyCount, "frame", ", because no timestamp precedes them")
        warn(
            changes.droppedCount + unreadableCount,
            "frame",
            ", because sample rate or channels differ from the frames around them"
        )
        warn(earlierDamage + framing.damage, "byte sequence", " outside of audio frames")
        return warnings
    }

    // MARK: - Waiting frames

    var pendingMapCount: Int? { pending.first?.mapCount }

    var pendingSize: (bytes: Int, duration: Int64) {
        guard let first = pending.first?.time, let last = pending.last?.time else { return (pendingBytes, 0) }
        return (pendingBytes, max(0, last - first))
    }

    func canStart(allowsRecovery: Bool) -> Bool { pending.first?.time != nil }

    func hasOtherConfiguration(than part: Int) -> Bool {
        guard let frame = pending.first, let section = sections[part] else { return false }
        return frame.configuration != section.configuration
    }

    func difference(in part: Int) -> Int64? { pending.first.flatMap { sections[part]?.difference(of: $0) } }

    func isJump(in part: Int) -> Bool {
        guard let difference = difference(in: part) else { return false }
        return difference > ProgramClock.maximumGap || difference < -AudioTimes.maximumDelay
    }

    func presentation(in part: Int) -> Int64? { pending.first.flatMap { sections[part]?.presentation(of: $0) } }

    func accept(in part: Int, _ clock: ProgramClock) {
        guard let frame = pending.removeFirst() else { return }
        pendingBytes -= frame.range.count
        guard frame.time != nil else {
            earlyCount += 1
            return
        }
        let section = sections[part] ?? AudioSection(label: label, clock: clock, first: frame)
        sections[part] = section
        section.append(frame)
    }

    func takeBack(from part: Int, since time: Int64) {
        guard let frames = sections[part]?.takeBack(since: time), !frames.isEmpty else { return }
        pendingBytes += frames.reduce(0) { $0 + $1.range.count }
        var all = Queue<ParsedAudioFrame>()
        for frame in frames { all.append(frame) }
        while let frame = pending.removeFirst() { all.append(frame) }
        pending = all
    }

    func section(_ part: Int) -> (any StreamSection)? { sections[part] }
    func remove(_ part: Int) { sections[part] = nil }
}
