import ByteCoding
import MediaFormats

/// Finds out which bytes of a video sample are protected in MP4: of each slice all that follows its header
/// (ISO/IEC 23001-7, 9.5.2.4). Parameter sets that come in band are taken note of.
///
/// With `cenc` a protected part has whole blocks alone, so that the counter is where it should be at the next one: what
/// is too much joins the clear part before it, and a part of less than 16 bytes stays clear (9.5.2.3).
struct NALUnitProtection {
    private enum Codec {
        case h264(H264ParameterSets)
        case hevc(HEVCParameterSets)
    }

    private var codec: Codec
    private let lengthSize: Int
    private let wholeBlocks: Bool

    /// Starts with the parameter sets of the track; nil when it is no video.
    ///
    /// - Parameter wholeBlocks: Whether protected parts are multiples of 16 bytes, as `cenc` has them.
    /// - Throws: `ParseError` when parameter sets cannot be read.
    init?(_ format: MediaTrack.Format, wholeBlocks: Bool = false) throws(ParseError) {
        self.wholeBlocks = wholeBlocks
        switch format {
        case .h264(let configuration):
            codec = .h264(try H264ParameterSets(configuration))
            lengthSize = configuration.lengthSize
        case .hevc(let configuration):
            codec = .hevc(try HEVCParameterSets(configuration))
            lengthSize = configuration.lengthSize
        case .aac, .ac3, .enhancedAC3, .webVTT: return nil
        }
    }

    /// Appends the subsamples of a sample: one for each slice, in which the length, the NAL unit header, the slice
    /// header and all NAL units before it are clear.
    ///
    /// - Throws: `ParseError`, its offset counted in the sample.
    mutating func append(_ sample: RawSpan, to list: inout [SampleEncryptionBox.Subsample]) throws(ParseError) {
        var units = LengthPrefixedNALUnits(lengthSize: lengthSize)
        var end = 0
        while let range = try units.next(sample) {
            guard !range.isEmpty else { continue }
            var clear = try clearByteCount(sample.extracting(range), base: range.lowerBound)
            if wholeBlocks { clear += (range.count - clear) % 16 }
            guard clear < range.count else { continue }
            let start = range.lowerBound + clear
            Self.append(clear: start - end, protected: range.upperBound - start, to: &list)
            end = range.upperBound
        }
        if end < sample.byteCount { Self.append(clear: sample.byteCount - end, protected: 0, to: &list) }
    }

    /// How many bytes of a NAL unit are clear; all of one that is no slice.
    private mutating func clearByteCount(_ unit: RawSpan, base: Int) throws(ParseError) -> Int {
        switch codec {
        case .h264(var sets):
            let type = H264NALHeader(rawValue: unit.unsafeLoad(fromByteOffset: 0, as: UInt8.self)).type
            if type.isSlice { return try H264SliceHeader(unit, parameterSets: sets, base: base).clearByteCount }
            if try sets.update(unit, base: base) { codec = .h264(sets) }
        case .hevc(var sets):
            guard let type = HEVCNALHeader(unit)?.type else { break }
            if type.isSlice { return try HEVCSliceHeader(unit, parameterSets: sets, base: base).clearByteCount }
            if try sets.update(unit, base: base) { codec = .hevc(sets) }
        }
        return unit.byteCount
    }

    /// A clear part has 16 bits: more than fit are spread over subsamples without protected bytes.
    private static func append(clear: Int, protected: Int, to list: inout [SampleEncryptionBox.Subsample]) {
        var clear = clear
        while clear > Int(UInt16.max) {
            list.append(SampleEncryptionBox.Subsample(clear: .max, protected: 0))
            clear -= Int(UInt16.max)
        }
        list.append(
            SampleEncryptionBox.Subsample(clear: UInt16(clear), protected: UInt32(truncatingIfNeeded: protected))
        )
    }
}
