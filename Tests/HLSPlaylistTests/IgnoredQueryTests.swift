import HLSPlaylist
import Testing

@Suite("Reloads without queries")
struct IgnoredQueryTests {
    private static func rules(
        _ before: String,
        _ after: String,
        ignoresQueries: Bool = true
    ) throws -> [String] {
        var linter = Linter()
        linter.options.ignoresQueries = ignoresQueries
        let files = try [before, after].map {
            try LintFile(name: "a.m3u8", bytes: Array("#EXTM3U\n#EXT-X-VERSION:6\n#EXT-X-TARGETDURATION:6\n\($0)".utf8))
        }
        return linter.check(reloadFrom: files[0], to: files[1]).map(\.rule.rawValue)
    }

    private static let lines = """
        #EXT-X-KEY:METHOD=AES-128,URI="k?t=1",IV=0x000102030405060708090A0B0C0D0E0F
        #EXT-X-MAP:URI="i.mp4?t=1"
        #EXTINF:6,
        a.mp4?t=1
        #EXTINF:6,
        b.mp4?t=1
        #EXTINF:6,
        c.mp4?t=1

        """

    @Test("tokens that change are findings, unless queries are ignored")
    func tokens() throws {
        let after = Self.lines.replacing("t=1", with: "t=2")
        let found = try Self.rules(Self.lines, after, ignoresQueries: false)
        #expect(found == ["reload-key-changed", "reload-map-changed", "reload-segment-changed"])
        #expect(try Self.rules(Self.lines, after) == [])
        let vod = "#EXT-X-PLAYLIST-TYPE:VOD\n"
        #expect(try Self.rules(vod + Self.lines, vod + after) == [])
        #expect(try Self.rules(vod + Self.lines, vod + after, ignoresQueries: false) == ["reload-vod-changed"])
    }

    @Test("other changes are findings without queries too")
    func changes() throws {
        #expect(try Self.rules(Self.lines, Self.lines.replacing("b.mp4", with: "x.mp4")) == ["reload-segment-changed"])
        #expect(try Self.rules(Self.lines, Self.lines.replacing("i.mp4", with: "j.mp4")) == ["reload-map-changed"])
        #expect(try Self.rules(Self.lines, Self.lines.replacing("k?t", with: "l?t")) == ["reload-key-changed"])
        // The query of a FairPlay key's URI may identify the key.
        let fairPlay = Self.lines.replacing("AES-128", with: "SAMPLE-AES")
            .replacing("IV=0x000102030405060708090A0B0C0D0E0F", with: "KEYFORMAT=\"com.apple.streamingkeydelivery\"")
        #expect(try Self.rules(fairPlay, fairPlay.replacing("k?t=1", with: "k?t=2")) == ["reload-key-changed"])
        let vod = "#EXT-X-PLAYLIST-TYPE:VOD\n" + Self.lines
        #expect(try Self.rules(vod, vod.replacing("b.mp4", with: "x.mp4")) == ["reload-vod-changed"])
    }

    @Test("a message about a query names the parameters, not their values")
    func message() throws {
        let files = try ["secret1", "secret2"].map { token in
            let text = "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\na.ts?x=1&token=\(token)\n"
            return try LintFile(name: "a.m3u8", bytes: Array(text.utf8))
        }
        let found = Linter().check(reloadFrom: files[0], to: files[1])
        let message = try #require(found.first { $0.rule == "reload-segment-changed" }?.message)
        #expect(message.contains("only the query of this segment's URI changed, in the parameters \"token\""))
        #expect(!message.contains("secret"))
    }

    @Test("a long file name is shortened in the middle")
    func longNames() throws {
        func line(_ end: String) throws -> String {
            let uri = "https://h/" + String(repeating: "folder/", count: 60) + "segment-\(end).ts"
            let text = "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\n"
            let files = try [uri, "b.ts"].map { try LintFile(name: "a.m3u8", bytes: Array((text + $0 + "\n").utf8)) }
            return try #require(Linter().check(reloadFrom: files[0], to: files[1]).first?.message)
        }
        #expect(try line("one").contains("folder/segment-one.ts\""))
        #expect(try line("two").count < 400)
    }
}
