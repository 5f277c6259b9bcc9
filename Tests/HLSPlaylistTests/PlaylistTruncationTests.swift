import HLSPlaylist
import Testing
import VectorFiles

@Suite("A playlist that ends early")
struct PlaylistTruncationTests {
    @Test("is read leniently, judged, and written back as it is", arguments: try PlaylistVectorFile.all())
    func truncated(_ vector: PlaylistVectorFile) throws {
        for (_, bytes) in vector.files {
            for end in Self.ends(bytes) {
                let prefix = Array(bytes[..<end])
                let playlist: Playlist
                do throws(PlaylistError) {
                    playlist = try Playlist.parseLeniently(prefix).playlist
                } catch {
                    // Nothing but a limit stops lenient reading.
                    #expect(error.rule == .limitExceeded)
                    continue
                }
                let file = try LintFile(name: "media.m3u8", bytes: prefix)
                _ = Linter().check(file)
                if try playlist.write() != prefix { Issue.record("\(end) bytes are written back as others") }
            }
        }
    }

    /// Every line's end; in small files, every byte.
    static func ends(_ bytes: [UInt8]) -> [Int] {
        if bytes.count < 2048 { return Array(0...bytes.count) }
        return [0] + bytes.indices.filter { bytes[$0] == 0x0A }.map { $0 + 1 } + [bytes.count]
    }
}
