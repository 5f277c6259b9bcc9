/// Checks playlists against rules.
///
///     let file = try LintFile(name: "main.m3u8", bytes: bytes)
///     for finding in Linter().check(file) { print(finding) }
public struct Linter: Sendable {
    /// The enabled rules.
    public let rules: [LintRule]
    /// The properties of a stream that playlists cannot declare.
    public var options = LintOptions()
    private let enabled: Set<RuleID>

    /// Creates a linter with all rules.
    public init() { self.init(rules: LintRule.all) }

    /// Creates a linter with all rules except the disabled ones.
    public init(disabled: Set<RuleID>) { self.init(rules: LintRule.all.filter { !disabled.contains($0.id) }) }

    /// Creates a linter with all rules and those of the profiles, except the disabled ones.
    public init(profiles: Set<LintRule.Profile>, disabled: Set<RuleID> = []) {
        self.init(rules: LintRule.all(with: profiles).filter { !disabled.contains($0.id) })
    }

    /// Creates a linter with the given rules.
    public init(rules: [LintRule]) {
        self.rules = rules
        enabled = Set(rules.map(\.id))
    }

    /// Checks one playlist alone. The findings are in the order of the lines.
    public func check(_ file: LintFile) -> [Diagnostic] {
        var diagnostics = file.diagnostics.filter { enabled.contains($0.rule) }
        guard file.isCheckable else { return file.withFixes(diagnostics) }
        let rejected = RejectedValues(file)
        let media = MediaSubject(file)
        let multivariant = MultivariantSubject(file)
        for rule in rules {
            for check in rule.check.parts {
                var findings = PlaylistFindings(file: file, rule: rule)
                switch check {
                case .playlist(let check): check(&findings)
                case .media(let check): if let media { check(media, &findings) }
                case .multivariant(let check): if let multivariant { check(multivariant, &findings) }
                case .syntax, .presentation, .reload, .several: continue
                }
                diagnostics += findings.diagnostics.filter { !rejected.explain($0) }
            }
        }
        // A misspelled tag is also an unknown one.
        let misspelled = Set(diagnostics.lazy.filter { $0.rule == .misspelledTag }.map(\.line))
        if !misspelled.isEmpty { diagnostics.removeAll { $0.rule == .unknownTag && misspelled.contains($0.line) } }
        return file.withFixes(diagnostics.sorted { ($0.line, $0.rule) < ($1.line, $1.rule) })
    }

    /// Checks a Multivariant Playlist and its Media Playlists: each playlist alone, then the presentation as a whole.
    ///
    /// - Parameters:
    ///   - multivariant: The Multivariant Playlist.
    ///   - load: Returns the playlist at a resolved URI, or nil when it cannot be read. It is called once for each URI.
    /// - Returns: The findings, grouped by file, those of the Multivariant Playlist first.
    public func check(presentation multivariant: LintFile, load: (String) -> LintFile?) -> [LintFinding] {
        guard let subject = MultivariantSubject(multivariant), multivariant.isCheckable else {
            return check(multivariant).map { LintFinding(file: multivariant.name, diagnostic: $0) }
        }
        let presentation = PresentationSubject(subject, options, load: load)
        var order = [multivariant.name]
        var seen: Set = [multivariant.name]
        var findings = check(multivariant).map { LintFinding(file: multivariant.name, diagnostic: $0) }
        for reference in presentation.references {
            guard let file = reference.file, seen.insert(file.name).inserted else { continue }
            order.append(file.name)
            findings += check(file).map { LintFinding(file: file.name, diagnostic: $0) }
        }
        for rule in rules {
            var found = PresentationFindings(rule: rule)
            for case .presentation(let check) in rule.check.parts { check(presentation, &found) }
            findings += found.findings
        }
        let rank = Dictionary(order.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        return findings.sorted { left, right in
            (rank[left.file] ?? .max, left.diagnostic.line, left.diagnostic.rule)
                < (rank[right.file] ?? .max, right.diagnostic.line, right.diagnostic.rule)
        }
    }

    /// Checks the changes between two snapshots of one Media Playlist. Neither snapshot is checked alone.
    public func check(reloadFrom before: LintFile, to after: LintFile) -> [Diagnostic] {
        guard before.isCheckable, after.isCheckable, let first = MediaSubject(before), let second = MediaSubject(after)
        else {
            return []
        }
        let subject = ReloadSubject(
            before: first,
            after: second,
            merged: try? first.playlist.applying(second.playlist),
            ignoresQueries: options.ignoresQueries
        )
        var diagnostics: [Diagnostic] = []
        for rule in rules {
            guard case .reload(let check) = rule.check else { continue }
            var findings = PlaylistFindings(file: after, rule: rule)
            check(subject, &findings)
            diagnostics += findings.diagnostics
        }
        return diagnostics.sorted { ($0.line, $0.rule) < ($1.line, $1.rule) }
    }
}
