extension LintRule {
    static let reloadRules: [LintRule] = []
}
