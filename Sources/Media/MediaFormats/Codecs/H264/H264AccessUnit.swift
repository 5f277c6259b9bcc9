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
