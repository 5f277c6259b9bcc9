extension LintRule {
    static let lowLatencyRules: [LintRule] = []
}
