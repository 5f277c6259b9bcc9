public import ByteCoding

/// A writer that converts samples of a video track to access units of a transport stream (ISO/IEC 13818-1, 2.14.1 and
/// 2.17.1): with start codes, an access unit delimiter first, and parameter sets at random access points.
public struct ByteStreamWriter: Sendable {
    /// The video codec.
    public enum Codec: Sendable {
        case h264
        case hevc
    }

    /// The codec of the samples.
    public let codec: Codec
    /// The size in bytes of the length before each NAL unit in a sample.
    public let lengthSize: Int
    private let start: [UInt8]
    private let startWithSets: [UInt8]

    /// Creates a writer for an H.264 track.
    public init(_ configuration: AVCConfigurationBox) {
        let sets = configuration.sequenceParameterSets + configuration.pictureParameterSets
        self.init(.h264, configuration.lengthSize, H264AccessUnit.delimiter, sets)
    }

    /// Creates a writer for an HEVC track.
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

    /// Returns the maximum number of bytes that ``write(_:into:at:)`` writes for a sample of `count` bytes.
    public func maximumSize(of count: Int) -> Int {
        startWithSets.count + AnnexB.maximumSize(of: count, lengthSize: lengthSize)
    }

    /// Returns a summary of the NAL units in a sample.
    ///
    /// - Throws: `ParseError` if a NAL unit's length extends beyond the sample. An invalid SEI message is ignored.
    public func summary(_ sample: RawSpan) throws(ParseError) -> AccessUnitSummary {
        switch codec {
        case .h264: try H264AccessUnit.summary(sample, lengthSize: lengthSize)
        case .hevc: try HEVCAccessUnit.summary(sample, lengthSize: lengthSize)
        }
    }

    /// Returns the bytes to write before a sample's NAL units: an access unit delimiter unless the sample has one, and
    /// parameter sets at random access points unless the sample has them. For callers that write the NAL units
    /// themselves, because they encrypt them.
    ///
    /// If the sample starts with a delimiter and the result is not empty, skip the sample's delimiter.
    public func start(of summary: AccessUnitSummary) -> [UInt8] {
        if summary.randomAccess != .none, !summary.hasParameterSets { return startWithSets }
        return summary.startsWithDelimiter ? [] : start
    }

    /// Writes a sample as an access unit.
    ///
    /// - Returns: the number of bytes written; nil if the output is too small.
    /// - Throws: `ParseError` if a NAL unit's length extends beyond the sample.
    public func write(
        _ sample: RawSpan,
        into output: inout MutableRawSpan,
        at offset: Int = 0
    ) throws(ParseError) -> Int? {
        let summary = try summary(sample)
        let start = start(of: summary)
        var units = LengthPrefixedNALUnits(lengthSize: lengthSize)
        if summary.startsWithDelimiter, !start.isEmpty {
            // Skips empty NAL units and the delimiter after them.
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
