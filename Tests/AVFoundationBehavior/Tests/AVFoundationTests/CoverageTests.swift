import Foundation
import Testing

@Suite struct CoverageTests {
    /// Advice to apps, which the classes cannot show.
    private static let withoutTest: Set<Int> = [75]

    @Test("Each rule of the behavior has a test that names it")
    func rules() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        var found: Set<Int> = []
        for file in files where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            for name in text.matches(of: /@Test\(\s*"Rules? ([0-9, and]+):/) {
                found.formUnion(name.1.split { !$0.isNumber }.compactMap { Int($0) })
            }
        }
        #expect(Set(1...123).subtracting(Self.withoutTest).subtracting(found).sorted() == [])
    }
}
