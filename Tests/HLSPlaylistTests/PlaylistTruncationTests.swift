import HLSPlaylist
import Testing
import VectorFiles

@Suite("A playlist that ends early")
struct PlaylistTruncationTests {
    private static let linter = Linter()

    @Test("is read leniently, judged, and written back as it is", arguments: try PlaylistVectorFile.all())
    func truncated(_ vector: PlaylistVectorFile) throws {
        for (_, bytes) in vector.files {
            for end in Self.ends(bytes) {
                let prefix = Array(bytes[..<end])
                let file: LintFile
                do throws(PlaylistError) {
                    file = try LintFile(name: "media.m3u8", bytes: prefix)
                } catch {
                    // Nothing but a limit stops lenient reading.
                    #expect(error.rule == .limitExceeded)
                    continue
                }
                _ = Self.linter.check(file)
                if try file.playlist.write() != prefix { Issue.record("\(end) bytes are written back as others") }
            }
        }
    }

    /// Every line's end; in small files, every byte.
    static func ends(_ bytes: [UInt8]) -> [Int] {
        if bytes.count < 2048 { return Array(0...bytes.count) }
        return [0] + bytes.indices.filter { bytes[$0] == 0x0A }.map { $0 + 1 } + [bytes.count]
    }
}
