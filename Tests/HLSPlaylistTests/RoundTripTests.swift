import HLSPlaylist
import Testing

@Suite("Round trips")
struct RoundTripTests {
    static let live = """
        #EXTM3U
        #EXT-X-VERSION:6
        #EXT-X-TARGETDURATION:6
        #EXT-X-MEDIA-SEQUENCE:100
        # a comment
        #EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://a",KEYFORMAT="com.apple.streamingkeydelivery",KEYFORMATVERSIONS="1"
        #EXT-X-MAP:URI="init.mp4"
        #EXT-X-PROGRAM-DATE-TIME:2026-01-01T00:00:00.000Z
        #EXTINF:6.006,
        100.m4s

        #EXT-X-EXAMPLE:unknown
        #EXTINF:6.00600,A title
        101.m4s
        #EXT-X-ENDLIST

        """

    @Test("an unchanged playlist is written byte for byte")
    func unchanged() throws {
        let bytes = Array(Self.live.utf8)
        #expect(try Playlist(parsing: bytes).write() == bytes)
    }

    @Test("a changed URI only changes its line")
    func changedURI() throws {
        var playlist = try MediaPlaylist(parsing: Array(Self.live.utf8))
        playlist.segments[1].uri = "local.m4s"
        let written = String(decoding: try playlist.write(), as: UTF8.self)
        #expect(written == Self.live.replacing("101.m4s", with: "local.m4s"))
    }

    @Test("a changed header only changes its lines")
    func changedHeader() throws {
        var playlist = try MediaPlaylist(parsing: Array(Self.live.utf8))
        playlist.mediaSequence = 101
        playlist.isEnded = false
        playlist.playlistType = .event
        let written = String(decoding: try playlist.write(), as: UTF8.self)
        let expected = Self.live.replacing("SEQUENCE:100", with: "SEQUENCE:101\n#EXT-X-PLAYLIST-TYPE:EVENT")
            .replacing("#EXT-X-ENDLIST\n", with: "")
        #expect(written == expected)
    }

    @Test("a created playlist has the order of the draft")
    func made() throws {
        var segment = MediaSegment(uri: "1.m4s", duration: 6.006, programDateTime: PlaylistDate(seconds: 1_767_225_600))
        segment.keys = [.fairPlay(uri: "skd://a")]
        segment.map = MapTag(uri: "init.mp4")
        var playlist = MediaPlaylist(
            version: 6,
            targetDuration: 6,
            segments: [segment, MediaSegment(uri: "2.m4s", duration: 6)]
        )
        playlist.isEnded = true
        #expect(
            String(decoding: try playlist.write(), as: UTF8.self) == """
                #EXTM3U
                #EXT-X-VERSION:6
                #EXT-X-TARGETDURATION:6
                #EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://a",KEYFORMAT="com.apple.streamingkeydelivery",KEYFORMATVERSIONS="1"
                #EXT-X-MAP:URI="init.mp4"
                #EXT-X-PROGRAM-DATE-TIME:2026-01-01T00:00:00.000Z
                #EXTINF:6.006,
                1.m4s
                #EXTINF:6,
                2.m4s
                #EXT-X-ENDLIST

                """
        )
    }

    @Test("text that would add a line is rejected")
    func injection() throws {
        let playlist = MediaPlaylist(targetDuration: 6, segments: [MediaSegment(uri: "a\n#EXT-X-ENDLIST", duration: 6)])
        #expect(throws: PlaylistError.self) { try playlist.write() }
    }
}
