import Foundation
import OwnThreads
import Testing

/// Tests of `keyway playlist fix`.
@Suite("keyway playlist fix", .timeLimit(.minutes(10)), .ownThreads)
struct PlaylistFixCommandTests {
    static let broken = """
        #EXTM3U
        #EXT-X-TARGETDURATION: 6
        #EXT-X-PLAYLIST-TYPE:VOD
        #EXTINF:6.0,\t
        a.ts
        #EXTINF:5.5
        b.ts
        #EXT-X-ENDLIST

        """
    static let correct = """
        #EXTM3U
        #EXT-X-VERSION:3
        #EXT-X-TARGETDURATION:6
        #EXT-X-PLAYLIST-TYPE:VOD
        #EXTINF:6.0,
        a.ts
        #EXTINF:5.5,
        b.ts
        #EXT-X-ENDLIST

        """

    let tool: Tool

    init() throws { tool = try Tool() }

    @Test("the corrected playlist is printed, and the corrections on standard error")
    func prints() throws {
        let path = try tool.file("a.m3u8", Self.broken.utf8)
        let result = try tool.run(["playlist", "fix", path])
        #expect(result.status == 0 && result.text == Self.correct)
        #expect(result.errors.split(separator: "\n").count == 4)
        #expect(result.errors.contains("a.m3u8:6:12: the comma after the duration is added"))
        #expect(try tool.content(path) == Array(Self.broken.utf8))
        let again = try tool.run(["playlist", "fix", "-"], input: result.output)
        #expect(again.output == result.output && again.errors.contains("nothing to correct"))
    }

    @Test("--in-place replaces the file and prints nothing to standard output")
    func inPlace() throws {
        let path = try tool.file("a.m3u8", Self.broken.utf8)
        let result = try tool.run(["playlist", "fix", "--in-place", path])
        #expect(result.status == 0 && result.output.isEmpty)
        #expect(try tool.content(path) == Array(Self.correct.utf8))
        #expect(try tool.run(["playlist", "fix", "--in-place", "-"]).status == 2)
        #expect(try tool.run(["playlist", "fix", "--in-place", "--dry-run", path]).status == 2)
    }

    @Test(
        "--dry-run prints a diff that patch applies",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/patch")),
        arguments: [false, true]
    )
    func dryRun(_ isLong: Bool) throws {
        let segments = (0..<20).map { "#EXTINF:6,\n\($0).ts\n" }.joined()
        let more = isLong ? segments + "#EXTINF:4\nlast.ts" : ""
        let path = try tool.file("a.m3u8", (Self.broken + more).utf8)
        let result = try tool.run(["playlist", "fix", "--dry-run", path])
        #expect(try tool.content(path) == Array((Self.broken + more).utf8))
        let diff = try tool.file("a.diff", result.output)
        let patch = Process()
        patch.executableURL = URL(filePath: "/usr/bin/patch")
        patch.arguments = ["--quiet", path, diff]
        try patch.run()
        patch.waitUntilExit()
        #expect(patch.terminationStatus == 0)
        #expect(try tool.content(path) == Array((Self.correct + more.replacing(":4\n", with: ":4,\n")).utf8))
        #expect(result.text.components(separatedBy: "@@ -").count == (isLong ? 3 : 2))
    }

    @Test("errors that remain are printed, and the exit code is 1")
    func remaining() throws {
        let text = Self.broken.replacing("#EXTINF:5.5", with: "#EXTINF:five,")
        let path = try tool.file("a.m3u8", text.utf8)
        let result = try tool.run(["playlist", "fix", path])
        #expect(result.status == 1 && result.text.contains("#EXTINF:five,"))
        #expect(result.errors.contains("remaining: ") && result.errors.contains("[malformed-tag-value]"))
        #expect(result.errors.contains("error: 1 error cannot be corrected mechanically"))
        let json = try tool.run(["playlist", "fix", "--json", path]).json()
        #expect((json["fixes"] as? [[String: Any]])?.count == 3)
        let rules = (json["remaining"] as? [[String: Any]])?.compactMap { $0["rule"] as? String }
        #expect(rules?.contains("malformed-tag-value") == true)
    }

    @Test("a file that is not a playlist is refused and not changed")
    func notAPlaylist() throws {
        let path = try tool.file("a.html", "<html></html>\n".utf8)
        let result = try tool.run(["playlist", "fix", "--in-place", path])
        #expect(result.status == 1 && result.errors.contains("not a playlist"))
        #expect(try tool.content(path) == Array("<html></html>\n".utf8))
        #expect(try tool.run(["playlist", "fix", tool.path("missing.m3u8")]).status == 3)
    }
}
