extension LintRule {
    static let multivariantRules: [LintRule] = []
}
