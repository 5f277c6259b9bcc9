import Foundation
import HLSPlaylist
import Testing
import VectorFiles

@Suite("The code in the articles")
struct ArticleTests {
    static let root = VectorFile.root.deletingLastPathComponent()

    /// Returns the lines of code of a document, without indentation.
    static func code(in document: String) throws -> [String] {
        let text = try String(contentsOf: root.appending(path: document), encoding: .utf8)
        var lines: [String] = []
        var isCode = false
        for line in text.components(separatedBy: "\n") {
            if line.hasPrefix("```") { isCode = line == "```swift" } else if isCode { lines.append(trimmed(line)) }
        }
        return lines.filter { !$0.isEmpty }
    }

    private static func trimmed(_ line: String) -> String { line.trimmingCharacters(in: .whitespaces) }

    @Test(
        "the code in the articles is the code that is tested",
        arguments: [
            ("Sources/Media/HLSPlaylist/HLSPlaylist.docc/FromAPlaylistToItsKeys.md", "enum KeyArticle {"),
            ("docs/playlists.md", "enum PlaylistDocument {"),
        ]
    )
    func same(_ document: String, _ name: String) throws {
        let source = try String(
            contentsOf: URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "ArticleCode.swift"),
            encoding: .utf8
        )
        let start = try #require(source.range(of: name)).upperBound
        let end = try #require(source[start...].range(of: "\n}\n")).lowerBound
        let tested = source[start..<end].components(separatedBy: "\n").map(Self.trimmed).filter { !$0.isEmpty }
            .map { $0.hasPrefix("static func ") ? String($0.dropFirst("static ".count)) : $0 }
        let code = try Self.code(in: document)
        #expect(code.count > 40)
        #expect(code == tested)
    }

    private static let multivariant = """
        #EXTM3U
        #EXT-X-DEFINE:NAME="film",VALUE="film-7"
        #EXT-X-SESSION-KEY:METHOD=SAMPLE-AES,URI="skd://film-7/1",KEYFORMAT="com.apple.streamingkeydelivery"
        #EXT-X-SESSION-KEY:METHOD=AES-128,URI="k"
        #EXT-X-STREAM-INF:BANDWIDTH=1
        media.m3u8

        """

    /// A playlist with a clear lead, two keys, a clear advertisement, and an upcoming key.
    private static let rotating = """
        #EXTM3U
        #EXT-X-VERSION:8
        #EXT-X-TARGETDURATION:6
        #EXT-X-DEFINE:IMPORT="film"
        #EXT-X-MAP:URI="clear.mp4"
        #EXTINF:6,
        0.m4s
        #EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://{$film}/1",KEYFORMAT="com.apple.streamingkeydelivery"
        #EXT-X-MAP:URI="1.mp4"
        #EXTINF:6,
        1.m4s
        #EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://{$film}/2",KEYFORMAT="com.apple.streamingkeydelivery"
        #EXTINF:6,
        2.m4s
        #EXT-X-KEY:METHOD=NONE
        #EXT-X-MAP:URI="clear.mp4"
        #EXTINF:6,
        3.m4s
        #EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://{$film}/3",KEYFORMAT="com.apple.streamingkeydelivery"

        """

    @Test("the keys of a stream are found, including session keys and upcoming keys")
    func keys() throws {
        let main = try MultivariantPlaylist(parsing: Array(Self.multivariant.utf8))
        #expect(KeyArticle.sessionKeys(in: main).map(\.uri) == ["skd://film-7/1"])
        let media = try KeyArticle.media(Array(Self.rotating.utf8), from: "https://a/m.m3u8", of: main)
        let required = try KeyArticle.requiredKeys(of: media, .fairPlay).map(\.uri)
        #expect(required == ["skd://film-7/1", "skd://film-7/2"])
        #expect(KeyArticle.upcomingKeys(of: media).map(\.uri) == ["skd://film-7/3"])
        #expect(throws: KeyArticle.NoUsableKey.self) { try KeyArticle.requiredKeys(of: media, .widevine) }
        #expect(try PlaylistDocument.fairPlayURIs(media) == ["skd://film-7/1", "skd://film-7/2"])
    }

    @Test("the initialization vectors are found")
    func vectors() throws {
        let text = """
            #EXTM3U
            #EXT-X-VERSION:6
            #EXT-X-TARGETDURATION:6
            #EXT-X-MEDIA-SEQUENCE:258
            #EXT-X-KEY:METHOD=AES-128,URI="key",IV=0x000102030405060708090A0B0C0D0E0F
            #EXT-X-MAP:URI="init.mp4"
            #EXT-X-KEY:METHOD=AES-128,URI="/key2"
            #EXTINF:6,
            a.m4s
            #EXT-X-KEY:METHOD=NONE
            #EXTINF:6,
            b.m4s

            """
        let steps = try KeyArticle.steps(of: MediaPlaylist(parsing: Array(text.utf8)), at: "https://a/b/m.m3u8")
        let number: [UInt8] = Array(repeating: 0, count: 14) + [1, 2]
        let expected = [
            KeyArticle.Step(resource: "init.mp4", key: "https://a/b/key", iv: Array(0..<16)),
            KeyArticle.Step(resource: "a.m4s", key: "https://a/key2", iv: number),
            KeyArticle.Step(resource: "b.m4s", key: nil, iv: nil),
        ]
        #expect(steps == expected)
    }

    @Test("a delta update is applied, or reported as not applicable")
    func deltaUpdate() throws {
        let options = ParsingOptions(importedVariables: ["film": "film-7"])
        let before = try MediaPlaylist(parsing: Array(Self.rotating.utf8), options: options)
        let header = "#EXTM3U\n#EXT-X-VERSION:9\n#EXT-X-TARGETDURATION:6\n#EXT-X-MEDIA-SEQUENCE:1\n"
        let update = Array((header + "#EXT-X-SKIP:SKIPPED-SEGMENTS=3\n#EXTINF:6,\n4.m4s\n").utf8)
        let merged = try #require(try KeyArticle.reloaded(before, with: update))
        #expect(merged.segments.map(\.uri) == ["1.m4s", "2.m4s", "3.m4s", "4.m4s"])
        #expect(try PlaylistDocument.next(update, after: before) == merged)
        let late = Array((header + "#EXT-X-SKIP:SKIPPED-SEGMENTS=9\n#EXTINF:6,\n9.m4s\n").utf8)
        #expect(try KeyArticle.reloaded(before, with: late) == nil)
    }

    @Test("playlists are parsed strictly, leniently and within limits")
    func reading() throws {
        let film = Array(RoundTripTests.live.utf8)
        #expect(try PlaylistDocument.describe(film, from: "https://a/m.m3u8") == "2 segments, 12.012 seconds")
        #expect(try PlaylistDocument.describe(Array(Self.multivariant.utf8), from: "") == "1 variants")
        let damaged = Array(RoundTripTests.live.replacing("#EXT-X-KEY:METHOD", with: "#EXT-X-KEY:method").utf8)
        let lenient = try #require(try PlaylistDocument.readWhatCanBeRead(damaged))
        #expect(lenient.segments.count == 2)
        #expect(try lenient.resolvedSegments().allSatisfy { $0.keys.isEncrypted })
        #expect(throws: PlaylistError.self) { try PlaylistDocument.check(damaged) }
        #expect(try PlaylistDocument.check(film).kind == .media)
        let long = "#EXTM3U\n#EXT-X-TARGETDURATION:6\n" + String(repeating: "#EXTINF:6,\na.ts\n", count: 50_001)
        let limit = #expect(throws: PlaylistError.self) { try PlaylistDocument.readFromAnywhere(Array(long.utf8)) }
        #expect(limit?.rule == .limitExceeded)
    }

    @Test("only the URIs are changed, and new playlists are valid")
    func writing() throws {
        let local = try PlaylistDocument.localized(Array(RoundTripTests.live.utf8)) { "file-" + $0 }
        let expected = RoundTripTests.live.replacing("\n100.m4s", with: "\nfile-100.m4s")
            .replacing("\n101.m4s", with: "\nfile-101.m4s").replacing("\"init.mp4", with: "\"file-init.mp4")
        #expect(String(decoding: local, as: UTF8.self) == expected)
        let made = try PlaylistDocument.playlist(of: [("0.m4s", 6), ("1.m4s", 4.5)])
        let file = try LintFile(name: "made.m3u8", bytes: made)
        #expect(Linter().check(file).filter { $0.severity > .note }.isEmpty)
        let media = try MediaPlaylist(parsing: made)
        #expect(media.segments.map(\.duration) == [6, 4.5])
        #expect(try media.resolvedSegments().allSatisfy { $0.keys[.fairPlay]?.uri == "skd://film-7/hd" })
        #expect(try PlaylistDocument.playlist(of: []).isEmpty == false)
    }

    @Test("a clip and a film with an advertisement keep their keys")
    func editing() throws {
        let clip = try MediaPlaylist(parsing: PlaylistDocument.clip(Array(RoundTripTests.live.utf8), from: 1, count: 1))
        #expect(try clip.resolvedSegments().map { $0.keys[.fairPlay]?.uri } == ["skd://a"])
        var film = try MediaPlaylist(parsing: Array(RoundTripTests.live.utf8))
        let ad = try MediaPlaylist(parsing: PlaylistDocument.playlist(of: [("ad.m4s", 6)]))
        try PlaylistDocument.addAdvertisement(ad, from: "https://ads.example/m.m3u8", to: &film)
        #expect(film.segments.map(\.uri) == ["100.m4s", "101.m4s", "https://ads.example/ad.m4s"])
        #expect(try film.resolvedSegments().map { $0.keys[.fairPlay]?.uri }.last == "skd://film-7/hd")
    }

    @Test("a changed line has the values of its variables, and the others keep the references")
    func variables() throws {
        let text = "#EXTM3U\n#EXT-X-VERSION:8\n#EXT-X-TARGETDURATION:6\n#EXT-X-DEFINE:NAME=\"a\",VALUE=\"1\"\n"
        let segments = "#EXTINF:6,\n{$a}.ts\n#EXTINF:6,\n{$a}2.ts\n"
        let written = try PlaylistDocument.localized(Array((text + segments).utf8)) { $0 == "1.ts" ? "local.ts" : $0 }
        #expect(String(decoding: written, as: UTF8.self) == text + "#EXTINF:6,\nlocal.ts\n#EXTINF:6,\n{$a}2.ts\n")
    }

    @Test("a playlist, a presentation and a reload are checked")
    func checking() throws {
        let fairPlay = RoundTripTests.live.replacing(
            "\"skd://a\",",
            with: "\"skd://a\",IV=0x\(String(repeating: "0", count: 32)),"
        )
        let problems = try PlaylistDocument.problems(in: Array(fairPlay.utf8), of: "https://a/m.m3u8")
        #expect(problems.map(\.rule).contains("fairplay-iv"))
        let presentation = ProtectedPresentation().files
        let load = { (uri: String) in presentation.first { $0.name == uri }.map { Array($0.text.utf8) } }
        #expect(try PlaylistDocument.problems(inPresentation: "main.m3u8", load: load).isEmpty)
        let withoutAudio = { (uri: String) in uri == "audio.m3u8" ? nil : load(uri) }
        let missing = try PlaylistDocument.problems(inPresentation: "main.m3u8", load: withoutAudio)
        #expect(missing.map(\.diagnostic.rule) == ["media-playlist-missing"])
        #expect(try PlaylistDocument.problems(from: Array(fairPlay.utf8), to: Array(fairPlay.utf8)).isEmpty)
    }
}
