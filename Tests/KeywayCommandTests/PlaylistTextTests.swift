import Foundation
import HLSPlaylist
import Testing

@testable import keyway

/// Tests of the conversion of playlist text for output.
@Suite("Playlist text")
struct PlaylistTextTests {
    @Test(
        "URIs are printed without parts that may be secret",
        arguments: [
            ("a.m3u8?token=1#x", "a.m3u8?…"),
            ("https://user:pass@host/a?b", "https://…@host/a?…"),
            ("https://host/a@b", "https://host/a@b"),
            ("skd://movie/1", "skd://movie/1"),
            ("data:text/plain;base64,AAAA", "data:text/plain;base64,…"),
            ("DATA:,key", "DATA:,…"),
            ("a#b", "a#…"),
            ("a?", "a?"),
            ("", ""),
        ]
    )
    func cut(uri: String, shown: String) {
        #expect(PlaylistText.redacted(uri) == shown)
    }

    @Test("Messages are escaped, and their URIs redacted")
    func message() {
        let text = "no key \"https://a/b?c=d\" and (data:,x) here\u{1b}[2J? see 'skd://e?f'"
        #expect(PlaylistText.message(text) == "no key \"https://a/b?…\" and (data:,x) here\\u{1b}[2J? see 'skd://e?…'")
        #expect(PlaylistText.message("why? \"a.m3u8?token=b\" is") == "why? \"a.m3u8?…\" is")
        #expect(PlaylistText.printable("a\u{202e}b\u{7f}") == "a\\u{202e}b\\u{7f}")
        #expect(PlaylistText.printable(String(repeating: "x", count: 500)).count == 401)
    }

    @Test("The caret is below the column, after any characters")
    func caret() {
        let line = "#EXT-X-KEY:URI=\"a?secret\",IV=0x1"
        let excerpt = Excerpt(line, column: 27)
        #expect(excerpt.text == "#EXT-X-KEY:URI=\"a?…\",IV=0x1")
        #expect(excerpt.caret == 21)
        #expect(Array(excerpt.text)[excerpt.caret ?? 0] == "I")
        // Columns count bytes, so control characters and multi-byte characters before the column matter.
        let wide = Excerpt("é\u{1b}x", column: 4)
        #expect(wide.text == "é\\u{1b}x")
        #expect(wide.caret == 7)
        #expect(Excerpt("abc", column: 0).caret == nil)
        #expect(Excerpt("abc", column: 9).caret == 3)
    }

    @Test("Long lines are shortened around the column")
    func cutLine() throws {
        let line = String(repeating: "a", count: 500) + "X" + String(repeating: "b", count: 500)
        let excerpt = Excerpt(line, column: 501)
        #expect(excerpt.text.count == 102)
        #expect(Array(excerpt.text)[try #require(excerpt.caret)] == "X")
        #expect(Excerpt(line, column: 1).text.hasPrefix("aaa"))
        #expect(Excerpt(line, column: 1001).text.hasSuffix("bbb"))
        #expect(Excerpt(String(repeating: "a", count: 1 << 20), column: 7).text == "(a line of 1048576 bytes)")
    }

    @Test("Relative URIs are resolved for any path of a playlist")
    func base() throws {
        let folders = [
            "/a/b": "/a/b", "a b": "a b", "50%": "50%", "a?b#c": "a?b#c", "a:b": "a:b", "//a": "/a", "./a:b": "a:b",
            "é": "é", "../a": "../a",
        ]
        for (folder, expected) in folders {
            let location = PlaylistLocation.file("\(folder)/main.m3u8")
            let uri = URIReference.resolve("media%201.m3u8?x#y", against: location.base)
            #expect(try location.child(uri) == .file("\(expected)/media 1.m3u8"))
        }
    }

    @Test("Partial segments are compared one by one")
    func parts() throws {
        func playlist(_ parts: [PartTag]) -> Playlist {
            let segment = MediaSegment(uri: "a.ts", duration: 1, tags: parts.map { .part($0) })
            return .media(MediaPlaylist(targetDuration: 1, segments: [segment]))
        }
        let (a, b) = (PartTag(uri: "1.ts", duration: 0.5), PartTag(uri: "2.ts", duration: 0.5))
        func words(_ before: [PartTag], _ after: [PartTag]) throws -> String? {
            let changes = try #require(PlaylistDifference(playlist(before), playlist(after))).changes
            return changes.last.map { "\($0.attributes.map { "\($0.name) \($0.before as Any) \($0.after as Any)" })" }
        }
        #expect(try words([a, b], [a, b]) == nil)
        #expect(try words([a, a], [a, b])?.contains("2.ts") == true)
        #expect(try words([a, b], [])?.contains("quantity(2") == true)
    }

    @Test("Segments are compared by number, also at the maximum number")
    func extremes() throws {
        func playlist(_ first: UInt64, _ count: Int) -> Playlist {
            var playlist = MediaPlaylist(targetDuration: 1)
            playlist.mediaSequence = first
            playlist.segments = (0..<count).map { _ in MediaSegment(uri: "a.ts", duration: 1) }
            return .media(playlist)
        }
        func subjects(_ before: Playlist, _ after: Playlist) throws -> [String] {
            let difference = try #require(PlaylistDifference(before, after))
            return difference.changes.filter { $0.place == "Segments" }.map { change in
                change.kind.sign + change.subject.map(TextRenderer().line).joined()
            }
        }
        #expect(try subjects(playlist(0, 3), playlist(1, 3)) == ["-0", "+3"])
        #expect(try subjects(playlist(1, 3), playlist(0, 3)) == ["-3", "+0"])
        #expect(try subjects(playlist(0, 3), playlist(9, 2)) == ["-0-2", "+9-10"])
        #expect(try subjects(playlist(9, 2), playlist(0, 3)) == ["-9-10", "+0-2"])
        #expect(try subjects(playlist(0, 0), playlist(5, 1)) == ["+5"])
        #expect(try subjects(playlist(5, 1), playlist(0, 0)) == ["-5"])
        #expect(try subjects(playlist(.max, 2), playlist(0, 2)).count == 2)
        #expect(try subjects(playlist(0, 2), playlist(.max, 2)).count == 2)
    }
}
