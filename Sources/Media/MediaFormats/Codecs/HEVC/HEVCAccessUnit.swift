public import ByteCoding

/// Functions for HEVC access units.
public enum HEVCAccessUnit {
    /// An access unit delimiter that allows slices of all types (7.3.2.5), including its header.
    public static let delimiter: [UInt8] = [0x46, 0x01, 0x50]

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

/// A splitter that detects the start of access units in a stream of NAL units (ITU-T H.265, 7.4.2.4.4).
///
/// Pass it the NAL units in the order of the stream. Only the first 3 bytes of each are inspected.
public struct HEVCAccessUnitSplitter: Sendable {
    private var hasBegun = false
    private var hasSlice = false

    /// Creates a splitter for a stream from its start.
    public init() {}

    /// Processes the next NAL unit and returns whether an access unit starts with it.
    ///
    /// - Parameter unit: the NAL unit, including its header and emulation prevention bytes.
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
