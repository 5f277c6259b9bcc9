import Foundation
import HLSPlaylist
import Testing
import VectorFiles

@Suite("Rule catalog")
struct RuleCatalogTests {
    /// Returns the location of a page of the documentation.
    static func page(_ path: String) -> URL { VectorFile.root.deletingLastPathComponent().appending(path: path) }

    /// Returns the rows of a catalog of rules: id, severity, subject and section.
    static func rows(of path: String = "docs/playlist-rules.md") throws -> [String] {
        try String(contentsOf: page(path), encoding: .utf8).split(separator: "\n")
            .filter { $0.hasPrefix("| `") }
            .map { $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } }
            .filter { $0.count >= 5 }
            .map { [$0[0].trimmingCharacters(in: ["`"]), $0[1], $0[2], $0[3]].joined(separator: " | ") }
    }

    @Test("the catalog has all rules of the linter in the same order")
    func table() throws {
        let rules = LintRule.all.map { "\($0.id) | \($0.severity) | \($0.subject) | \($0.section)" }
        let rows = try Self.rows()
        #expect(rows.count > 100)
        #expect(rows.filter { !rules.contains($0) } == [], "the code does not have these rules")
        #expect(rules.filter { !rows.contains($0) } == [], "the catalog does not have these rules")
        #expect(rules == rows, "the order of the rules differs")
    }

    @Test("rule IDs are unique")
    func unique() {
        #expect(Set(LintRule.all.map(\.id)).count == LintRule.all.count)
    }

    @Test("every rule has a summary of one line")
    func summaries() {
        for rule in LintRule.all {
            #expect(!rule.summary.isEmpty && rule.summary.count <= 120 && !rule.summary.contains("\n"), "\(rule.id)")
        }
    }
}
