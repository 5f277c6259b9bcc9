extension LintRule {
    static let versionRules: [LintRule] = []
}
