import ByteCoding
import MediaFormats

/// The frames of an audio segment, in PES packets of up to 0.1 s.
struct AudioPayloads: TransportPayloads {
    /// The maximum payload of a PES packet, whose length field has 16 bits.
    private static let maximumSize = 65_535 - 13
    /// The maximum overhead of a frame before its sample: the ADTS header and the channel configuration.
    private static let maximumOverhead = 512

    private let samples: [MediaSample]
    /// The index of the next sample to buffer.
    private var index = 0
    private(set) var timeline: TransportTimeline
    private var frames: AudioFrames

    /// The buffered PES packets with their byte ranges, and the number of them that have been started.
    private var units: [(unit: TransportUnit, range: Range<Int>)] = []
    private var count = 0
    /// The number of bytes of the current packet already written.
    private var written = 0

    /// Creates the payloads of a segment.
    init(_ frames: AudioFrames, _ samples: [MediaSample], _ timeline: TransportTimeline) {
        self.frames = frames
        self.samples = samples.filter { $0.size > 0 }
        self.timeline = timeline
        self.timeline.begin(samples)
    }

    mutating func next() throws -> TransportUnit? {
        if count == units.count { try gather() }
        guard count < units.count else { return nil }
        count += 1
        written = 0
        return units[count - 1].unit
    }

    /// Buffers PES packets until they are enough for one call of the cipher.
    private mutating func gather() throws {
        units.removeAll(keepingCapacity: true)
        count = 0
        frames.removeAll()
        while index < samples.count, frames.bytes.count < AudioFrames.partSize {
            let first = samples[index]
            let start = frames.bytes.count
            var duration: Int64 = 0
            repeat {
                duration += timeline.duration(samples[index])
                try frames.append(samples[index])
                index += 1
            } while index < samples.count && fits(duration, frames.bytes.count - start, for: samples[index])
            let unit = TransportUnit(
                size: frames.bytes.count - start,
                hasLength: true,
                times: timeline.next(first),
                duration: duration,
                isRandomAccess: true,
                keyFrame: nil
            )
            units.append((unit, start..<frames.bytes.count))
        }
        try frames.encrypt()
    }

    private func fits(_ duration: Int64, _ size: Int, for sample: MediaSample) -> Bool {
        duration + timeline.duration(sample) <= TransportTimeline.clockInterval
            && size + sample.size + Self.maximumOverhead <= Self.maximumSize
    }

    mutating func write(
        with packetizer: inout TransportPacketizer,
        into output: inout MutableRawSpan,
        at offset: inout Int
    ) {
        guard count > 0 else { return }
        let range = units[count - 1].range
        let bytes = frames.bytes
        let rest = bytes.span.bytes.extracting(range.lowerBound + written..<range.upperBound)
        written += packetizer.write(rest, into: &output, at: &offset)
    }
}
