public import HLSPlaylist

/// The result of a validation.
public struct ValidationReport: Sendable {
    /// The presentation with its measurements.
    public let presentation: MeasuredPresentation
    /// The violations of the general rules, the most serious first.
    public let findings: [ValidationFinding]
    /// The violations of rules that only a target or the profile ``ValidationProfile/cmaf`` has, the most serious first.
    public let optionalFindings: [ValidationFinding]
    /// The violations of the rules for playlists, with those of Apple's profile.
    public let playlistFindings: [LintFinding]

    /// Judges a presentation.
    ///
    /// - Parameters:
    ///   - presentation: The presentation with its measurements.
    ///   - rules: The rules about what was measured.
    ///   - profiles: The profiles of the rules for playlists.
    public init(
        _ presentation: MeasuredPresentation,
        rules: [ValidationRule] = ValidationRule.all,
        profiles: Set<LintRule.Profile> = [.apple]
    ) {
        self.presentation = presentation
        let all = Self.findings(of: presentation, rules: rules)
        let optional = ValidationRule.optionalIDs
        let order = Dictionary(rules.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
        let sorted = all.enumerated().sorted { left, right in
            if left.element.level != right.element.level { return left.element.level > right.element.level }
            let (first, second) = (order[left.element.rule] ?? 0, order[right.element.rule] ?? 0)
            return first == second ? left.offset < right.offset : first < second
        }.map(\.element)
        findings = sorted.filter { !optional.contains($0.rule) }
        optionalFindings = sorted.filter { optional.contains($0.rule) }
        playlistFindings = Self.lint(presentation, profiles).adding(presentation.playlistObservations)
    }

    /// Returns the violations of rules, in the order of the rules.
    static func findings(of presentation: MeasuredPresentation, rules: [ValidationRule]) -> [ValidationFinding] {
        rules.flatMap { rule in
            var findings = ValidationFindings(rule)
            rule.check(presentation, &findings)
            return findings.findings.adding(presentation.observations, of: rule.id)
        }
    }

    private static func lint(_ presentation: MeasuredPresentation, _ profiles: Set<LintRule.Profile>) -> [LintFinding] {
        let linter = Linter(profiles: profiles)
        let files = Dictionary(
            presentation.renditions.map { ($0.name, $0.file) },
            uniquingKeysWith: { first, _ in first }
        )
        if let multivariant = presentation.multivariant {
            return linter.check(presentation: multivariant) { files[$0] }
        }
        return presentation.renditions.flatMap { rendition in
            linter.check(rendition.file).map { LintFinding(file: rendition.name, diagnostic: $0) }
        }
    }
}

extension ValidationReport {
    /// Returns the report of a watch with what keys showed in snapshots of the same presentation.
    public func addingKeyFindings(of snapshots: [ValidationReport]) -> ValidationReport {
        let rules = Set((ValidationRule.keyRules + ValidationRule.licenseRules).map(\.id))
        var presentation = presentation
        presentation.observations += snapshots.flatMap(\.findings).filter { rules.contains($0.rule) }
        return ValidationReport(presentation)
    }
}
