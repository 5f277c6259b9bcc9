/// Judges playlists by rules.
///
///     let file = try LintFile(name: "main.m3u8", bytes: bytes)
///     for finding in Linter().check(file) { print(finding) }
public struct Linter: Sendable {
    /// The rules that are kept.
    public let rules: [LintRule]
    private let enabled: Set<RuleID>

    /// Makes a linter with all rules.
    public init() { self.init(rules: LintRule.all) }

    /// Makes a linter with all rules but some.
    public init(disabled: Set<RuleID>) { self.init(rules: LintRule.all.filter { !disabled.contains($0.id) }) }

    /// Makes a linter with some rules.
    public init(rules: [LintRule]) {
        self.rules = rules
        enabled = Set(rules.map(\.id))
    }

    /// Judges one playlist by itself. The findings are in the order of the lines.
    public func check(_ file: LintFile) -> [Diagnostic] {
        var diagnostics = file.diagnostics.filter { enabled.contains($0.rule) }
        guard file.isJudged else { return diagnostics }
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
                diagnostics += findings.diagnostics
            }
        }
        return diagnostics.sorted { ($0.line, $0.rule) < ($1.line, $1.rule) }
    }

    /// Judges a Multivariant Playlist and its Media Playlists: each by itself, then what holds between them.
    ///
    /// - Parameters:
    ///   - multivariant: The Multivariant Playlist.
    ///   - load: Gives the playlist at a resolved URI; nil when it cannot be read. It is called once for each URI.
    /// - Returns: The findings, file by file, the Multivariant Playlist first.
    public func check(presentation multivariant: LintFile, load: (String) -> LintFile?) -> [LintFinding] {
        guard let subject = MultivariantSubject(multivariant), multivariant.isJudged else {
            return check(multivariant).map { LintFinding(file: multivariant.name, diagnostic: $0) }
        }
        let presentation = PresentationSubject(subject, load: load)
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

    /// Judges what changed between two snapshots of one Media Playlist. Neither is judged by itself.
    public func check(reloadFrom before: LintFile, to after: LintFile) -> [Diagnostic] {
        guard before.isJudged, after.isJudged, let first = MediaSubject(before), let second = MediaSubject(after) else {
            return []
        }
        let subject = ReloadSubject(before: first, after: second, merged: try? first.playlist.applying(second.playlist))
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
