extension LintRule {
    static let presentationRules: [LintRule] = []
}
