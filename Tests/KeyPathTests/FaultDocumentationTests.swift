import Foundation
import Testing

/// `UPDATE_DOCS=1 swift test --filter FaultDocumentationTests` updates the table.
@Suite("docs/key-loader.md")
struct FaultDocumentationTests {
    private static let file = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("docs/key-loader.md")

    @Test("Lists exactly the faults that are tested, with their results")
    func table() throws {
        let rows = FaultCase.all.map(\.row)
        #expect(Set(rows).count == rows.count)
        let text = try String(contentsOf: Self.file, encoding: .utf8)
        let lines = text.components(separatedBy: "\n")
        let heading = "| Fault | Result of the request | Attempts | Error log |"
        let start = try #require(lines.firstIndex(of: heading)) + 2
        let end = try #require(lines[start...].firstIndex(of: ""))
        if ProcessInfo.processInfo.environment["UPDATE_DOCS"] != nil {
            let updated = lines[..<start] + rows + lines[end...]
            try updated.joined(separator: "\n").write(to: Self.file, atomically: true, encoding: .utf8)
        } else {
            #expect(Array(lines[start..<end]) == rows)
        }
    }
}
