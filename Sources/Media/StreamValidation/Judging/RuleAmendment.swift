public import HLSPlaylist

/// A change of a general requirement for one target, as Apple's authoring specification lists it. Requirements that only
/// a target has are rules of their own, whose number names the target.
public struct RuleAmendment: Sendable {
    /// The effect of an amendment.
    public enum Change: Hashable, Sendable {
        /// A violation has another level.
        case level(ValidationRule.Level)
        /// The requirement does not apply.
        case dropped
    }

    /// The target.
    public let target: ValidationTarget
    /// The number of the general requirement.
    public let section: String
    /// The rules that change; empty for all rules with the number.
    public let rules: Set<RuleID>
    /// The effect.
    public let change: Change
    /// The amended requirement, on one line.
    public let summary: String

    private init(
        _ target: ValidationTarget,
        _ section: String,
        _ change: Change,
        _ summary: String,
        rules: Set<RuleID> = []
    ) {
        (self.target, self.section, self.rules) = (target, section, rules)
        (self.change, self.summary) = (change, summary)
    }

    /// True if the amendment changes a rule.
    public func applies(to rule: RuleID, number: RuleNumber) -> Bool {
        rules.isEmpty ? number.target == .general && number.section == section : rules.contains(rule)
    }

    /// All amendments. The exemptions of visionOS for content that is all stereoscopic are conditions of the rules
    /// themselves.
    public static let all: [RuleAmendment] = [
        .init(.ios, "1.9", .dropped, "1.9a: Dolby Vision up to level 9.", rules: ["apple-dolby-vision-level"]),
        .init(.visionos, "1.9", .dropped, "1.9a: Dolby Vision up to level 9.", rules: ["apple-dolby-vision-level"]),
        .init(
            .general,
            "1.32",
            .dropped,
            "1.32: 730 kbit/s is allowed for cellular networks.",
            rules: ["default-variant-rate"]
        ),
        .init(.ios, "1.32", .dropped, "1.32b: 730 kbit/s on cellular networks.", rules: ["default-variant-rate"]),
        .init(
            .podcasts,
            "1.32",
            .dropped,
            "The requirements of podcasts have no ladder.",
            rules: ["default-variant-rate"]
        ),
        .init(.visionos, "6.6", .dropped, "6.6: one I-frame playlist is enough."),
        .init(.tvos, "1.20", .level(.must), "1.20 is a MUST."),
        .init(.tvos, "6.16", .level(.must), "6.16 is a MUST."),
        .init(.airplay2, "1.23", .level(.must), "1.23 is a MUST."),
        .init(.airplay2, "8.16", .level(.should), "8.16: codecs SHOULD NOT change at a discontinuity."),
        .init(.airplay2, "8.22", .level(.must), "8.22 is a MUST."),
        .init(.podcasts, "1.13", .dropped, "Key frames may be 2 to 6 seconds apart."),
        .init(.podcasts, "8.18", .dropped, "Redirections are allowed."),
    ]
}
