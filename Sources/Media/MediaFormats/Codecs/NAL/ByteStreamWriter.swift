public import ByteCoding

/// Turns samples of a video track into access units of a transport stream (ISO/IEC 13818-1, 2.14.1 and 2.17.1): start
/// codes, a delimiter first, parameter sets wherever decoding can start.
public struct ByteStreamWriter: Sendable {
    /// What the samples' NAL units are.
    public enum Codec: Sendable {
        case h264
        case hevc
    }

    /// What the samples' NAL units are.
    public let codec: Codec
    /// How many bytes a length in a sample has.
    public let lengthSize: Int
    private let start: [UInt8]
    private let startWithSets: [UInt8]

    /// Makes a writer for a track of H.264.
    public init(_ configuration: AVCConfigurationBox) {
        let sets = configuration.sequenceParameterSets + configuration.pictureParameterSets
        self.init(.h264, configuration.lengthSize, H264AccessUnit.delimiter, sets)
    }

    /// Makes a writer for a track of HEVC.
    public init(_ configuration: HEVCConfigurationBox) {
        let sets = [.videoParameterSet, .sequenceParameterSet, .pictureParameterSet].flatMap(configuration.units)
        self.init(.hevc, configuration.lengthSize, HEVCAccessUnit.delimiter, sets)
    }

    private init(_ codec: Codec, _ lengthSize: Int, _ delimiter: [UInt8], _ sets: [[UInt8]]) {
        self.codec = codec
        self.lengthSize = lengthSize
        start = [0, 0, 0, 1] + delimiter
        startWithSets = start + sets.flatMap { [0, 0, 0, 1] + $0 }
    }

    /// The most bytes that ``write(_:into:at:)`` makes of a sample of `count` bytes.
    public func maximumSize(of count: Int) -> Int {
        startWithSets.count + AnnexB.maximumSize(of: count, lengthSize: lengthSize)
    }

    /// What kinds of NAL units a sample holds.
    ///
    /// - Throws: `ParseError` when the sample's lengths do not fit. A broken SEI message is passed over.
    public func summary(_ sample: RawSpan) throws(ParseError) -> AccessUnitSummary {
        switch codec {
        case .h264: try H264AccessUnit.summary(sample, lengthSize: lengthSize)
        case .hevc: try HEVCAccessUnit.summary(sample, lengthSize: lengthSize)
        }
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
        let summary = try summary(sample)
        let start = start(of: summary)
        var units = LengthPrefixedNALUnits(lengthSize: lengthSize)
        if summary.startsWithDelimiter, !start.isEmpty {
            // Past empty NAL units and the delimiter that follows.
            while let range = try units.next(sample), range.isEmpty {}
        }
        var write = offset
        guard EmulationPrevention.copy(start.span.bytes, 0..<start.count, to: &output, at: &write) else { return nil }
        while let range = try units.next(sample) {
            guard AnnexB.append(sample, range, to: &output, at: &write) else { return nil }
        }
        return write - offset
    }
}
