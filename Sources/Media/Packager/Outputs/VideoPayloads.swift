import ByteCoding
import MediaFormats

/// The access units of a segment as byte streams (ISO/IEC 13818-1, 2.14 and 2.17): a delimiter, parameter sets at key
/// frames, NAL units after start codes. Clear NAL units are copied from the input directly into packets.
struct VideoPayloads: TransportPayloads {
    /// A range of source bytes. A payload is a list of ranges.
    private struct SourceRange {
        enum Source {
            /// The delimiter and parameter sets.
            case start
            /// The start code before a NAL unit.
            case startCode
            /// The sample.
            case sample
            /// The encrypted NAL units.
            case encrypted
            /// An emulation prevention byte.
            case escape
        }

        var source: Source
        var range: Range<Int>
    }

    private static let startCode: [UInt8] = [0, 0, 0, 1]
    private static let escape: [UInt8] = [3]

    private let codec: VideoByteStream
    private let samples: [MediaSample]
    /// The index of the next sample; the current one is the one before.
    private var index = 0
    private(set) var timeline: TransportTimeline
    private var encryption: VideoEncryption?

    private var start: [UInt8] = []
    private var ranges: [SourceRange] = []
    /// The index of the current range, and the number of its bytes already written.
    private var rangeIndex = 0
    private var written = 0

    /// Creates the payloads of a segment.
    ///
    /// - Parameter encryption: The encryption of slices; nil if they are clear.
    init(
        _ codec: VideoByteStream,
        _ samples: [MediaSample],
        _ timeline: TransportTimeline,
        encryption: VideoEncryption? = nil
    ) {
        self.codec = codec
        self.samples = samples.filter { $0.size > 0 }
        self.timeline = timeline
        self.timeline.begin(samples)
        self.encryption = encryption
    }

    mutating func next() throws -> TransportUnit? {
        guard index < samples.count else { return nil }
        if let encryption, encryption.end <= index { try encryption.gather(samples, from: index, codec) }
        let sample = samples[index]
        index += 1
        ranges.removeAll(keepingCapacity: true)
        (rangeIndex, written) = (0, 0)
        let isRandomAccess = try sample.withBytes { try list($0, sample) }
        return TransportUnit(
            size: ranges.reduce(0) { $0 + $1.range.count },
            hasLength: false,
            times: timeline.next(sample),
            duration: timeline.duration(sample),
            isRandomAccess: isRandomAccess,
            keyFrame: sample.isSync ? timeline.presentationTime(sample) : nil
        )
    }

    /// Lists the ranges of a sample.
    ///
    /// - Returns: Whether decoding can start with the sample.
    private mutating func list(_ bytes: RawSpan, _ sample: MediaSample) throws -> Bool {
        var summary = try codec.summary(bytes, base: sample.offset)
        // A sample that the container marks as a sync sample gets parameter sets, so that it can be decoded
        // independently.
        if sample.isSync, summary.randomAccess == .none { summary.randomAccess = .recoveryPoint(frames: 0) }
        start = codec.start(of: summary)
        append(.start, 0..<start.count)
        var dropsDelimiter = summary.startsWithDelimiter && !start.isEmpty
        var units = LengthPrefixedNALUnits(lengthSize: codec.lengthSize, base: sample.offset)
        while let range = try units.next(bytes) {
            guard !range.isEmpty else { continue }
            guard !dropsDelimiter else {
                dropsDelimiter = false
                continue
            }
            append(.startCode, 0..<4)
            if let encryption, codec.isEncrypted(bytes.extracting(range)) {
                append(encryption.nextRange(range.count), encryption)
            } else {
                append(.sample, range)
            }
        }
        return summary.randomAccess.isSyncSample || sample.isSync
    }

    private mutating func append(_ source: SourceRange.Source, _ range: Range<Int>) {
        if !range.isEmpty { ranges.append(SourceRange(source: source, range: range)) }
    }

    /// Lists an encrypted NAL unit with new emulation prevention bytes: a decryptor removes them first.
    private mutating func append(_ range: Range<Int>, _ encryption: VideoEncryption) {
        let bytes = encryption.bytes
        let unit = bytes.span.bytes.extracting(range)
        var from = 0
        while let end = EmulationPrevention.nextInsertion(in: unit, from: from) {
            append(.encrypted, range.lowerBound + from..<range.lowerBound + end)
            append(.escape, 0..<1)
            from = end
        }
        append(.encrypted, range.lowerBound + from..<range.upperBound)
    }

    mutating func write(
        with packetizer: inout TransportPacketizer,
        into output: inout MutableRawSpan,
        at offset: inout Int
    ) {
        guard index > 0 else { return }
        let sample = samples[index - 1]
        let encrypted = encryption?.bytes ?? []
        sample.bytes.withBytes { input in
            while rangeIndex < ranges.count {
                let (source, whole) = (ranges[rangeIndex].source, ranges[rangeIndex].range)
                let range = whole.lowerBound + written..<whole.upperBound
                let count: Int
                switch source {
                case .start:
                    count = packetizer.write(start.span.bytes.extracting(range), into: &output, at: &offset)
                case .startCode:
                    count = packetizer.write(Self.startCode.span.bytes.extracting(range), into: &output, at: &offset)
                case .sample:
                    let part = range.lowerBound + sample.offset..<range.upperBound + sample.offset
                    count = packetizer.write(input.extracting(part), into: &output, at: &offset)
                case .encrypted:
                    count = packetizer.write(encrypted.span.bytes.extracting(range), into: &output, at: &offset)
                case .escape:
                    count = packetizer.write(Self.escape.span.bytes, into: &output, at: &offset)
                }
                guard count == range.count else {
                    written += count
                    return
                }
                (rangeIndex, written) = (rangeIndex + 1, 0)
            }
        }
    }
}
