extension LintFile {
    /// Returns the diagnostics of the playlist with the corrections that solve them.
    func withFixes(_ diagnostics: [Diagnostic]) -> [Diagnostic] {
        // The lines of a file whose lines end with CR are fixed together.
        guard !PlaylistSource(bytes).usesCR,
            diagnostics.contains(where: { Self.lineRules.contains($0.rule) || Self.headerTags[$0.rule] != nil }),
            let fixes = try? Playlist.fixes(for: bytes), !fixes.isEmpty
        else { return diagnostics }
        let byLine = Dictionary(grouping: fixes, by: \.line)
        let ranges = PlaylistFixer.lines(bytes)
        return diagnostics.map { diagnostic in
            var result = diagnostic
            if let tag = Self.headerTags[diagnostic.rule] {
                result.fix = fixes.first { solves($0, tag) }
            } else if Self.lineRules.contains(diagnostic.rule) {
                result.fix = byLine[diagnostic.line]?.first { fix in
                    fix.line <= ranges.count && solves(fix, diagnostic.rule, Array(bytes[ranges[fix.line - 1]]))
                }
            }
            return result
        }
    }

    /// The rules of the reader for single lines.
    private static let lineRules: Set<RuleID> = [
        .whitespace, .controlCharacter, .malformedTagValue, .malformedAttributeList, .malformedAttributeValue,
        .missingComma, .tabInTitle, .missingAttribute, .unknownAttribute, .unknownTag, .unknownEnumeratedValue,
    ]

    /// The rules for tags of the whole playlist, and the tags.
    private static let headerTags: [RuleID: TagName] = [
        .bom: .extM3U, .missingExtM3U: .extM3U, .missingTargetDuration: .targetDuration,
        "version-too-low": .version,
    ]

    /// Returns whether a fix inserts a tag, or changes its line.
    private func solves(_ fix: PlaylistFix, _ tag: TagName) -> Bool {
        let name = "#" + tag.rawValue
        if fix.replacement.hasPrefix(name) { return true }
        // The byte order mark is removed from the first line.
        if tag == .extM3U { return fix.line == 1 }
        return fix.line <= lines.count && lines[fix.line - 1].text.hasPrefix(name + ":")
    }

    /// Returns whether the corrected line alone does not violate the rule.
    private func solves(_ fix: PlaylistFix, _ rule: RuleID, _ line: [UInt8]) -> Bool {
        let text = Array("#EXTM3U\n".utf8) + Playlist.applying([fix.moved(toLine: 1)], to: line)
        guard let found = try? Playlist.parseLeniently(text).diagnostics else { return false }
        return !found.contains { $0.line > 0 && $0.rule == rule }
    }
}
