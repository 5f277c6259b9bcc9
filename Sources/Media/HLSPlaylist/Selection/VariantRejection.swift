/// A reason why a variant was not selected.
public enum VariantRejection: Hashable, Sendable {
    /// The variant belongs to a content steering pathway other than the current one (RFC 8216bis, 7.5).
    case pathway(String, applied: String)
    /// REQ-VIDEO-LAYOUT has specifiers that this library does not know: clients ignore the variant (RFC
    /// 8216bis, 4.4.6.2).
    case videoLayoutUnknown([VideoLayout.Specifier])
    /// REQ-VIDEO-LAYOUT has specifiers that the player cannot render.
    case videoLayoutNotRendered([VideoLayout.Specifier])
    /// CODECS lists formats that the player does not support: video, audio, or formats that this library does not
    /// recognize. Unsupported text formats are not a reason for rejection.
    case codecsUnsupported([Codec])
    /// The player does not support any of the variant's key formats.
    case keyFormatUnsupported([KeyFormat])
    /// ALLOWED-CPC lists labels for a key format, and the device does not satisfy any of them; one is enough.
    case cpcNotMatched(KeyFormat, required: [String], satisfied: [String])
    /// The output protection is weaker than HDCP-LEVEL requires.
    case hdcpTooLow(HDCPLevel, output: PlayerCapabilities.HDCPState)
    /// VIDEO-RANGE has a value that this library does not know (RFC 8216bis, 4.4.6.2).
    case videoRangeUnknown(VideoRange)
    /// The display does not support the VIDEO-RANGE.
    case videoRangeNotDisplayable(VideoRange)
    /// All renditions of the audio group have more channels than the player supports.
    case audioChannels(group: String, fewest: UInt64, maximum: UInt64)
    /// The peak bit rate exceeds the available throughput, which is the measured throughput times the safety factor;
    /// both are in bits per second.
    case bandwidthAboveThroughput(UInt64, available: UInt64)
    /// The peak bit rate, in bits per second, exceeds the bandwidth cap.
    case bandwidthAboveCap(UInt64, cap: UInt64)
    /// The video is larger than the display.
    case largerThanDisplay(Resolution, display: Resolution)
    /// The SCORE is lower than that of the selected variant.
    case lowerScore(Double, chosen: Double)
    /// The selected variant is preferred by a criterion of ``VariantSelector``.
    case lessThanChosen(VariantCriterion)

    /// True if the player could play the variant nevertheless: the variant only exceeds the bandwidth or the display
    /// size, or the selected variant is preferred to it.
    public var isPlayable: Bool {
        switch self {
        case .bandwidthAboveThroughput, .bandwidthAboveCap, .largerThanDisplay, .lowerScore, .lessThanChosen: true
        default: false
        }
    }
}

/// A criterion by which variants with the same SCORE are compared. The cases are in the order in which
/// ``VariantSelector`` applies the criteria.
public enum VariantCriterion: String, Sendable, CaseIterable {
    case resolution = "RESOLUTION"
    case videoRange = "VIDEO-RANGE"
    case codec = "CODECS"
    case frameRate = "FRAME-RATE"
    case supplementalCodecs = "SUPPLEMENTAL-CODECS"
    case bandwidth = "BANDWIDTH"
    case averageBandwidth = "AVERAGE-BANDWIDTH"
    /// The position in the playlist: of variants that are equal by all other criteria, the first one is selected.
    case order = "the order in the playlist"
}

extension VariantRejection: CustomStringConvertible {
    /// The description of the reason. Values from the playlist are quoted: at most five values of a list, each truncated
    /// to 60 Unicode scalars, with control characters replaced by U+FFFD.
    public var description: String {
        switch self {
        case .pathway(let own, let applied):
            return "it belongs to the pathway \(Self.quoted([own])), "
                + "but the current pathway is \(Self.quoted([applied]))"
        case .videoLayoutUnknown(let specifiers):
            return "REQ-VIDEO-LAYOUT has the unknown specifiers \(Self.quoted(specifiers.map(\.rawValue)))"
        case .videoLayoutNotRendered(let specifiers):
            return "the player cannot render \(Self.quoted(specifiers.map(\.rawValue)))"
        case .codecsUnsupported(let codecs):
            return "the player does not support \(Self.quoted(codecs.map(\.text)))"
        case .keyFormatUnsupported(let formats):
            return "the player supports none of the key formats \(Self.quoted(formats.map(\.rawValue)))"
        case .cpcNotMatched(let format, let required, let satisfied):
            let labels = satisfied.isEmpty ? "none" : "only \(Self.quoted(satisfied))"
            let choice = required.count > 1 ? "one of " : ""
            return
                "ALLOWED-CPC requires \(choice)\(Self.quoted(required)) for \(Self.quoted([format.rawValue])), "
                + "but the device satisfies \(labels)"
        case .hdcpTooLow(let level, let state):
            return "HDCP-LEVEL is \(Self.quoted([level.rawValue])), but the output has \(Self.name(state))"
        case .videoRangeUnknown(let range): return "VIDEO-RANGE has the unknown value \(Self.quoted([range.rawValue]))"
        case .videoRangeNotDisplayable(let range):
            return "the display does not support the VIDEO-RANGE \(Self.quoted([range.rawValue]))"
        case .audioChannels(let group, let fewest, let maximum):
            return "all renditions of the audio group \(Self.quoted([group])) have at least \(fewest) channels, "
                + "but the player supports only \(maximum)"
        case .bandwidthAboveThroughput(let bandwidth, let available):
            return "its BANDWIDTH of \(bandwidth) bits per second exceeds the available throughput of \(available)"
        case .bandwidthAboveCap(let bandwidth, let cap):
            return "its BANDWIDTH of \(bandwidth) bits per second exceeds the bandwidth cap of \(cap)"
        case .largerThanDisplay(let own, let display):
            return "its RESOLUTION of \(own) is larger than the \(display) display"
        case .lowerScore(let own, let chosen):
            return "its SCORE of \(own) is lower than the \(chosen) of the selected variant"
        case .lessThanChosen(.order):
            return "the selected variant is equal by all criteria and precedes it in the playlist"
        case .lessThanChosen(let criterion):
            return "the selected variant is preferred for its \(criterion.rawValue)"
        }
    }

    private static func quoted(_ values: [String]) -> String { LintText.quoted(values) }

    private static func name(_ state: PlayerCapabilities.HDCPState) -> String {
        switch state {
        case .none: "no HDCP"
        case .type0: "HDCP Type 0"
        case .type1: "HDCP Type 1"
        }
    }
}
