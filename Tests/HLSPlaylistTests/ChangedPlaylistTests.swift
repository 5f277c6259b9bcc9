import HLSPlaylist
import Testing

/// The parts of a playlist that a change must preserve. FuzzPlaylist found most of these cases.
@Suite("Changed playlists")
struct ChangedPlaylistTests {
    private static func text(_ playlist: Playlist) throws -> String {
        String(decoding: try playlist.write(), as: UTF8.self)
    }

    private static func media(_ body: String, options: ParsingOptions = ParsingOptions()) throws -> MediaPlaylist {
        try MediaPlaylist(parsing: Array(("#EXTM3U\n#EXT-X-TARGETDURATION:6\n" + body).utf8), options: options)
    }

    @Test("the order of keys and initialization sections is preserved")
    func keysAndMaps() throws {
        let a = "#EXT-X-KEY:METHOD=AES-128,URI=\"a\"\n"
        let b = "#EXT-X-KEY:METHOD=AES-128,URI=\"b\"\n"
        let map = "#EXT-X-MAP:URI=\"init.mp4\"\n"
        var playlist = try Self.media(a + map + b + "#EXTINF:6,\n1.m4s\n")
        playlist.segments[0].tags.removeFirst()
        let written = try Self.text(.media(playlist))
        #expect(written == "#EXTM3U\n#EXT-X-TARGETDURATION:6\n" + map + b + "#EXTINF:6,\n1.m4s\n")
    }

    @Test("an ignored variant and its neighbors keep their URIs")
    func ignoredVariant() throws {
        let text = """
            #EXTM3U
            #EXT-X-STREAM-INF:BANDWIDTH=1,REQ-NEW=1
            ignored.m3u8
            #EXT-X-STREAM-INF:BANDWIDTH=2
            two.m3u8
            #EXT-X-STREAM-INF:BANDWIDTH=3
            three.m3u8

            """
        var playlist = try MultivariantPlaylist(parsing: Array(text.utf8))
        playlist.variants[0].uri = "other.m3u8"
        #expect(try Self.text(.multivariant(playlist)) == text.replacing("two.m3u8", with: "other.m3u8"))
        playlist.variants.removeFirst()
        let expected = text.replacing("#EXT-X-STREAM-INF:BANDWIDTH=2\ntwo.m3u8\n", with: "")
        #expect(try Self.text(.multivariant(playlist)) == expected)
    }

    @Test("references to a variable are replaced with its old value when the variable changes")
    func redefined() throws {
        var playlist = try Self.media(
            "#EXT-X-DEFINE:NAME=\"a\",VALUE=\"x\"\n#EXTINF:6,\n{$a}/1.ts\n#EXTINF:6,\n2.ts\n"
        )
        playlist.defines[0] = DefineTag(.value(name: "a", value: "y"))
        #expect(try Self.text(.media(playlist)).contains("\nx/1.ts\n"))
        #expect(try MediaPlaylist(parsing: playlist.write()) == playlist)
    }

    @Test("segments that a delta update skips keep the values of their variables")
    func variablesOfTheBase() throws {
        func playlist(_ token: String, _ body: String) throws -> MediaPlaylist {
            try Self.media(
                "#EXT-X-DEFINE:QUERYPARAM=\"t\"\n" + body,
                options: ParsingOptions(url: "https://example.com/a.m3u8?t=\(token)")
            )
        }
        let base = try playlist("old", "#EXTINF:6,\n1.ts?{$t}\n#EXTINF:6,\n2.ts?{$t}\n")
        let update = try playlist("new", "#EXT-X-SKIP:SKIPPED-SEGMENTS=2\n#EXTINF:6,\n3.ts?{$t}\n")
        let merged = try base.applying(update)
        let options = ParsingOptions(url: "https://example.com/a.m3u8?t=new")
        let again = try MediaPlaylist(parsing: merged.write(), options: options)
        #expect(again.segments.map(\.uri) == ["1.ts?old", "2.ts?old", "3.ts?new"])
    }

    @Test("a byte range that continues a removed segment receives an offset")
    func inheritedOffset() throws {
        let ranges = (0..<3).map { _ in "#EXTINF:6,\n#EXT-X-BYTERANGE:100\nall.ts\n" }.joined()
        let base = try Self.media("#EXTINF:6,\n#EXT-X-BYTERANGE:100@50\nall.ts\n" + ranges)
        let update = try Self.media("#EXT-X-MEDIA-SEQUENCE:2\n#EXT-X-SKIP:SKIPPED-SEGMENTS=2\n")
        let resolved = Array(try base.applying(update).resolvedSegments())
        #expect(resolved.map(\.byteRange) == [250..<350, 350..<450])
    }

