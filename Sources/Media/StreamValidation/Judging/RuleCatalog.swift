public import HLSPlaylist

/// A rule of a validation, about what was measured or about the text of playlists, as the catalog lists it.
public struct CatalogRule: Sendable, Identifiable {
    /// The stable name.
    public let id: RuleID
    /// The number in its source.
    public let number: RuleNumber
    /// The level of a violation, before amendments.
    public let level: ValidationRule.Level
    /// The data that is needed to check the rule.
    public let need: ValidationRule.Need
    /// The requirement, on one line.
    public let summary: String
    /// The correction of a violation, on one line; nil if the message of each finding contains it.
    public let advice: String?
    /// True if `keyway playlist check` has the rule too.
    public let isAboutText: Bool

    init(_ rule: ValidationRule) {
        (id, level, need) = (rule.id, rule.level, rule.need)
        number = RuleNumber(rule.number)
        (summary, advice, isAboutText) = (rule.summary, rule.advice, false)
    }

    init(_ rule: LintRule) {
        id = rule.id
        level = ValidationRule.Level(rule.severity)
        need = rule.subject == .reload ? .reloads : .playlist
        number = RuleNumber(lintSection: rule.section)
        (summary, advice, isAboutText) = (rule.summary, nil, true)
    }

    /// Creates an entry for a diagnostic of the reader that no rule describes.
    init(unknown id: RuleID, level: ValidationRule.Level) {
        (self.id, self.level, need) = (id, level, .playlist)
        number = RuleNumber("keyway:-")
        (summary, advice, isAboutText) = ("", nil, true)
    }

    /// True if the rule is not a general one: only a target or the profile ``ValidationProfile/cmaf`` has it.
    var isOptional: Bool { number.source == "cmaf" || levels(of: level)[.general] == nil }

    /// The amendments of targets.
    public var amendments: [RuleAmendment] { RuleAmendment.all.filter { $0.applies(to: id, number: number) } }

    /// The fault of Apple's tools here; nil if none is known.
    public var appleToolFault: String? {
        AppleToolFault.all.first { fault in
            fault.rules.contains(id) || number.target == .general && fault.sections.contains(number.section)
        }?.summary
    }

    /// Returns the level of a finding for each target to which the rule applies.
    ///
    /// - Parameter level: The level that the check reported. If it is not that of the rule, an amended level does not
    ///   apply, because the check has judged this violation by itself.
    public func levels(of level: ValidationRule.Level) -> [ValidationTarget: ValidationRule.Level] {
        var levels: [ValidationTarget: ValidationRule.Level] = [:]
        // The general list does not contain the requirements of single targets.
        let targets = number.target.flatMap { $0 == .general ? nil : [$0] } ?? ValidationTarget.allCases
        for target in targets { levels[target] = level }
        for amendment in amendments where levels[amendment.target] != nil {
            switch amendment.change {
            case .dropped: levels[amendment.target] = nil
            case .level(let changed): if level == self.level { levels[amendment.target] = changed }
            }
        }
        return levels
    }
}

/// All rules of a validation in one list.
public enum RuleCatalog {
    /// The rules about what was measured, and then those for the text of playlists, with Apple's.
    public static let all: [CatalogRule] =
        ValidationRule.all.map(CatalogRule.init) + LintRule.all(with: [.apple]).map(CatalogRule.init)

    private static let positions = Dictionary(
        all.enumerated().map { ($1.id, $0) },
        uniquingKeysWith: { first, _ in first }
    )

    /// Returns the rule with a name; nil if the name is unknown.
    public static func rule(_ id: RuleID) -> CatalogRule? { positions[id].map { all[$0] } }

    /// Returns the position of a rule in the catalog; the end for an unknown rule.
    static func position(_ id: RuleID) -> Int { positions[id] ?? all.count }

    /// The requirements of Apple's authoring specification that no rule checks.
    public static let unchecked = AuthoringRequirement.unchecked(
        by: all.map(\.number),
        named: Set(all.map(\.id))
    )

    /// Returns the rules of a profile.
    public static func rules(of profile: ValidationProfile) -> [CatalogRule] {
        all.filter { profile.includes($0.number) }
    }
}

extension ValidationRule.Level {
    /// Creates the level of a rule for the text of playlists.
    public init(_ severity: Diagnostic.Severity) {
        switch severity {
        case .error: self = .must
        case .warning: self = .should
        case .note: self = .advice
        }
    }
}
