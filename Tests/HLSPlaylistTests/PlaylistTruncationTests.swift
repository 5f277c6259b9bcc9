import HLSPlaylist
import OwnThreads
import Testing
import VectorFiles

@Suite("Truncated playlists", .ownThreads)
struct PlaylistTruncationTests {
    private static let linter = Linter()

    @Test("truncated playlists are parsed leniently, checked, and written back unchanged")
    func truncated() throws {
        // Many vectors have the same beginning.
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

    /// Returns the problem of parsing and writing a playlist; nil when there is none.
    private static func problem(_ bytes: [UInt8]) throws -> String? {
        let file: LintFile
        do throws(PlaylistError) {
            file = try LintFile(name: "media.m3u8", bytes: bytes)
        } catch {
            return error.rule == .limitExceeded ? nil : "lenient parsing fails with \(error)"
        }
        // Checking takes the longest time, and partial lines do not add coverage.
        if bytes.isEmpty || bytes.last == 0x0A { _ = linter.check(file) }
        return try file.playlist.write() == bytes ? nil : "the written playlist differs"
    }

    /// Returns the end of every line; for small files, every byte offset.
    static func ends(_ bytes: [UInt8]) -> [Int] {
        if bytes.count < 2048 { return Array(0...bytes.count) }
        return [0] + bytes.indices.filter { bytes[$0] == 0x0A }.map { $0 + 1 } + [bytes.count]
    }
}
