/// A rule for manifests: the requirement, its severity, and the check that finds violations. docs/dash-rules.md lists
/// all rules.
public struct MPDRule: Sendable, Identifiable {
    /// The severity of a violation.
    public enum Severity: String, Sendable, CaseIterable {
        /// Players may reject the manifest, or fail during playback.
        case error
        /// Some players may not behave as intended.
        case warning
    }

    /// The stable name of the rule, in kebab-case.
    public let id: String
    /// The severity of a violation.
    public let severity: Severity
    /// The source of the rule: a section of ISO/IEC 23009-1; `CENC 11` is a section of ISO/IEC 23001-7, `IOP` means the
    /// guidelines of the DASH Industry Forum, `-` means that this library defines the rule.
    public let section: String
    /// The requirement, in one line.
    public let summary: String
    let check: Check

    /// The check that implements a rule.
    enum Check: Sendable {
        /// A check of one manifest.
        case manifest(@Sendable (MPD, inout MPDFindings) -> Void)
        /// A check of two versions of a manifest, the earlier one first.
        case reload(@Sendable (MPD, MPD, inout MPDFindings) -> Void)
    }

    /// True if the rule checks two versions of a manifest instead of one.
    public var isReloadRule: Bool {
        if case .reload = check { true } else { false }
    }

    init(
        _ id: String,
        _ severity: Severity,
        section: String,
        _ summary: String,
        _ check: @escaping @Sendable (MPD, inout MPDFindings) -> Void
    ) {
        self.id = id
        self.severity = severity
        self.section = section
        self.summary = summary
        self.check = .manifest(check)
    }

    init(
        _ id: String,
        reload severity: Severity,
        section: String,
        _ summary: String,
        _ check: @escaping @Sendable (MPD, MPD, inout MPDFindings) -> Void
    ) {
        self.id = id
        self.severity = severity
        self.section = section
        self.summary = summary
        self.check = .reload(check)
    }

    /// All rules, in the order of docs/dash-rules.md.
    public static let all: [MPDRule] =
        presentationRules + dynamicRules + lowLatencyRules + segmentRules + protectionRules + reloadRules
}

/// A violation of a rule.
public struct MPDFinding: Hashable, Sendable {
    /// The name of the rule.
    public let rule: String
    /// The severity of the violation.
    public let severity: MPDRule.Severity
    /// The location in the manifest, such as `Period 1, AdaptationSet 2, Representation video-1080`. Elements without
    /// an id are numbered, starting at 1.
    public let place: String
    /// The problem, and how to fix it.
    public let reason: String
}

extension MPDFinding: CustomStringConvertible {
    /// The finding in one line: severity, location, reason and rule.
    public var description: String { "\(severity.rawValue): \(place): \(reason) [\(rule)]" }
}

/// Collects the findings of one rule.
struct MPDFindings {
    let rule: MPDRule
    private(set) var findings: [MPDFinding] = []

    init(rule: MPDRule) { self.rule = rule }

    mutating func add(_ location: String, _ reason: String) {
        findings.append(MPDFinding(rule: rule.id, severity: rule.severity, place: location, reason: reason))
    }
}

/// Checks manifests against rules.
///
///     for finding in MPDChecker().check(try MPD(bytes)) { print(finding) }
///     for finding in MPDChecker().check(reloadFrom: earlier, to: later) { print(finding) }
public struct MPDChecker: Sendable {
    /// The enabled rules.
    public let rules: [MPDRule]

    /// Creates a checker.
    public init(rules: [MPDRule] = MPDRule.all) { self.rules = rules }

    /// Checks a manifest, and returns the findings in the order of the rules.
    public func check(_ manifest: MPD) -> [MPDFinding] {
        rules.flatMap { rule -> [MPDFinding] in
            guard case .manifest(let check) = rule.check else { return [] }
            var findings = MPDFindings(rule: rule)
            check(manifest, &findings)
            return findings.findings
        }
    }

    /// Checks the changes between two versions of a manifest, and returns the findings in the order of the rules. Each
    /// version alone is checked by ``check(_:)``.
    public func check(reloadFrom before: MPD, to after: MPD) -> [MPDFinding] {
        rules.flatMap { rule -> [MPDFinding] in
            guard case .reload(let check) = rule.check else { return [] }
            var findings = MPDFindings(rule: rule)
            check(before, after, &findings)
            return findings.findings
        }
    }
}
