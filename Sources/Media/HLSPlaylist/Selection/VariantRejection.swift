/// Why a variant was not chosen.
public enum VariantRejection: Hashable, Sendable {
    /// It belongs to another pathway than the one that is applied (section 7.5).
    case pathway(String, applied: String)
    /// REQ-VIDEO-LAYOUT has specifiers that this library does not know: clients ignore the variant (section 4.4.6.2).
    case videoLayoutUnknown([VideoLayout.Specifier])
    /// REQ-VIDEO-LAYOUT has specifiers that the player cannot render.
    case videoLayoutNotRendered([VideoLayout.Specifier])
    /// CODECS has video, audio or unknown formats that the player does not decode.
    case codecsUnsupported([Codec])
    /// The player has none of the key formats in which the keys come.
    case keyFormatUnsupported([KeyFormat])
    /// ALLOWED-CPC wants other labels of a key format than the device has.
    case cpcNotMatched(KeyFormat, wanted: [String], has: [String])
    /// The output is less protected than HDCP-LEVEL wants.
    case hdcpTooLow(HDCPLevel, has: PlayerAbilities.HDCPState)
    /// VIDEO-RANGE has a value that nobody here knows (section 4.4.6.2).
    case videoRangeUnknown(VideoRange)
    /// The display cannot show the VIDEO-RANGE.
    case videoRangeNotDisplayable(VideoRange)
    /// No rendition of its audio group has so few channels.
    case audioChannels(group: String, fewest: UInt64, maximum: UInt64)
    /// Its peak, in bits per second, is above what the throughput leaves.
    case bandwidthAboveThroughput(UInt64, available: UInt64)
    /// Its peak, in bits per second, is above the cap.
    case bandwidthAboveCap(UInt64, cap: UInt64)
    /// It has more pixels than the display can show.
    case largerThanDisplay(Resolution, display: Resolution)
    /// Its SCORE is lower than that of the chosen variant.
    case lowerScore(Double, chosen: Double)
    /// It comes after the chosen variant by a criterion of ``VariantSelector``.
    case lessThanChosen(VariantCriterion)

    /// Whether the variant could be played all the same: what stands against it is a limit that can be passed, or
    /// another variant that is better.
    public var isPlayable: Bool {
        switch self {
        case .bandwidthAboveThroughput, .bandwidthAboveCap, .largerThanDisplay, .lowerScore, .lessThanChosen: true
        default: false
        }
    }
}

/// By what variants are compared when all else is equal; ``VariantSelector`` has the order.
public enum VariantCriterion: String, Sendable, CaseIterable {
    case resolution = "RESOLUTION"
    case videoRange = "VIDEO-RANGE"
    case codec = "CODECS"
    case frameRate = "FRAME-RATE"
    case supplementalCodecs = "SUPPLEMENTAL-CODECS"
    case bandwidth = "BANDWIDTH"
    case averageBandwidth = "AVERAGE-BANDWIDTH"
    case order = "the order in the playlist"
}

extension VariantRejection: CustomStringConvertible {
    /// The reason in words. What comes from the playlist is quoted, shortened and free of control characters.
    public var description: String {
        switch self {
        case .pathway(let own, let applied):
            return "it belongs to the pathway \(Self.quoted([own])), and \(Self.quoted([applied])) is applied"
        case .videoLayoutUnknown(let specifiers):
            return "REQ-VIDEO-LAYOUT has the unknown \(Self.quoted(specifiers.map(\.rawValue)))"
        case .videoLayoutNotRendered(let specifiers):
            return "the player cannot render \(Self.quoted(specifiers.map(\.rawValue)))"
        case .codecsUnsupported(let codecs):
            return "the player does not decode \(Self.quoted(codecs.map(\.text)))"
        case .keyFormatUnsupported(let formats):
            return "the player has none of the key formats \(Self.quoted(formats.map(\.rawValue)))"
        case .cpcNotMatched(let format, let wanted, let has):
            let labels = has.isEmpty ? "none" : Self.quoted(has)
            return
                "ALLOWED-CPC wants \(Self.quoted(wanted)) of \(Self.quoted([format.rawValue])), "
                + "and the device has \(labels)"
        case .hdcpTooLow(let level, let state):
            return "HDCP-LEVEL is \(Self.quoted([level.rawValue])), and the output has \(Self.name(state))"
        case .videoRangeUnknown(let range): return "VIDEO-RANGE has the unknown value \(Self.quoted([range.rawValue]))"
        case .videoRangeNotDisplayable(let range):
            return "the display cannot show the VIDEO-RANGE \(Self.quoted([range.rawValue]))"
        case .audioChannels(let group, let fewest, let maximum):
            return "the audio group \(Self.quoted([group])) has \(fewest) channels or more, and the player \(maximum)"
        case .bandwidthAboveThroughput(let bandwidth, let available):
            return "its peak of \(bandwidth) bits per second is above the \(available) that the throughput leaves"
        case .bandwidthAboveCap(let bandwidth, let cap):
            return "its peak of \(bandwidth) bits per second is above the cap of \(cap)"
        case .largerThanDisplay(let own, let display): return "\(own) is larger than the display's \(display)"
        case .lowerScore(let own, let chosen): return "its SCORE of \(own) is lower than \(chosen)"
        case .lessThanChosen(.order): return "an equal variant stands before it"
        case .lessThanChosen(let criterion): return "the chosen variant is better by \(criterion.rawValue)"
        }
    }

    private static func quoted(_ values: [String]) -> String { LintText.quoted(values) }

    private static func name(_ state: PlayerAbilities.HDCPState) -> String {
        switch state {
        case .none: "no HDCP"
        case .type0: "Type 0"
        case .type1: "Type 1"
        }
    }
}
