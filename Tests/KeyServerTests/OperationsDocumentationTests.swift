import Foundation
import Testing

@testable import KeyServer

/// `UPDATE_DOCS=1 swift test --filter OperationsDocumentationTests` rewrites the tables.
@Suite("docs/reference, the pages about the server", .serialized)
struct OperationsDocumentationTests {
    private static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("docs/reference")

    @Test("lists exactly the existing settings")
    func settings() throws {
        let rows = ServerConfiguration.settings.map { setting in
            let variable = setting.variable.map { "`\($0)`" } ?? "-"
            let defaultValue = setting.defaultValue.map { "`\($0)`" } ?? "-"
            return "| `\(setting.path)` | \(variable) | \(setting.expected) | \(defaultValue) | \(setting.help) |"
        }
        try check(rows, in: "settings.md", after: "| Setting | Variable | Value | Default | Description |")
    }

    @Test("lists exactly the existing metrics")
    func metrics() throws {
        let metrics = ServerMetrics()
        metrics.addConnections([:])
        metrics.addReadings(MetricSources())
        let rows = metrics.registry.descriptions.map { metric in
            let labels = metric.labels.map { "`\($0)`" }.joined(separator: ", ")
            return "| `\(metric.name)` | \(metric.kind.rawValue) | \(labels.isEmpty ? "-" : labels) | \(metric.help) |"
        }
        try check(rows, in: "metrics.md", after: "| Metric | Type | Labels | Description |")
    }

    private func check(_ rows: [String], in page: String, after heading: String) throws {
        let file = Self.folder.appendingPathComponent(page)
        let text = try String(contentsOf: file, encoding: .utf8)
        let lines = text.components(separatedBy: "\n")
        let start = try #require(lines.firstIndex(of: heading)) + 2
        let end = try #require(lines[start...].firstIndex { !$0.hasPrefix("|") })
        if ProcessInfo.processInfo.environment["UPDATE_DOCS"] != nil {
            let updated = lines[..<start] + rows + lines[end...]
            try updated.joined(separator: "\n").write(to: file, atomically: true, encoding: .utf8)
        } else {
            #expect(Array(lines[start..<end]) == rows)
        }
    }
}
