import HLSPlaylist

/// Something that is wrong with a playlist, and what is needed to show it.
struct CheckFinding: Sendable {
    let rule: RuleID
    let severity: Diagnostic.Severity
    /// The playlist's name in output.
    let file: String
    /// From 1; 0 when the playlist as a whole is meant.
    let line: Int
    /// In bytes, from 1; 0 when the line as a whole is meant.
    let column: Int
    let message: String
    /// The line itself.
    let text: PlaylistLine?
    /// Which reload of a watched playlist shows it, from 1; nil for the first time that it was read.
    let reload: Int?

    /// Makes a finding.
    ///
    /// - Parameters:
    ///   - file: The playlist, if it could be read.
    ///   - name: Its name in output.
    ///   - reason: What is known beside the message.
    init(
        _ diagnostic: Diagnostic,
        in file: LintFile?,
        name: String,
        reason: String? = nil,
        reload: Int? = nil
    ) {
        rule = diagnostic.rule
        severity = diagnostic.severity
        self.file = name
        line = diagnostic.line
        column = diagnostic.column
        message = diagnostic.message + (reason.map { ": \($0)" } ?? "")
        let lines = file?.lines ?? []
        text = lines.indices.contains(diagnostic.line - 1) ? lines[diagnostic.line - 1] : nil
        self.reload = reload
    }
}

/// All that was judged, and what was found.
struct CheckFindings: Sendable {
    /// A playlist that was judged, or could not be.
    struct File: Sendable {
        /// Its name in output.
        let name: String
        /// What it is; nil when it was not read.
        let kind: Playlist.Kind?
        /// Why it was not read.
        let problem: String?
    }

    var files: [File] = []
    var findings: [CheckFinding] = []

    /// How many there are of a severity.
    func count(_ severity: Diagnostic.Severity) -> Int { findings.count { $0.severity == severity } }

    /// Adds what was found elsewhere.
    mutating func append(_ other: CheckFindings) {
        files += other.files
        findings += other.findings
    }

    /// The findings by rule: errors first, and among rules that matter equally in the order of the catalogue.
    var byRule: [(rule: RuleID, severity: Diagnostic.Severity, findings: [CheckFinding])] {
        let order = Dictionary(
            LintRule.all.enumerated().map { ($1.id, $0) },
            uniquingKeysWith: { first, _ in first }
        )
        let groups = Dictionary(grouping: findings) { $0.rule }
        return groups.map { rule, findings in
            (rule, findings.map(\.severity).max() ?? .note, findings)
        }.sorted { left, right in
            if left.severity != right.severity { return left.severity > right.severity }
            let (first, second) = (order[left.rule] ?? .max, order[right.rule] ?? .max)
            return first == second ? left.rule < right.rule : first < second
        }
    }
}

extension LintRule {
    /// The rule of a name.
    static func named(_ id: RuleID) -> LintRule? { all.first { $0.id == id } }
}
