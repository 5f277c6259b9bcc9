import ContentKeySession
import Foundation
import Testing

@testable import OfflineAssets

@Suite("docs/offline-keys.md")
struct OfflineKeysDocumentationTests {
    /// Returns the cells of the rows whose first cell is a name in backticks.
    private static func rows() throws -> [[String]] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(contentsOf: root.appending(path: "docs/offline-keys.md"), encoding: .utf8)
        return text.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { line in
            line.split(separator: "|").map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " `")) }
        }
    }

    @Test("The states are those of the code, each with its remedy")
    func states() throws {
        let names = Set(OfflineKeyState.allCases.map(\.rawValue))
        let rows = try Self.rows().filter { names.contains($0[0]) }
        #expect(rows.map { $0[0] } == OfflineKeyState.allCases.map(\.rawValue))
        #expect(rows.map(\.last) == OfflineKeyState.allCases.map(\.remedy.rawValue))
    }

    @Test("The reasons are those of the plan, in its order")
    func reasons() throws {
        let names = Set(EvictionPlan.Reason.allCases.map(\.rawValue))
        let rows = try Self.rows().filter { names.contains($0[0]) }
        #expect(rows.map { $0[0] } == EvictionPlan.Reason.allCases.map(\.rawValue))
    }
}
