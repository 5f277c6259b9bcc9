import HLSPlaylist

extension ValidationRule {
    /// Creates a rule that is checked while a presentation changes, by ``StreamWatch``.
    static func observed(
        _ id: RuleID,
        _ level: Level,
        _ number: String,
        _ need: Need,
        _ summary: String,
        advice: String
    ) -> ValidationRule {
        ValidationRule(id, level, number, need, summary, advice: advice) { _, _ in }
    }

    private static let observedLevels = Dictionary(
        (observedLiveRules + observedLowLatencyRules).map { ($0.id, $0.level) },
        uniquingKeysWith: { first, _ in first }
    )

    /// The level of a rule that is checked by ``StreamWatch``.
    fileprivate static func level(ofObserved id: RuleID) -> Level { observedLevels[id] ?? .must }
}

extension ValidationFinding {
    /// Creates a finding of a rule that is checked by ``StreamWatch``.
    init(
        observed rule: RuleID,
        _ place: Place,
        _ message: String,
        measured: String? = nil,
        limit: String? = nil
    ) {
        self.init(
            rule: rule,
            level: ValidationRule.level(ofObserved: rule),
            place: place,
            message: message,
            measured: measured,
            limit: limit
        )
    }
}

extension [ValidationFinding] {
    /// Adds the observations of a rule in playlists in which it was not found otherwise.
    func adding(_ observations: [ValidationFinding], of rule: RuleID) -> [ValidationFinding] {
        self
            + observations.filter { observation in
                observation.rule == rule
                    && !contains { $0.place.playlist == observation.place.playlist && $0.level == observation.level }
            }
    }
}

extension [LintFinding] {
    /// Adds the observations of rules in playlists in which they were not found otherwise.
    func adding(_ observations: [LintFinding]) -> [LintFinding] {
        var known: [String: Set<RuleID>] = [:]
        for finding in self { known[finding.file, default: []].insert(finding.diagnostic.rule) }
        return self + observations.filter { known[$0.file]?.contains($0.diagnostic.rule) != true }
    }
}
