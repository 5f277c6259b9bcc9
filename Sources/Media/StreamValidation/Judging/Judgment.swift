public import HLSPlaylist

/// How a validation is judged.
public struct JudgmentSettings: Sendable {
    /// The level that an operator gives to a rule.
    public enum Severity: Hashable, Sendable {
        /// Findings of the rule have this level, for all targets.
        case level(ValidationRule.Level)
        /// The rule is left out.
        case off
    }

    /// The targets whose requirements decide; nil for the general requirements. Without a selection, the findings of all
    /// targets are reported.
    public var targets: Set<ValidationTarget>?
    /// The revision of Apple's authoring specification.
    public var revision = AuthoringRevision.june2025
    /// The rules that apply.
    public var profile = ValidationProfile.apple
    /// Other levels for rules.
    public var severities: [RuleID: Severity] = [:]
    /// Known violations that do not count.
    public var exceptions: [FindingException] = []
    /// The current date as YYYY-MM-DD in UTC, for exceptions with a last day.
    public var today = ""
    /// True if content was decrypted.
    public var hasKeys = false
    /// True if live playlists were watched over time.
    public var isWatched = false

    /// Creates the default settings.
    public init() {}
}

/// The judgment of a report by the settings of an operator: the findings that count and those that do not, a verdict for
/// each target, and what was not validated.
public struct Judgment: Sendable {
    /// The findings, the most serious first, and those of one rule together.
    public let findings: [JudgedFinding]
    /// A verdict for each selected target.
    public let verdicts: [TargetVerdict]
    /// The requirements that were not validated.
    public let skipped: [SkippedCheck]
    /// The exceptions that applied to no finding.
    public let unusedExceptions: [UnusedException]
    /// True if segments or playlists were left out by choice or by a limit, so that passing proves less.
    public let isPartial: Bool
    /// The settings.
    public let settings: JudgmentSettings

    /// Judges a report.
    public init(_ report: ValidationReport, settings: JudgmentSettings = JudgmentSettings()) {
        self.settings = settings
        let presentation = report.presentation
        let keys = PlaceKeys(presentation)
        var exceptions = ExceptionMatching(settings)
        let measured = report.findings + report.optionalFindings
        let drafts =
            (measured.map(Draft.init) + report.playlistFindings.map(Draft.init)).filter { draft in
                settings.profile.includes(draft.rule.number) && settings.severities[draft.rule.id] != .off
            }
        let placed = drafts.map { (draft: $0, key: keys.key(of: $0.finding.place)) }
        exceptions.count(placed.map { ($0.draft.rule.id, $0.key, $0.draft.finding.count) })
        let judged = placed.compactMap { draft, key in
            draft.judged(settings, key: key, exception: exceptions.match(draft.rule.id, key))
        }
        findings = Self.sorted(judged)
        verdicts = settings.reportedTargets.map { target in
            let levels = judged.lazy.filter { $0.exception == nil }.compactMap { $0.levels[target] }
            return TargetVerdict(target: target, counts: levels.reduce(into: [:]) { $0[$1, default: 0] += 1 })
        }
        let rules = RuleCatalog.rules(of: settings.profile).filter { rule in
            settings.severities[rule.id] != .off && !settings.reported(rule.levels(of: rule.level)).isEmpty
        }
        skipped = SkippedCheck.all(presentation, rules: rules, settings: settings)
        unusedExceptions = exceptions.unused
        let isSampled = presentation.renditions.contains { rendition in
            rendition.segments.contains { segment in
                if case .skipped = segment.outcome { !segment.isGap } else { false }
            }
        }
        isPartial = isSampled
    }

    /// Returns the findings that count, of a level or above.
    public func failures(_ least: ValidationRule.Level) -> [JudgedFinding] {
        findings.filter { $0.counts && $0.level >= least }
    }

    /// Returns a baseline of all findings without a suppression: an exception for each rule and place.
    ///
    /// - Parameter reason: The reason of all exceptions.
    public func baseline(reason: String) -> [FindingException] {
        var counts: [String: (rule: RuleID, key: String, count: Int)] = [:]
        for finding in findings where finding.exception?.kind != .suppression {
            let name = "\(finding.rule.id)\n\(finding.placeKey)"
            counts[name, default: (finding.rule.id, finding.placeKey, 0)].count += finding.count
        }
        return counts.sorted { $0.key < $1.key }.map { _, entry in
            FindingException(
                .baseline,
                rule: entry.rule,
                place: PlacePattern(literal: entry.key),
                reason: reason,
                maximumCount: entry.count
            )
        }
    }

