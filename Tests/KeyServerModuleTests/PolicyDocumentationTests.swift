import Foundation
import Testing

@testable import KeyServerModule

/// `UPDATE_DOCS=1 swift test --filter PolicyDocumentationTests` updates the tables.
@Suite("docs/policy.md", .serialized)
struct PolicyDocumentationTests {
    private static let file = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "docs/policy.md")

    @Test("The table of fields has the rows of the code; UPDATE_DOCS=1 updates it")
    func fields() throws {
        let rows = PolicyField.all.flatMap { field in
            let report = field.report == nil ? "" : "; can [require a report](#required-reports)"
            let first = "| `\(field.name)` | \(field.values)\(report) | \(field.summary) | \(field.ifMissing) |"
            return [first]
                + field.members.map { "| `\(field.name).\($0.name)` | \($0.values) | \($0.summary) | see below |" }
        }
        try require(rows, under: "| Field | Values | Meaning | If missing |")
    }

    @Test("The table of merged values has the rows of the code; UPDATE_DOCS=1 updates it")
    func merged() throws {
        var fields: [(merged: String, names: [String])] = []
        for field in PolicyField.all {
            if let index = fields.firstIndex(where: { $0.merged == field.merged }) {
                fields[index].names.append("`\(field.name)`")
            } else {
                fields.append((field.merged, ["`\(field.name)`"]))
            }
        }
        let rows = fields.map { "| \($0.names.joined(separator: ", ")) | \($0.merged) |" }
        try require(rows + ["| `requireReport` | true if one requires it |"], under: "| Field | Merged value |")
    }

    private func require(_ rows: [String], under heading: String) throws {
        let lines = try String(contentsOf: Self.file, encoding: .utf8).components(separatedBy: "\n")
        let start = try #require(lines.firstIndex(of: heading)) + 2
        let end = try #require(lines[start...].firstIndex(of: ""))
        if ProcessInfo.processInfo.environment["UPDATE_DOCS"] != nil {
            let updated = lines[..<start] + rows + lines[end...]
            try updated.joined(separator: "\n").write(to: Self.file, atomically: true, encoding: .utf8)
        } else {
            #expect(Array(lines[start..<end]) == rows, "run UPDATE_DOCS=1 swift test --filter PolicyDocumentationTests")
        }
    }
}
