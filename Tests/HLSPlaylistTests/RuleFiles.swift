import HLSPlaylist
import Testing

/// Files that violate a rule with the expected findings, and similar files that do not violate it.
struct RuleFiles: Sendable, CustomTestStringConvertible {
    let rule: String
    /// The files that violate the rule. The first one is checked, together with the others if it is a Multivariant
    /// Playlist.
    let breaking: [(name: String, text: String)]
    /// The expected findings: `rule@line` in the first file, and `file:rule@line` in others.
    let findings: [String]
    let passing: [(name: String, text: String)]

    /// Creates a case with one playlist.
    init(_ rule: String, breaks: String, at findings: String..., passes: String) {
        self.rule = rule
        breaking = [("main.m3u8", breaks)]
        self.findings = findings
        passing = [("main.m3u8", passes)]
    }

    /// Creates a case with a Multivariant Playlist `main.m3u8` and its Media Playlists.
    init(
        _ rule: String,
        breaks: [(name: String, text: String)],
        at findings: String...,
        passes: [(name: String, text: String)]
    ) {
        self.rule = rule
        breaking = breaks
        self.findings = findings
        passing = passes
    }

    var testDescription: String { rule }

    /// Returns a VOD Media Playlist; the lines start at line 4.
    static func media(_ lines: String, ended: Bool = true) -> String {
        "#EXTM3U\n#EXT-X-VERSION:6\n#EXT-X-TARGETDURATION:6\n" + lines + (ended ? "\n#EXT-X-ENDLIST\n" : "\n")
    }

    /// Returns a Multivariant Playlist; the lines start at line 2.
    static func multivariant(_ lines: String) -> String { "#EXTM3U\n" + lines + "\n" }

    /// Returns the findings of rules: `rule@line` in the first file, and `file:rule@line` in others.
    static func findings(_ files: [(name: String, text: String)], _ rules: [LintRule]) throws -> [String] {
        let read = try files.map { try LintFile(name: $0.name, bytes: Array($0.text.utf8)) }
        guard let main = read.first else { return [] }
        let linter = Linter(rules: rules)
        guard case .multivariant = main.playlist, files.count > 1 else {
            return linter.check(main).map { "\($0.rule)@\($0.line)" }
        }
        return linter.check(presentation: main) { uri in read.first { $0.name == uri } }
            .map { finding in
                let text = "\(finding.diagnostic.rule)@\(finding.diagnostic.line)"
                return finding.file == main.name ? text : finding.file + ":" + text
            }
    }
}