    private static func sorted(_ findings: [JudgedFinding]) -> [JudgedFinding] {
        findings.enumerated().sorted { left, right in
            let (first, second) = (left.element, right.element)
            if (first.exception == nil) != (second.exception == nil) { return first.exception == nil }
            // Findings of targets that do not decide follow those that do.
            if first.counts != second.counts { return first.counts }
            if first.level != second.level { return first.level > second.level }
            let positions = (RuleCatalog.position(first.rule.id), RuleCatalog.position(second.rule.id))
            if positions.0 != positions.1 { return positions.0 < positions.1 }
            if first.rule.id != second.rule.id { return first.rule.id < second.rule.id }
            return left.offset < right.offset
        }.map(\.element)
    }
}

extension JudgmentSettings {
    /// The targets that a report has verdicts for.
    var reportedTargets: [ValidationTarget] { targets?.sorted() ?? ValidationTarget.allCases }

    /// Returns the levels for the targets that are reported.
    func reported(
        _ levels: [ValidationTarget: ValidationRule.Level]
    ) -> [ValidationTarget: ValidationRule.Level] {
        levels.filter { targets?.contains($0.key) ?? true }
    }
}

/// A finding of either kind before it is judged.
private struct Draft {
    let rule: CatalogRule
    let finding: ValidationFinding

    init(_ finding: ValidationFinding) {
        rule = RuleCatalog.rule(finding.rule) ?? CatalogRule(unknown: finding.rule, level: finding.level)
        self.finding = finding
    }

    init(_ finding: LintFinding) {
        let diagnostic = finding.diagnostic
        let level = ValidationRule.Level(diagnostic.severity)
        rule = RuleCatalog.rule(diagnostic.rule) ?? CatalogRule(unknown: diagnostic.rule, level: level)
        self.finding = ValidationFinding(
            rule: diagnostic.rule,
            level: level,
            place: .init(finding.file, line: diagnostic.line),
            message: diagnostic.message
        )
    }

    /// Returns the judged finding; nil if the rule applies to none of the selected targets.
    func judged(_ settings: JudgmentSettings, key: String, exception: FindingException?) -> JudgedFinding? {
        var levels = settings.reported(rule.levels(of: finding.level))
        if case .level(let level)? = settings.severities[rule.id] { levels = levels.mapValues { _ in level } }
        guard let highest = levels.values.max() else { return nil }
        let deciding = settings.targets == nil ? levels[.general] : highest
        return JudgedFinding(
            rule: rule,
            level: deciding ?? highest,
            levels: levels,
            counts: deciding != nil && exception == nil,
            exception: exception,
            place: finding.place,
            last: finding.last,
            count: finding.count,
            placeKey: key,
            message: finding.message,
            measured: finding.measured,
            limit: finding.limit,
            confidence: finding.confidence
        )
    }
}

/// Finds the exception of each finding, and remembers which ones were used.
private struct ExceptionMatching {
    private let exceptions: [FindingException]
    private let today: String
    /// The positions of the suppressions of each rule that have not expired.
    private var suppressions: [RuleID: [Int]] = [:]
    /// The positions of the entries of the baseline that have not expired, by rule and place.
    private var baseline: [String: [Int]] = [:]
    private var used: Set<Int> = []
    private var exceeded: Set<Int> = []

    init(_ settings: JudgmentSettings) {
        (exceptions, today) = (settings.exceptions, settings.today)
        for (index, exception) in exceptions.enumerated() where !exception.isExpired(on: today) {
            if exception.kind == .baseline, let place = exception.place {
                baseline["\(exception.rule)\n\(place.text)", default: []].append(index)
            } else {
                suppressions[exception.rule, default: []].append(index)
            }
        }
    }

    private func matching(_ rule: RuleID, _ key: String) -> [Int] {
        (suppressions[rule] ?? []).filter { exceptions[$0].matches(key) } + (baseline["\(rule)\n\(key)"] ?? [])
    }

    /// Counts the violations of each exception with a limit.
    mutating func count(_ violations: [(rule: RuleID, key: String, count: Int)]) {
        var counts: [Int: Int] = [:]
        for violation in violations {
            for index in matching(violation.rule, violation.key) { counts[index, default: 0] += violation.count }
        }
        for (index, count) in counts {
            if let limit = exceptions[index].maximumCount, count > limit { exceeded.insert(index) }
        }
    }

    /// Returns the exception for a finding; those of the configuration take precedence over the baseline.
    mutating func match(_ rule: RuleID, _ key: String) -> FindingException? {
        let matching = matching(rule, key).filter { !exceeded.contains($0) }
        used.formUnion(matching)
        let best = matching.first { exceptions[$0].kind == .suppression } ?? matching.first
        return best.map { exceptions[$0] }
    }

    /// The exceptions that applied to nothing, in their order.
    var unused: [UnusedException] {
        exceptions.enumerated().compactMap { index, exception in
            if exception.isExpired(on: today) { return UnusedException(exception: exception, cause: .expired) }
            if exceeded.contains(index) { return UnusedException(exception: exception, cause: .exceeded) }
            return used.contains(index) ? nil : UnusedException(exception: exception, cause: .unmatched)
        }
    }
}
