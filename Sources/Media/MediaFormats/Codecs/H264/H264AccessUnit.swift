public import ByteCoding

/// Functions for H.264 access units.
public enum H264AccessUnit {
    /// An access unit delimiter that allows slices of all types (7.3.2.4), including its header.
    public static let delimiter: [UInt8] = [0x09, 0xF0]

    /// Returns a summary of a sample, from the headers of its NAL units and its SEI messages.
    ///
    /// - Parameters:
    ///   - sample: length-prefixed NAL units.
    ///   - lengthSize: the size in bytes of the length before each NAL unit.
    /// - Throws: `ParseError` if a NAL unit's length extends beyond the sample. An invalid SEI message is ignored.
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
