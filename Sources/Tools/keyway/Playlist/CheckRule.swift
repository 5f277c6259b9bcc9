import DASHManifest
import HLSPlaylist
import StreamValidation
import TextCoding

/// A rule of `keyway playlist check`, for playlists or for DASH manifests.
struct CheckRule: Sendable {
    let id: RuleID
    let severity: Diagnostic.Severity
    /// The type of file that the rule applies to.
    let subject: String
    /// The section of the specification.
    let section: String
    /// The requirement, on one line.
    let summary: String

    /// All rules, in the order of the catalogs, with those of all profiles.
    static let all: [CheckRule] = list(LintRule.all + LintRule.Profile.allCases.flatMap(\.rules))

    /// Returns the general rules and those of profiles, without the general rules that a profile replaces.
    static func all(with profiles: Set<LintRule.Profile>) -> [CheckRule] { list(LintRule.all(with: profiles)) }

    private static func list(_ rules: [LintRule]) -> [CheckRule] {
        rules.map(CheckRule.init) + WatchRule.all.map(CheckRule.init) + MPDRule.all.map(CheckRule.init)
    }

    /// The positions of rules in ``all``, by key.
    static let positions = Dictionary(
        all.enumerated().map { ($1.key, $0) },
        uniquingKeysWith: { first, _ in first }
    )

    /// The key of a rule. A rule for playlists and a rule for manifests may have the same ID.
    struct Key: Hashable {
        var id: RuleID
        var isAboutManifests: Bool
    }

    private let isAboutManifests: Bool
    private var key: Key { Key(id: id, isAboutManifests: isAboutManifests) }

    /// Returns the rule with a key; nil for the IDs of parsing errors.
    static func of(_ key: Key) -> CheckRule? { positions[key].map { all[$0] } }

    private init(_ rule: LintRule) {
        isAboutManifests = false
        (id, severity, subject) = (rule.id, rule.severity, rule.subject.rawValue)
        (section, summary) = (rule.section, rule.summary)
    }

    private init(_ rule: WatchRule) {
        isAboutManifests = false
        (id, severity, subject) = (rule.id, rule.severity, "watch")
        (section, summary) = (rule.section, rule.summary)
    }

    private init(_ rule: MPDRule) {
        isAboutManifests = true
        (id, severity) = (RuleID(rawValue: rule.id), Diagnostic.Severity(rule.severity))
        subject = rule.isReloadRule ? "manifest-reload" : "manifest"
        (section, summary) = (rule.section, rule.summary)
    }

    /// The rule as JSON.
    var json: JSONValue {
        .object([
            "rule": .string(id.rawValue), "severity": .string(severity.rawValue), "subject": .string(subject),
            "section": .string(section), "summary": .string(summary),
        ])
    }

    /// Returns rules as JSON.
    static func json(_ rules: [CheckRule]) -> JSONValue { .object(["rules": .array(rules.map(\.json))]) }

    /// Returns rules as text, in columns.
    static func list(_ rules: [CheckRule]) -> String {
        let rows = rules.map { [$0.id.rawValue, $0.severity.rawValue, $0.subject, $0.section, $0.summary] }
        return Grid.lines(rows).joined(separator: "\n") + "\n"
    }
}

extension Diagnostic.Severity {
    /// Creates the severity of a rule for manifests.
    init(_ severity: MPDRule.Severity) {
        switch severity {
        case .error: self = .error
        case .warning: self = .warning
        }
    }
}
