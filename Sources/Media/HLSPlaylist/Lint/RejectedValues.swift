/// The values that the reader rejected, by line. A finding that only exists because the reader does not use a value
/// would be a second finding for one mistake, and it would be false: what was rejected counts as present.
struct RejectedValues {
    private let columns: [Int: [Int]]
    private let lines: [PlaylistLine]

    init(_ file: LintFile) {
        var columns: [Int: [Int]] = [:]
        for diagnostic in file.diagnostics where Self.rules.contains(diagnostic.rule) {
            columns[diagnostic.line, default: []].append(diagnostic.column)
        }
        self.columns = columns
        lines = file.lines
    }

    /// The rules of the reader about values.
    private static let rules: Set<RuleID> = [
        .malformedAttributeList, .malformedAttributeValue, .malformedTagValue, .missingAttribute, .undefinedVariable,
    ]

    /// Returns whether a finding is about an attribute that the reader reported, or about something that is missing on
    /// a line with a value that the reader reported.
    func explain(_ finding: Diagnostic) -> Bool {
        guard let reported = columns[finding.line], finding.line > 0, finding.line <= lines.count else { return false }
        if finding.rule.rawValue.contains("missing") || finding.rule.rawValue.contains("-without-") { return true }
        guard finding.column > 0 else { return false }
        let line = lines[finding.line - 1]
        guard let attribute = line.attribute(atColumn: finding.column) else { return false }
        return reported.contains { line.attribute(atColumn: $0) == attribute }
    }
}
