import HLSPlaylist

/// A violation of a rule in a playlist or a manifest, with the data to print it.
struct CheckFinding: Sendable {
    let rule: RuleID
    let severity: Diagnostic.Severity
    /// The name of the file in output.
    let file: String
    /// The line number, from 1; 0 if the finding is about the whole file.
    let line: Int
    /// The column in bytes, from 1; 0 if the finding is about the whole line.
    let column: Int
    /// The column after the part of the line that the finding is about; 0 if it is about the whole line.
    let endColumn: Int
    let message: String
    /// The mechanical correction, if there is one.
    let fix: PlaylistFix?
    /// The place in another file with which the file is inconsistent, with the name of the file in output; nil when the
    /// finding is about one file.
    let other: LintFinding.Place?
    /// The line.
    let text: PlaylistLine?
    /// The number of the reload that shows the finding, from 1; nil for the first load.
    let reload: Int?

    /// True if the finding is about a DASH manifest.
    let isAboutManifest: Bool

    /// The key of the finding's rule.
    var key: CheckRule.Key { CheckRule.Key(id: rule, isAboutManifests: isAboutManifest) }

    /// Creates a finding about a manifest as a whole.
    init(aboutManifest rule: RuleID, severity: Diagnostic.Severity, file: String, message: String) {
        isAboutManifest = true
        (self.rule, self.severity, self.file, self.message) = (rule, severity, file, message)
        (line, column, endColumn) = (0, 0, 0)
        (fix, other, text, reload) = (nil, nil, nil, nil)
    }

    /// Creates a finding about a playlist.
    ///
    /// - Parameters:
    ///   - file: The playlist, if it could be parsed.
    ///   - name: The name of the playlist in output.
    ///   - reason: The cause, which is appended to the message.
    ///   - other: The place in another file, with the name of the file in output.
    init(
        _ diagnostic: Diagnostic,
        in file: LintFile?,
        name: String,
        reason: String? = nil,
        reload: Int? = nil,
        other: LintFinding.Place? = nil
    ) {
        isAboutManifest = false
        rule = diagnostic.rule
        severity = diagnostic.severity
        self.file = name
        self.other = other
        line = diagnostic.line
        (column, endColumn) = (diagnostic.column, diagnostic.endColumn)
        fix = diagnostic.fix
        message = diagnostic.message + (reason.map { ": \($0)" } ?? "")
        let lines = file?.lines ?? []
        text = lines.indices.contains(diagnostic.line - 1) ? lines[diagnostic.line - 1] : nil
        self.reload = reload
    }
}

/// The checked files and the findings in them.
struct CheckFindings: Sendable {
    /// A playlist or manifest that was checked or could not be read.
    struct File: Sendable {
        /// The name of the file in output.
        let name: String
        /// The type of the file; nil if it was not read.
        let kind: String?
        /// The reason why the file was not read.
        let problem: String?
    }

    var files: [File] = []
    var findings: [CheckFinding] = []
    /// The playlists that were watched.
    var watched: [WatchSummary] = []

    /// Returns the number of findings of a severity.
    func count(_ severity: Diagnostic.Severity) -> Int { findings.count { $0.severity == severity } }

    /// Adds the files and findings of another check.
    mutating func append(_ other: CheckFindings) {
        files += other.files
        findings += other.findings
        watched += other.watched
    }

    /// The findings by rule: ordered by severity, errors first, then by the order of the catalog.
    var byRule: [(key: CheckRule.Key, severity: Diagnostic.Severity, findings: [CheckFinding])] {
        let groups = Dictionary(grouping: findings, by: \.key)
        return groups.map { key, findings in
            (key, findings.map(\.severity).max() ?? .note, findings)
        }.sorted { left, right in
            if left.severity != right.severity { return left.severity > right.severity }
            let (first, second) = (CheckRule.positions[left.key] ?? .max, CheckRule.positions[right.key] ?? .max)
            return first == second ? left.key.id < right.key.id : first < second
        }
    }
}
