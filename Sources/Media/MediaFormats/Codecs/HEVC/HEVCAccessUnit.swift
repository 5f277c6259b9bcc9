public import ByteCoding

/// What can be done with whole HEVC samples.
public enum HEVCAccessUnit {
    /// An access unit delimiter that allows slices of all kinds (7.3.2.5), header included.
    public static let delimiter: [UInt8] = [0x46, 0x01, 0x50]

    /// Looks at the headers of a sample's NAL units.
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
            guard let header = HEVCNALHeader(sample.extracting(range)), header.layer == 0 else { continue }
            let type = header.type
            if type.isSlice {
                summary.sliceCount += 1
                summary.isLeading = type.isLeading
                switch type {
                case .idrWRADL, .idrNLP: summary.randomAccess = .idr(mayHaveLeadingPictures: type == .idrWRADL)
                case .blaWLP, .blaWRADL, .blaNLP: summary.randomAccess = .bla(mayHaveLeadingPictures: type != .blaNLP)
                case .cra: summary.randomAccess = .cra
                default: break
                }
            }
            switch type {
            case .accessUnitDelimiter: summary.startsWithDelimiter = summary.startsWithDelimiter || isFirst
            case .videoParameterSet: sets |= 1
            case .sequenceParameterSet: sets |= 2
            case .pictureParameterSet: sets |= 4
            case .prefixSEI where summary.randomAccess == .none:
                let messages = (try? SEIMessage.messages(sample.extracting(range), headerSize: 2)) ?? []
                for case .recoveryPoint(let frames, _) in messages {
                    summary.randomAccess = .recoveryPoint(frames: frames)
                }
            default: break
            }
            isFirst = false
        }
        summary.hasParameterSets = sets == 7
        return summary
    }
}

/// Finds where access units begin in a stream of NAL units (ITU-T H.265, 7.4.2.4.4).
///
/// NAL units go in, in the order of the stream; each answer says whether a new access unit begins with this one.
/// Nothing but their first 3 bytes is looked at.
public struct HEVCAccessUnitSplitter: Sendable {
    private var hasBegun = false
    private var hasSlice = false

    /// Starts at the beginning of a stream.
    public init() {}

    /// Takes the next NAL unit.
    ///
    /// - Parameter unit: Header included, emulation prevention bytes in place.
    /// - Returns: Whether an access unit begins with it.
    public mutating func startsAccessUnit(_ unit: RawSpan) -> Bool {
        guard let header = HEVCNALHeader(unit) else { return false }
        let type = header.type.rawValue
        var starts = !hasBegun
        hasBegun = true
        if header.type.isVideoCodingLayer, header.layer == 0 {
            let isFirst = unit.byteCount > 2 && unit.unsafeLoad(fromByteOffset: 2, as: UInt8.self) & 0x80 != 0
            starts = starts || hasSlice && isFirst
            hasSlice = true
        } else if header.layer == 0,
            (32...35).contains(type) || type == 39 || (41...44).contains(type)
                || (48...55).contains(type)
        {
            starts = starts || hasSlice
            if starts { hasSlice = false }
        }
        return starts
    }
}
