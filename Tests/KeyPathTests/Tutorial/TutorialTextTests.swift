import Foundation
import Testing

@Suite("FromAnAppToOneWithKeys.md")
struct TutorialTextTests {
    /// A code block and the step that it belongs to.
    private struct Block: Equatable {
        let step: Int
        var lines: [String] = []
    }

    private static let here = URL(filePath: #filePath).deletingLastPathComponent()
    private static let root = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private static func lines(_ file: URL) throws -> [String] {
        try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
            .map { $0.trimmingCharacters(in: .whitespaces) }
    }

    private static func article() throws -> [Block] {
        let folder = root.appending(path: "Sources/Client/ContentKeySession/ContentKeySession.docc")
        var (blocks, step): ([Block], Int) = ([], 0)
        var block: Block?
        for line in try lines(folder.appending(path: "FromAnAppToOneWithKeys.md")) {
            if line.hasPrefix("### ") { step = Int(line.dropFirst(4).prefix { $0 != "." }) ?? 0 }
            switch (line, block) {
            case ("```swift", nil): block = Block(step: step)
            case ("```", let done?):
                blocks.append(done)
                block = nil
            default: block?.lines.append(line)
            }
        }
        return blocks
    }

    private static func code() throws -> [Block] {
        var blocks: [Block] = []
        for name in ["TutorialPlaying.swift", "TutorialCare.swift"] {
            var block: Block?
            for line in try lines(here.appending(path: name)) {
                if line.hasPrefix("// step ") {
                    block = Block(step: Int(line.dropFirst("// step ".count)) ?? 0)
                } else if line == "// end" {
                    if let block { blocks.append(block) }
                    block = nil
                } else {
                    block?.lines.append(line)
                }
            }
        }
        return blocks
    }

    @Test("Contains exactly the code that is compiled and run")
    func same() throws {
        let (article, code) = (try Self.article(), try Self.code())
        for (written, tested) in zip(article, code) {
            #expect(written.step == tested.step)
            #expect(written.lines == tested.lines)
        }
        #expect(article.count == code.count)
        #expect(Set(article.map(\.step)) == Set(1...10))
    }
}