    @Test("an inherited key applies to the initialization section before the segment's own key")
    func inheritedKey() throws {
        let base = try Self.media(
            "#EXT-X-KEY:METHOD=AES-128,URI=\"a\"\n#EXTINF:6,\n1.m4s\n"
                + "#EXT-X-MAP:URI=\"init.mp4\"\n#EXT-X-KEY:METHOD=AES-128,URI=\"b\"\n#EXTINF:6,\n2.m4s\n"
        )
        let update = try Self.media("#EXT-X-MEDIA-SEQUENCE:1\n#EXT-X-SKIP:SKIPPED-SEGMENTS=1\n")
        let resolved = Array(try base.applying(update).resolvedSegments())
        #expect(resolved[0].initialization?.keys.keys.map(\.uri) == ["a"])
        #expect(resolved[0].keys.keys.map(\.uri) == ["b"])
    }

    @Test("a Target Duration of 0 is preserved")
    func zero() throws {
        var playlist = try MediaPlaylist(parsing: Array("#EXTM3U\n#EXT-X-TARGETDURATION:0\n".utf8))
        playlist.isEnded = true
        #expect(try Self.text(.media(playlist)) == "#EXTM3U\n#EXT-X-TARGETDURATION:0\n#EXT-X-ENDLIST\n")
    }

    @Test("a rejected duplicate tag is preserved when the first tag changes")
    func duplicate() throws {
        let bytes = Array("#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\n1.ts\n".utf8)
        guard case .media(var playlist) = try Playlist.parseLeniently(bytes).playlist else {
            Issue.record("the playlist is not a Media Playlist")
            return
        }
        playlist.targetDuration = 7
        let expected = "#EXTM3U\n#EXT-X-TARGETDURATION:7\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\n1.ts\n"
        #expect(try Self.text(.media(playlist)) == expected)
    }

    @Test("line numbers start at 1 with a byte order mark and without #EXTM3U")
    func lineNumbers() throws {
        let text = "#EXT-X-TARGETDURATION:6\n#EXTINF:x,\n1.ts\n"
        for bytes in [[0xEF, 0xBB, 0xBF] + Array(("#EXTM3U\n" + text).utf8), Array(text.utf8)] {
            let line = bytes[0] == 0xEF ? 3 : 2
            let (playlist, diagnostics) = try Playlist.parseLeniently(bytes)
            #expect(diagnostics.map(\.line) == [1, line])
            #expect(try Playlist.lines(of: bytes).map(\.number) == Array(1...line + 1))
            // The byte order mark is removed when the playlist is changed.
            guard case .media(var media) = playlist else { continue }
            media.isEnded = true
            #expect(try media.write().first == UInt8(ascii: "#"))
        }
    }

    @Test("values that could not be parsed again are not written")
    func unwritable() throws {
        func refuses(_ change: (inout MediaSegment) -> Void) {
            var segment = MediaSegment(uri: "1.m4s", duration: 6)
            change(&segment)
            let playlist = MediaPlaylist(targetDuration: 6, segments: [segment])
            #expect(throws: PlaylistError.self) { try playlist.write() }
        }
        refuses { $0.uri = "#\u{301}" }
        refuses { $0.uri = " 1.m4s" }
        refuses { $0.title = "\u{85}" }
        refuses { $0.map = MapTag(uri: "") }
        refuses { $0.programDateTime = PlaylistDate(seconds: .max) }
        refuses { $0.programDateTime = PlaylistDate(seconds: 0, utcOffset: 6000) }
        refuses { $0.dateRanges = [DateRangeTag(id: "a", scte35Out: [])] }
        let twice = Attribute(name: "URI", value: "b", isQuoted: true)
        refuses { $0.map = MapTag(uri: "a", otherAttributes: [twice]) }
    }

    @Test("the fast path and the general parser return the same dates")
    func dates() {
        for (text, seconds) in [
            ("2026-01-01T00:00:00.000Z", 1_767_225_600), ("2024-02-29T23:59:60.999Z", 1_709_251_200),
            ("0000-03-01T00:00:00.000Z", -62_162_035_200),
        ] as [(String, Int64)] {
            #expect(PlaylistDate(text)?.seconds == seconds)
            #expect(PlaylistDate(text) == PlaylistDate(text.replacing("Z", with: "+00:00")))
        }
        for text in [
            "2025-02-29T00:00:00.000Z", "2026-01-01T24:00:00.001Z", "2026-01-01T00:00:0:.000Z",
            "2026-01-01T00:00:00.00/Z",
        ] {
            #expect(PlaylistDate(text) == nil)
        }
    }
}
