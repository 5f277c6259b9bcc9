import Foundation
import Testing

@Suite("The stores of persistent keys in the documentation")
struct DocumentedStoreTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    @Test(
        "A page contains the code that is compiled and run",
        arguments: [
            ("docs/testing.md", "Tests/KeywayTestingTests/KeyFolder.swift"),
            ("docs/key-loader.md", "Tests/AVFoundationBehavior/Tests/AdapterTests/StoredKeys.swift"),
        ]
    )
    func same(page: String, file: String) throws {
        let text = try String(contentsOf: Self.root.appending(path: page), encoding: .utf8)
        let source = try String(contentsOf: Self.root.appending(path: file), encoding: .utf8)
        let begin = try #require(source.range(of: "// begin\n"))
        let end = try #require(source.range(of: "// end\n"))
        let code = source[begin.upperBound..<end.lowerBound]
        #expect(code.count > 500)
        #expect(text.contains("```swift\n\(code)```\n"), "\(page) differs from \(file)")
    }
}
