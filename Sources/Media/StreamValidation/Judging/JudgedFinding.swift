/// A finding about what was measured or about the text of a playlist, with its level for each target.
public struct JudgedFinding: Sendable {
    /// The rule.
    public let rule: CatalogRule
    /// The level that decides about the result: the highest of the selected targets.
    public let level: ValidationRule.Level
    /// The level for each selected target to which the rule applies. Without a selection these are all targets.
    public let levels: [ValidationTarget: ValidationRule.Level]
    /// True if the finding can make the validation fail: it is for one of the targets that decide, and has no exception.
    public let counts: Bool
    /// The exception that applies to the finding; nil for most findings.
    public let exception: FindingException?
    /// The place of the first violation.
    public let place: ValidationFinding.Place
    /// The place of the last violation, if there are several.
    public let last: ValidationFinding.Place?
    /// The number of violations.
    public let count: Int
    /// The place of the first violation in a form that does not change with hosts, tokens and lines.
    public let placeKey: String
    /// The description, in one sentence.
    public let message: String
    /// The measured value, with its unit; nil if nothing was measured.
    public let measured: String?
    /// The required value, with its unit.
    public let limit: String?
    /// How certain the finding is.
    public let confidence: ValidationFinding.Confidence
}

/// The findings of a target, by level.
public struct TargetVerdict: Sendable {
    /// The target.
    public let target: ValidationTarget
    /// The number of findings of each level, without those that have an exception.
    public let counts: [ValidationRule.Level: Int]

    /// True if no MUST is violated and everything plays.
    public var passes: Bool { counts[.critical, default: 0] + counts[.must, default: 0] == 0 }
}
