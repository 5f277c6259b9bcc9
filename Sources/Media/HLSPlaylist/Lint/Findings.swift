/// Collects what one rule finds in one playlist.
struct PlaylistFindings {
    let file: LintFile
    let rule: LintRule
    private(set) var diagnostics: [Diagnostic] = []

    init(file: LintFile, rule: LintRule) {
        self.file = file
        self.rule = rule
    }

    /// Reports at a line, or at the playlist as a whole when it is nil. The column is that of an attribute, if one is
    /// named.
    mutating func report(_ line: PlaylistLine?, attribute: String? = nil, _ message: String) {
        diagnostics.append(
            Diagnostic(
                rule: rule.id,
                severity: rule.severity,
                line: line?.number ?? 0,
                column: attribute.flatMap { line?.column(ofAttribute: $0) } ?? 0,
                message: message
            )
        )
    }
}

/// Collects what one rule finds in a presentation.
struct PresentationFindings {
    let rule: LintRule
    private(set) var findings: [LintFinding] = []

    init(rule: LintRule) { self.rule = rule }

    /// Reports at a line of a file, or at the file as a whole when the line is nil.
    mutating func report(_ file: LintFile, _ line: PlaylistLine?, attribute: String? = nil, _ message: String) {
        var one = PlaylistFindings(file: file, rule: rule)
        one.report(line, attribute: attribute, message)
        findings += one.diagnostics.map { LintFinding(file: file.name, diagnostic: $0) }
    }
}

/// Something that is wrong, and in which file.
public struct LintFinding: Hashable, Sendable {
    /// The playlist's path or URL.
    public let file: String
    /// What is wrong there.
    public let diagnostic: Diagnostic

    /// Makes a finding.
    public init(file: String, diagnostic: Diagnostic) {
        self.file = file
        self.diagnostic = diagnostic
    }
}
