/// A rule about manifests: what it demands, how much that matters, and how to find out. docs/dash-rules.md has them all.
public struct MPDRule: Sendable, Identifiable {
    /// How much a breach matters.
    public enum Severity: String, Sendable, CaseIterable {
        /// Players may refuse the manifest, or fail while playing it.
        case error
        /// Some players are known to do something else than was meant.
        case warning
    }

    /// Its stable name, in kebab-case.
    public let id: String
    /// How much a breach matters.
    public let severity: Severity
    /// Where it comes from: a section of ISO/IEC 23009-1; `CENC 11` one of ISO/IEC 23001-7, `IOP` the guidelines of the
    /// DASH Industry Forum, `-` this library.
    public let section: String
    /// What it demands, in one line.
    public let summary: String
    let check: Check

    /// What a rule looks at.
    enum Check: Sendable {
        /// A manifest.
        case manifest(@Sendable (MPD, inout MPDFindings) -> Void)
        /// Two states of one manifest, the earlier one first.
        case reload(@Sendable (MPD, MPD, inout MPDFindings) -> Void)
    }

    /// Whether it judges two states of one manifest, and not one.
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

    /// Every rule, in the order of docs/dash-rules.md.
    public static let all: [MPDRule] =
        presentationRules + dynamicRules + segmentRules + protectionRules + reloadRules
}

/// A breach of a rule.
public struct MPDFinding: Hashable, Sendable {
    /// The rule's name.
    public let rule: String
    /// How much it matters.
    public let severity: MPDRule.Severity
    /// What it is about, such as `Period 1, AdaptationSet 2, Representation video-1080`; elements without a name by their
    /// places, from 1.
    public let place: String
    /// What was found, and what to do.
    public let reason: String
}

extension MPDFinding: CustomStringConvertible {
    /// One line.
    public var description: String { "\(severity.rawValue): \(place): \(reason) [\(rule)]" }
}

/// Gathers what one rule finds.
struct MPDFindings {
    let rule: MPDRule
    private(set) var findings: [MPDFinding] = []

    init(rule: MPDRule) { self.rule = rule }

    mutating func add(_ place: String, _ reason: String) {
        findings.append(MPDFinding(rule: rule.id, severity: rule.severity, place: place, reason: reason))
    }
}

/// Judges manifests by rules.
///
///     for finding in MPDChecker().check(try MPD(bytes)) { print(finding) }
///     for finding in MPDChecker().check(reloadFrom: earlier, to: later) { print(finding) }
public struct MPDChecker: Sendable {
    /// The rules that are kept.
    public let rules: [MPDRule]

    /// Makes a checker.
    public init(rules: [MPDRule] = MPDRule.all) { self.rules = rules }

    /// What is wrong with a manifest, rule by rule.
    public func check(_ manifest: MPD) -> [MPDFinding] {
        rules.flatMap { rule -> [MPDFinding] in
            guard case .manifest(let check) = rule.check else { return [] }
            var findings = MPDFindings(rule: rule)
            check(manifest, &findings)
            return findings.findings
        }
    }

    /// What a manifest must not have changed since an earlier state of it, rule by rule. What is wrong with one state alone
    /// is found by ``check(_:)``.
    public func check(reloadFrom before: MPD, to after: MPD) -> [MPDFinding] {
        rules.flatMap { rule -> [MPDFinding] in
            guard case .reload(let check) = rule.check else { return [] }
            var findings = MPDFindings(rule: rule)
            check(before, after, &findings)
            return findings.findings
        }
    }
}
