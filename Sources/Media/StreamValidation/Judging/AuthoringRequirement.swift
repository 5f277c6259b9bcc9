import HLSPlaylist

/// A requirement of the general list of Apple's authoring specification, revision of 26 June 2025, in the words of this
/// library. Permissions (MAY) are left out.
///
/// The list shows what no rule checks: a report names each of these requirements with the reason.
public struct AuthoringRequirement: Hashable, Sendable {
    /// The effort of checking a requirement.
    public enum Effort: Hashable, Sendable {
        /// Something that a program can read.
        case measuring
        /// A person who knows the source or the intention.
        case person
    }

    /// The number.
    public let number: String
    /// MUST or SHOULD.
    public let level: ValidationRule.Level
    /// The requirement, on one line.
    public let summary: String
    /// The effort of a check.
    public let effort: Effort

    init(_ number: String, _ level: ValidationRule.Level, _ summary: String, _ effort: Effort = .measuring) {
        (self.number, self.level, self.summary, self.effort) = (number, level, summary, effort)
    }

    /// The requirements in the order of their numbers.
    public static let all = video + audio + advertisementsAndText + trickPlay + segments + multivariant + delivery

    /// The numbers that rules check beside the one that they have. A rule without a letter checks all parts of its number.
    static let alsoChecked: [String: [String]] = [
        "1.1": ["1.38"], "1.18": ["1.16", "1.17"], "1.26": ["1.28"], "1.27": ["1.29", "9.13"], "2.2": ["2.5"],
        "2.12": ["2.14"],
        "4.1": ["4.2"], "4.4": ["4.3"], "5.2": ["5.4"], "6.1": ["6.8"], "7.1": ["7.3"], "8.6": ["8.8"],
        "2.3": ["2.31"], "8.7": ["15.2"], "8.13": ["2.11", "16.3"],
        "8.10": ["2.27", "4.7"], "9.1": ["9.3"], "9.2": ["9.4"], "9.7": ["9.6"], "9.11": ["8.23", "8.25"],
        "11.1": ["11.2", "11.3"],
    ]

    /// The numbers that rules check whose own number is that of the draft.
    static let checkedByDraft: [RuleID: [String]] = [
        "target-durations-differ": ["5.6", "6.11", "8.2"], "durations-differ": ["2.15"],
        "program-date-times-differ": ["15.1"],
    ]

    /// Returns the requirements that none of the rules checks.
    ///
    /// - Parameter ids: The names of the rules, for those whose number is not one of Apple's.
    static func unchecked(
        by rules: some Sequence<RuleNumber>,
        named ids: Set<RuleID> = []
    ) -> [AuthoringRequirement] {
        var checked = Set(ids.flatMap { checkedByDraft[$0] ?? [] })
        for number in rules where number.target == .general {
            checked.insert(number.section)
            checked.formUnion(alsoChecked[number.section] ?? [])
        }
        return all.filter { requirement in
            let whole = String(requirement.number.prefix { !$0.isLetter })
            return !checked.contains(requirement.number) && !checked.contains(whole)
        }
    }
}
