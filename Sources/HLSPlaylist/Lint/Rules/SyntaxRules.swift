extension LintRule {
    static let syntaxRules: [LintRule] = []
}
