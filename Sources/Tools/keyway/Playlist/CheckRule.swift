import DASHManifest
import HLSPlaylist
import TextCoding

/// A rule that a finding names: of playlists, or of DASH manifests.
struct CheckRule: Sendable {
    let id: RuleID
    let severity: Diagnostic.Severity
    /// What it judges.
    let subject: String
    /// The section of the specification.
    let section: String
    /// What it demands, in one line.
    let summary: String

    /// Every rule, in the order of the catalogs.
    static let all: [CheckRule] = LintRule.all.map(CheckRule.init) + MPDRule.all.map(CheckRule.init)

    /// The places of rules among all, by their keys.
    static let places = Dictionary(
        all.enumerated().map { ($1.key, $0) },
        uniquingKeysWith: { first, _ in first }
    )

    /// What finds a rule: some names are those of a rule about playlists and of one about manifests.
    struct Key: Hashable {
        var id: RuleID
        var isAboutManifests: Bool
    }

    private let isAboutManifests: Bool
    private var key: Key { Key(id: id, isAboutManifests: isAboutManifests) }

    /// The rule of a key; nil for what a reader finds.
    static func of(_ key: Key) -> CheckRule? { places[key].map { all[$0] } }

    private init(_ rule: LintRule) {
        isAboutManifests = false
        (id, severity, subject) = (rule.id, rule.severity, rule.subject.rawValue)
        (section, summary) = (rule.section, rule.summary)
    }

    private init(_ rule: MPDRule) {
        isAboutManifests = true
        (id, severity) = (RuleID(rawValue: rule.id), Diagnostic.Severity(rule.severity))
        subject = rule.isReloadRule ? "manifest-reload" : "manifest"
        (section, summary) = (rule.section, rule.summary)
    }

    /// For machines.
    var json: JSONValue {
        .object([
            "rule": .string(id.rawValue), "severity": .string(severity.rawValue), "subject": .string(subject),
            "section": .string(section), "summary": .string(summary),
        ])
    }

    /// All rules for people, in columns.
    static var list: String {
        let rows = all.map { [$0.id.rawValue, $0.severity.rawValue, $0.subject, $0.section, $0.summary] }
        return Grid.lines(rows).joined(separator: "\n") + "\n"
    }
}

extension Diagnostic.Severity {
    /// That of a rule about manifests.
    init(_ severity: MPDRule.Severity) {
        switch severity {
        case .error: self = .error
        case .warning: self = .warning
        }
    }
}
