import Foundation
import Testing

@testable import keyway

/// `UPDATE_DOCS=1 swift test --filter ValidationRuleDocumentationTests` rewrites the tables.
@Suite("docs/validate-rules.md", .serialized)
struct ValidationRuleDocumentationTests {
    private static let file = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("docs/validate-rules.md")

    @Test("lists exactly the rules of the catalog")
    func rules() throws {
        try check(RuleListing.ruleRows, after: "| Rule | Number | Level | Needs | Requirement | Notes |")
    }

    @Test("lists exactly the amendments of targets")
    func amendments() throws {
        try check(RuleListing.amendmentRows, after: "| Target | Number | Rules | Change | Amended requirement |")
    }

    @Test("lists exactly the requirements without a rule")
    func unchecked() throws {
        try check(RuleListing.uncheckedRows, after: "| Number | Level | Requirement | Reason |")
    }

    private func check(_ rows: [String], after heading: String) throws {
        let text = try String(contentsOf: Self.file, encoding: .utf8)
        let lines = text.components(separatedBy: "\n")
        let start = try #require(lines.firstIndex(of: heading)) + 2
        let end = try #require(lines[start...].firstIndex(of: ""))
        if ProcessInfo.processInfo.environment["UPDATE_DOCS"] != nil {
            let updated = lines[..<start] + rows + lines[end...]
            try updated.joined(separator: "\n").write(to: Self.file, atomically: true, encoding: .utf8)
        } else {
            #expect(
                Array(lines[start..<end]) == rows,
                "run UPDATE_DOCS=1 swift test --filter ValidationRuleDocumentationTests"
            )
        }
    }
}
