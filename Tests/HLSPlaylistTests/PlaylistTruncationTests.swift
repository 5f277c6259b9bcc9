import HLSPlaylist
import Testing
import VectorFiles

@Suite("A playlist that ends early")
struct PlaylistTruncationTests {
    private static let linter = Linter()

    @Test("is read leniently, judged, and written back as it is")
    func truncated() throws {
        // Many vectors begin alike.
        var seen: Set<[UInt8]> = []
        for vector in try PlaylistVectorFile.all() {
            for (_, bytes) in vector.files {
                for end in Self.ends(bytes) where seen.insert(Array(bytes[..<end])).inserted {
                    if let problem = try Self.problem(Array(bytes[..<end])) {
                        Issue.record("\(vector), \(end) bytes: \(problem)")
                    }
                }
            }
        }
    }

    /// What is wrong with the reading of a playlist; nil when nothing is.
    private static func problem(_ bytes: [UInt8]) throws -> String? {
        let file: LintFile
        do throws(PlaylistError) {
            file = try LintFile(name: "media.m3u8", bytes: bytes)
        } catch {
            return error.rule == .limitExceeded ? nil : "lenient reading ends with \(error)"
        }
        // Judging takes longest, and half a line says no more to it than none.
        if bytes.isEmpty || bytes.last == 0x0A { _ = linter.check(file) }
        return try file.playlist.write() == bytes ? nil : "it is written back as another"
    }

    /// Every line's end; in small files, every byte.
    static func ends(_ bytes: [UInt8]) -> [Int] {
        if bytes.count < 2048 { return Array(0...bytes.count) }
        return [0] + bytes.indices.filter { bytes[$0] == 0x0A }.map { $0 + 1 } + [bytes.count]
    }
}
