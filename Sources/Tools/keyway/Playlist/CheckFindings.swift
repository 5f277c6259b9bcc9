import HLSPlaylist

/// Something that is wrong with a playlist or a manifest, and what is needed to show it.
struct CheckFinding: Sendable {
    let rule: RuleID
    let severity: Diagnostic.Severity
    /// The file's name in output.
    let file: String
    /// From 1; 0 when the file as a whole is meant.
    let line: Int
    /// In bytes, from 1; 0 when the line as a whole is meant.
    let column: Int
    let message: String
    /// The line itself.
    let text: PlaylistLine?
    /// Which reload of a watched playlist shows it, from 1; nil for the first time that it was read.
    let reload: Int?

    /// Whether it is about a manifest.
    let isAboutManifest: Bool

    /// What finds its rule.
    var key: CheckRule.Key { CheckRule.Key(id: rule, isAboutManifests: isAboutManifest) }

    /// Makes a finding about a manifest as a whole.
    init(aboutManifest rule: RuleID, severity: Diagnostic.Severity, file: String, message: String) {
        isAboutManifest = true
        (self.rule, self.severity, self.file, self.message) = (rule, severity, file, message)
        (line, column) = (0, 0)
        (text, reload) = (nil, nil)
    }

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
        isAboutManifest = false
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
    /// A playlist or a manifest that was judged, or could not be.
    struct File: Sendable {
        /// Its name in output.
        let name: String
        /// What it is; nil when it was not read.
        let kind: String?
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

    /// The findings by rule: errors first, and among rules that matter equally in the order of the catalog.
    var byRule: [(key: CheckRule.Key, severity: Diagnostic.Severity, findings: [CheckFinding])] {
        let groups = Dictionary(grouping: findings, by: \.key)
        return groups.map { key, findings in
            (key, findings.map(\.severity).max() ?? .note, findings)
        }.sorted { left, right in
            if left.severity != right.severity { return left.severity > right.severity }
            let (first, second) = (CheckRule.places[left.key] ?? .max, CheckRule.places[right.key] ?? .max)
            return first == second ? left.key.id < right.key.id : first < second
        }
    }
}
