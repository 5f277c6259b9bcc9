public import ByteCoding

/// What can be done with whole H.264 samples.
public enum H264AccessUnit {
    /// An access unit delimiter that allows slices of all kinds (7.3.2.4), header included.
    public static let delimiter: [UInt8] = [0x09, 0xF0]

    /// Looks at the headers of a sample's NAL units, and into SEI messages.
    ///
    /// - Parameters:
    ///   - sample: NAL units behind lengths.
    ///   - lengthSize: How many bytes a length has.
    /// - Throws: `ParseError` when the sample's lengths do not fit. A broken SEI message is passed over.
    public static func summary(_ sample: RawSpan, lengthSize: Int) throws(ParseError) -> AccessUnitSummary {
        var summary = AccessUnitSummary()
        var units = LengthPrefixedNALUnits(lengthSize: lengthSize)
        var isFirst = true
        var sets = 0
        while let range = try units.next(sample) {
            guard !range.isEmpty else { continue }
            switch H264NALHeader(rawValue: sample.unsafeLoad(fromByteOffset: range.lowerBound, as: UInt8.self)).type {
            case .idrSlice:
                summary.sliceCount += 1
                summary.randomAccess = .idr(mayHaveLeadingPictures: false)
            case .slice, .partitionA: summary.sliceCount += 1
            case .accessUnitDelimiter: summary.startsWithDelimiter = summary.startsWithDelimiter || isFirst
            case .sequenceParameterSet: sets |= 1
            case .pictureParameterSet: sets |= 2
            case .sei where summary.randomAccess == .none:
                let messages = (try? SEIMessage.messages(sample.extracting(range), headerSize: 1)) ?? []
                for case .recoveryPoint(let frames, _) in messages {
                    summary.randomAccess = .recoveryPoint(frames: frames)
                }
            default: break
            }
            isFirst = false
        }
        summary.hasParameterSets = sets == 3
        return summary
    }
}

/// Turns samples of a track into access units of a transport stream (ISO/IEC 13818-1, 2.14.1): start codes, a delimiter
/// first, parameter sets before each IDR picture.
public struct H264ByteStreamWriter: Sendable {
    private let lengthSize: Int
    private let start: [UInt8]
    private let startWithSets: [UInt8]

    /// Makes a writer for a track.
    public init(_ configuration: AVCConfigurationBox) {
        lengthSize = configuration.lengthSize
        let sets = configuration.sequenceParameterSets + configuration.pictureParameterSets
        (start, startWithSets) = ByteStreamStart.make(H264AccessUnit.delimiter, sets)
    }

    /// The most bytes that ``write(_:into:at:)`` makes of a sample of `count` bytes.
    public func maximumSize(of count: Int) -> Int {
        startWithSets.count + AnnexB.maximumSize(of: count, lengthSize: lengthSize)
    }

    /// What goes before a sample's NAL units: a delimiter unless it has one, and parameter sets where decoding can
    /// start unless it has them. For those who write the NAL units themselves, since they encrypt them.
    ///
    /// When the sample starts with a delimiter and needs parameter sets, its own delimiter is to be left out.
    public func start(of summary: AccessUnitSummary) -> [UInt8] {
        if summary.randomAccess != .none, !summary.hasParameterSets { return startWithSets }
        return summary.startsWithDelimiter ? [] : start
    }

    /// Writes a sample as an access unit.
    ///
    /// - Returns: How many bytes were written; nil when there was no room.
    /// - Throws: `ParseError` when the sample's lengths do not fit.
    public func write(
        _ sample: RawSpan,
        into output: inout MutableRawSpan,
        at offset: Int = 0
    ) throws(ParseError) -> Int? {
        let summary = try H264AccessUnit.summary(sample, lengthSize: lengthSize)
        let start = start(of: summary)
        var units = LengthPrefixedNALUnits(lengthSize: lengthSize)
        if summary.startsWithDelimiter, !start.isEmpty { try ByteStreamStart.passDelimiter(&units, sample) }
        return try ByteStreamStart.write(start, &units, sample, into: &output, at: offset)
    }
}

/// What the writers of both codecs share.
enum ByteStreamStart {
    /// A delimiter behind its start code, without and with parameter sets.
    static func make(_ delimiter: [UInt8], _ sets: [[UInt8]]) -> ([UInt8], [UInt8]) {
        let start = [0, 0, 0, 1] + delimiter
        return (start, start + sets.flatMap { [0, 0, 0, 1] + $0 })
    }

    /// Passes over empty NAL units and the delimiter that follows.
    static func passDelimiter(_ units: inout LengthPrefixedNALUnits, _ sample: RawSpan) throws(ParseError) {
        while let range = try units.next(sample), range.isEmpty {}
    }

    static func write(
        _ start: [UInt8],
        _ units: inout LengthPrefixedNALUnits,
        _ sample: RawSpan,
        into output: inout MutableRawSpan,
        at offset: Int
    ) throws(ParseError) -> Int? {
        var write = offset
        guard EmulationPrevention.copy(start.span.bytes, 0..<start.count, to: &output, at: &write) else { return nil }
        while let range = try units.next(sample) {
            guard AnnexB.append(sample, range, to: &output, at: &write) else { return nil }
        }
        return write - offset
    }
}
