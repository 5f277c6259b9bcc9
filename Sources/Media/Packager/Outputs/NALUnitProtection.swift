import ByteCoding
import MediaFormats

/// Determines the protected bytes of a video sample in MP4: all bytes of each slice after its header (ISO/IEC 23001-7,
/// 9.5.2.4). In-band parameter sets are tracked.
///
/// With `cenc`, a protected range consists of whole blocks, so that the next one starts at a block boundary of the
/// counter: the remainder is added to the preceding clear range, and a range of less than 16 bytes stays clear
/// (9.5.2.3).
struct NALUnitProtection {
    /// The NAL units of a sample that decide whether it is protected.
    struct Coverage {
        /// True if the sample has a slice.
        var hasSlice = false
        /// The number of bytes of NAL units that may contain a picture, but stay clear.
        var clearByteCount = 0
    }

    private enum Codec {
        case h264(H264ParameterSets)
        case hevc(HEVCParameterSets)
    }

    private var codec: Codec
    private let lengthSize: Int
    private let wholeBlocks: Bool

    /// Creates a parser with the parameter sets of the track; nil if the track is not video.
    ///
    /// - Parameter wholeBlocks: Whether protected ranges are multiples of 16 bytes, as in `cenc`.
    /// - Throws: `ParseError` if parameter sets cannot be parsed.
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

    /// Appends the subsamples of a sample: one for each slice, whose clear part consists of all preceding NAL units,
    /// the length field, the NAL unit header and the slice header.
    ///
    /// - Throws: `ParseError`, with an offset relative to the sample.
    mutating func append(
        _ sample: RawSpan,
        to list: inout [SampleEncryptionBox.Subsample]
    ) throws(ParseError) -> Coverage {
        var units = LengthPrefixedNALUnits(lengthSize: lengthSize)
        var end = 0
        var coverage = Coverage()
        while let range = try units.next(sample) {
            guard !range.isEmpty else { continue }
            var clear = try clearByteCount(sample.extracting(range), base: range.lowerBound, &coverage)
            if wholeBlocks { clear += (range.count - clear) % 16 }
            guard clear < range.count else { continue }
            let start = range.lowerBound + clear
            Self.append(clear: start - end, protected: range.upperBound - start, to: &list)
            end = range.upperBound
        }
        if end < sample.byteCount { Self.append(clear: sample.byteCount - end, protected: 0, to: &list) }
        return coverage
    }

    /// Returns the number of clear bytes of a NAL unit; all of them if it is not a slice.
    private mutating func clearByteCount(
        _ unit: RawSpan,
        base: Int,
        _ coverage: inout Coverage
    ) throws(ParseError) -> Int {
        let mayHavePicture: Bool
        switch codec {
        case .h264(var sets):
            let type = H264NALHeader(rawValue: unit.unsafeLoad(fromByteOffset: 0, as: UInt8.self)).type
            if type.isSlice {
                coverage.hasSlice = true
                return try H264SliceHeader(unit, parameterSets: sets, base: base).clearByteCount
            }
            if try sets.update(unit, base: base) { codec = .h264(sets) }
            mayHavePicture = type.mayHavePicture
        case .hevc(var sets):
            guard let type = HEVCNALHeader(unit)?.type else { return unit.byteCount }
            if type.isSlice {
                coverage.hasSlice = true
                return try HEVCSliceHeader(unit, parameterSets: sets, base: base).clearByteCount
            }
            if try sets.update(unit, base: base) { codec = .hevc(sets) }
            mayHavePicture = type.mayHavePicture
        }
        if mayHavePicture { coverage.clearByteCount += unit.byteCount }
        return unit.byteCount
    }

    /// Appends a subsample. The size of a clear range has 16 bits: a longer range is split into subsamples without
    /// protected bytes.
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

extension H264NALUnitType {
    /// True unless the type is known to contain no picture: 6 to 16 (SEI, parameter sets, delimiters, filler data), and
    /// 28, in which Dolby Vision stores its metadata.
    var mayHavePicture: Bool { !(6...16).contains(rawValue) && rawValue != 28 }
}

extension HEVCNALUnitType {
    /// True unless the type is known to contain no picture: 32 to 47 (parameter sets, delimiters, filler data, SEI),
    /// and 62, in which Dolby Vision stores its metadata.
    var mayHavePicture: Bool { !(32...47).contains(rawValue) && rawValue != 62 }
}
