extension LintRule {
    static let dateRangeRules: [LintRule] = []
}
