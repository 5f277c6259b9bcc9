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
            var findings: PlaylistFindings
            switch rule.check {
            case .playlist(let check):
                findings = PlaylistFindings(file: file, rule: rule)
                check(&findings)
            case .media(let check):
                guard let media else { continue }
                findings = PlaylistFindings(file: file, rule: rule)
                check(media, &findings)
            case .multivariant(let check):
                guard let multivariant else { continue }
                findings = PlaylistFindings(file: file, rule: rule)
                check(multivariant, &findings)
            case .syntax, .presentation, .reload: continue
            }
            diagnostics += findings.diagnostics
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
        var findings = check(multivariant).map { LintFinding(file: multivariant.name, diagnostic: $0) }
        for reference in presentation.references {
            guard let file = reference.file, !order.contains(file.name) else { continue }
            order.append(file.name)
            findings += check(file).map { LintFinding(file: file.name, diagnostic: $0) }
        }
        for rule in rules {
            guard case .presentation(let check) = rule.check else { continue }
            var found = PresentationFindings(rule: rule)
            check(presentation, &found)
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

extension PresentationSubject {
    init(_ multivariant: MultivariantSubject, load: (String) -> LintFile?) {
        var loaded: [String: LintFile?] = [:]
        func reference(_ role: Role, _ line: PlaylistLine, _ uri: String) -> Reference {
            let resolved = URIReference.resolve(uri, against: multivariant.file.name)
            let file: LintFile?
            if let known = loaded[resolved] {
                file = known
            } else {
                file = load(resolved)
                loaded[resolved] = .some(file)
            }
            let media = file.flatMap { $0.isJudged ? MediaSubject($0) : nil }
            return Reference(role: role, line: line, uri: resolved, file: file, media: media)
        }
        var references: [Reference] = []
        for (variant, line) in multivariant.variants {
            references.append(reference(.variant(variant), line, variant.uri))
        }
        for (tag, line) in multivariant.renditions {
            if let uri = tag.uri { references.append(reference(.rendition(tag), line, uri)) }
        }
        for (tag, line) in multivariant.iFrameVariants {
            references.append(reference(.iFrameVariant(tag), line, tag.uri))
        }
        self.multivariant = multivariant
        self.references = references.sorted { $0.line.number < $1.line.number }
    }
}
