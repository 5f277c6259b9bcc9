extension LintRule {
    static let structureRules: [LintRule] = []
}
