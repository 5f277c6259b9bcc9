/// Collects the findings of one rule in one playlist.
struct PlaylistFindings {
    let file: LintFile
    let rule: LintRule
    private(set) var diagnostics: [Diagnostic] = []

    init(file: LintFile, rule: LintRule) {
        self.file = file
        self.rule = rule
    }

    /// Adds a finding for a line, or for the whole playlist when the line is nil. If an attribute is named, the finding
    /// has the column of the attribute, unless a column is given.
    mutating func report(_ line: PlaylistLine?, attribute: String? = nil, column: Int? = nil, _ message: String) {
        let column = column ?? attribute.flatMap { line?.column(ofAttribute: $0) } ?? 0
        diagnostics.append(
            Diagnostic(
                rule: rule.id,
                severity: rule.severity,
                line: line?.number ?? 0,
                column: column,
                endColumn: column > 0 ? line?.endColumn(from: column) ?? 0 : 0,
                message: message
            )
        )
    }
}

/// Collects the findings of one rule in a presentation.
struct PresentationFindings {
    let rule: LintRule
    private(set) var findings: [LintFinding] = []

    init(rule: LintRule) { self.rule = rule }

    /// Adds a finding for a line of a file, or for the whole file when the line is nil.
    ///
    /// - Parameter other: The place in another file with which the file is inconsistent, if there is one.
    mutating func report(
        _ file: LintFile,
        _ line: PlaylistLine?,
        attribute: String? = nil,
        other: LintFinding.Place? = nil,
        _ message: String
    ) {
        var one = PlaylistFindings(file: file, rule: rule)
        one.report(line, attribute: attribute, message)
        findings += one.diagnostics.map { LintFinding(file: file.name, diagnostic: $0, other: other) }
    }
}

/// A diagnostic together with the name of the file that it is about.
public struct LintFinding: Hashable, Sendable {
    /// The playlist's path or URL.
    public let file: String
    /// The problem in the file.
    public let diagnostic: Diagnostic
    /// The place in another file with which this file is inconsistent; nil when the finding is about one file.
    public let other: Place?

    /// A line of a file.
    public struct Place: Hashable, Sendable {
        /// The playlist's path or URL.
        public let file: String
        /// The line number, starting at 1; 0 for the whole playlist.
        public let line: Int

        /// Creates a place.
        public init(file: String, line: Int) {
            self.file = file
            self.line = line
        }

        init(_ file: LintFile, _ line: PlaylistLine?) { self.init(file: file.name, line: line?.number ?? 0) }
    }

    /// Creates a finding.
    public init(file: String, diagnostic: Diagnostic, other: Place? = nil) {
        self.file = file
        self.diagnostic = diagnostic
        self.other = other
    }
}
