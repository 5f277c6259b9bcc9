import HLSPlaylist
import Testing

@Suite("Edited playlists")
struct PlaylistEditTests {
    private static func read(_ text: String) throws -> MediaPlaylist { try MediaPlaylist(parsing: Array(text.utf8)) }

    private static func text(_ playlist: MediaPlaylist) throws -> String {
        String(decoding: try playlist.write(), as: UTF8.self)
    }

    @Test("CR LF line endings are preserved, and used for new lines")
    func carriageReturns() throws {
        var playlist = try Self.read(
            "#EXTM3U\r\n#EXT-X-TARGETDURATION:6\r\n#EXTINF:6,\r\na.ts\r\n#EXTINF:6,\r\nb.ts\r\n"
        )
        playlist.segments[0].uri = "c.ts"
        playlist.segments[1].isDiscontinuity = true
        playlist.isEnded = true
        let expected =
            "#EXTM3U\r\n#EXT-X-TARGETDURATION:6\r\n#EXTINF:6,\r\nc.ts\r\n#EXT-X-DISCONTINUITY\r\n#EXTINF:6,\r\nb.ts\r\n"
            + "#EXT-X-ENDLIST\r\n"
        #expect(try Self.text(playlist) == expected)
    }

    @Test("tags before an incomplete segment are preserved")
    func unfinishedSegment() throws {
        let source = """
            #EXTM3U
            #EXT-X-VERSION:4
            #EXT-X-TARGETDURATION:4
            #EXT-X-PART-INF:PART-TARGET=1
            #EXT-X-SERVER-CONTROL:PART-HOLD-BACK=3
            #EXTINF:4,
            a.ts
            #EXT-X-DISCONTINUITY
            #EXT-X-PROGRAM-DATE-TIME:2026-01-01T00:00:04.000Z
            #EXT-X-GAP
            #EXT-X-PART:URI="b.0.ts",DURATION=1,GAP=YES
            #EXT-X-BYTERANGE:100@0
            #EXT-X-PRELOAD-HINT:TYPE=PART,URI="b.1.ts"

            """
        var playlist = try Self.read(source)
        #expect(playlist.upcoming.isGap && playlist.upcoming.byteRange == ByteRange(length: 100, offset: 0))
        playlist.preloadHints[0].uri = "b.2.ts"
        #expect(try Self.text(playlist) == source.replacing("b.1.ts", with: "b.2.ts"))
    }

    @Test("a tag can be added in addition to an ignored one, which is preserved")
    func ignoredTag() throws {
        var playlist = try Self.read(
            """
            #EXTM3U
            #EXT-X-START:TIME-OFFSET=0,REQ-X=1
            #EXT-X-TARGETDURATION:6
            #EXT-X-SERVER-CONTROL:CAN-SKIP-UNTIL=36,REQ-X=1
            #EXTINF:6,
            a.ts

            """
        )
        #expect(playlist.start == nil && playlist.serverControl == nil && playlist.otherLines.count == 2)
        playlist.start = StartTag(timeOffset: 12)
        playlist.serverControl = ServerControlTag(canSkipUntil: 40)
        let again = try Self.read(try Self.text(playlist))
        #expect(again == playlist)
    }

    @Test("a URI that looks like a byte order mark is not written on the first line")
    func byteOrderMark() throws {
        let source = Array("a.ts\n\u{FEFF}#EXTM3U\n#EXTINF:6,\nb.ts\n".utf8)
        guard case .media(var playlist) = try Playlist.parseLeniently(source).playlist else {
            Issue.record("the playlist is not a Media Playlist")
            return
        }
        #expect(playlist.segments.map(\.uri) == ["a.ts", "\u{FEFF}#EXTM3U", "b.ts"])
        playlist.segments.removeFirst()
        #expect(throws: PlaylistError(Diagnostic(rule: .bom, severity: .error, line: 1, message: ""))) {
            try playlist.write()
        }
    }

    @Test("the result of a delta update can be changed")
    func delta() throws {
        let base = try Self.read(
            """
            #EXTM3U
            #EXT-X-VERSION:9
            #EXT-X-TARGETDURATION:6
            #EXT-X-MEDIA-SEQUENCE:10
            #EXT-X-SERVER-CONTROL:CAN-SKIP-UNTIL=36
            #EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://a",KEYFORMAT="com.apple.streamingkeydelivery",KEYFORMATVERSIONS="1"
            #EXTINF:6,
            10.ts
            #EXTINF:6,a title
            11.ts
            #EXTINF:6,
            12.ts

            """
        )
        let update = try Self.read(
            """
            #EXTM3U
            #EXT-X-VERSION:9
            #EXT-X-TARGETDURATION:6
            #EXT-X-MEDIA-SEQUENCE:11
            #EXT-X-SERVER-CONTROL:CAN-SKIP-UNTIL=36
            #EXT-X-SKIP:SKIPPED-SEGMENTS=1
            #EXTINF:6,
            12.ts
            #EXTINF:6,
            13.ts

            """
        )
        var result = try base.applying(update)
        result.segments[2].uri = "local.ts"
        result.isEnded = true
        let expected = """
            #EXTM3U
            #EXT-X-VERSION:9
            #EXT-X-TARGETDURATION:6
            #EXT-X-MEDIA-SEQUENCE:11
            #EXT-X-SERVER-CONTROL:CAN-SKIP-UNTIL=36
            #EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://a",KEYFORMAT="com.apple.streamingkeydelivery",KEYFORMATVERSIONS="1"
            #EXTINF:6,a title
            11.ts
            #EXTINF:6,
            12.ts
            #EXTINF:6,
            local.ts
            #EXT-X-ENDLIST

            """
        #expect(try Self.text(result) == expected)
        // The unchanged result is equal when it is parsed again.
        #expect(try Self.read(expected).segments == result.segments)
    }

    @Test("a SCTE-35 value with an odd number of digits is preserved")
    func halfByte() throws {
        let tag = "#EXT-X-DATERANGE:ID=\"1\",START-DATE=\"2026-01-01T00:00:00.000Z\",SCTE35-OUT=0xFC0"
        let playlist = try Self.read("#EXTM3U\n#EXT-X-TARGETDURATION:6\n\(tag)\n#EXTINF:6,\na.ts\n")
        let range = try #require(playlist.segments[0].dateRanges.first)
        #expect(range.scte35Out == nil && range["SCTE35-OUT"] == "0xFC0")
        var copy = MediaPlaylist(targetDuration: 6, segments: [MediaSegment(uri: "a.ts", duration: 6)])
        copy.segments[0].dateRanges = [range]
        #expect(try Self.text(copy) == "#EXTM3U\n#EXT-X-TARGETDURATION:6\n\(tag)\n#EXTINF:6,\na.ts\n")
    }
}
