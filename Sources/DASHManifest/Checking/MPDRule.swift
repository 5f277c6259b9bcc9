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
    let check: @Sendable (MPD, inout MPDFindings) -> Void

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
        self.check = check
    }

    /// Every rule, in the order of docs/dash-rules.md.
    public static let all: [MPDRule] = presentationRules + segmentRules + protectionRules
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
public struct MPDChecker: Sendable {
    /// The rules that are kept.
    public let rules: [MPDRule]

    /// Makes a checker.
    public init(rules: [MPDRule] = MPDRule.all) { self.rules = rules }

    /// What is wrong with a manifest, rule by rule.
    public func check(_ manifest: MPD) -> [MPDFinding] {
        rules.flatMap { rule in
            var findings = MPDFindings(rule: rule)
            rule.check(manifest, &findings)
            return findings.findings
        }
    }
}
