import ContentKeySession
import HLSPlaylist
import Testing

@Suite("An intercepted playlist")
struct InterceptedPlaylistTests {
    private func rewrite(
        _ text: String,
        url: String = "https://film.example/a/main.m3u8?token=1",
        imported: [String: String]? = nil
    ) throws(PlaylistError) -> InterceptedPlaylist {
        try InterceptedPlaylist(rewriting: Array(text.utf8), url: url, importedVariables: imported)
    }

    private func text(_ playlist: InterceptedPlaylist) -> String { String(decoding: playlist.bytes, as: UTF8.self) }

    @Test("refers to intercepted playlists in every tag")
    func multivariant() throws {
        let rewritten = try rewrite(
            """
            #EXTM3U
            #EXT-X-CONTENT-STEERING:SERVER-URI="/steering"
            #EXT-X-SESSION-DATA:DATA-ID="title",URI="title.json"
            #EXT-X-SESSION-KEY:METHOD=AES-128,URI="../key"
            #EXT-X-SESSION-KEY:METHOD=SAMPLE-AES,URI="skd://film/hd",KEYFORMAT="com.apple.streamingkeydelivery"
            #EXT-X-MEDIA:TYPE=AUDIO,URI="en.m3u8",GROUP-ID="a",NAME="English"
            #EXT-X-MEDIA:TYPE=CLOSED-CAPTIONS,GROUP-ID="c",NAME="CC",INSTREAM-ID="CC1"
            #EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=1000,URI="//cdn.example/i.m3u8"
            # A comment with https://film.example/ in it
            #EXT-X-STREAM-INF:BANDWIDTH=2000,AUDIO="a"
            low.m3u8
            #EXT-X-STREAM-INF:BANDWIDTH=3000,AUDIO="a"
            http://other.example/high.m3u8

            """
        )
        #expect(
            text(rewritten) == """
                #EXTM3U
                #EXT-X-CONTENT-STEERING:SERVER-URI="https://film.example/steering"
                #EXT-X-SESSION-DATA:DATA-ID="title",URI="https://film.example/a/title.json"
                #EXT-X-SESSION-KEY:METHOD=AES-128,URI="keptkeyhttps://film.example/key"
                #EXT-X-SESSION-KEY:METHOD=SAMPLE-AES,URI="skd://film/hd",KEYFORMAT="com.apple.streamingkeydelivery"
                #EXT-X-MEDIA:TYPE=AUDIO,URI="interceptedhttps://film.example/a/en.m3u8",GROUP-ID="a",NAME="English"
                #EXT-X-MEDIA:TYPE=CLOSED-CAPTIONS,GROUP-ID="c",NAME="CC",INSTREAM-ID="CC1"
                #EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=1000,URI="interceptedhttps://cdn.example/i.m3u8"
                # A comment with https://film.example/ in it
                #EXT-X-STREAM-INF:BANDWIDTH=2000,AUDIO="a"
                interceptedhttps://film.example/a/low.m3u8
                #EXT-X-STREAM-INF:BANDWIDTH=3000,AUDIO="a"
                interceptedhttp://other.example/high.m3u8

                """
        )
        #expect(rewritten.keys == ["https://film.example/key"])
        #expect(
            Set(rewritten.playlists) == [
                "https://film.example/a/low.m3u8", "http://other.example/high.m3u8", "https://cdn.example/i.m3u8",
                "https://film.example/a/en.m3u8",
            ]
        )
    }

    @Test("makes the player request clear keys from the app, and segments from the network")
    func media() throws {
        let rewritten = try rewrite(
            """
            #EXTM3U
            #EXT-X-TARGETDURATION:4
            #EXT-X-KEY:METHOD=AES-128,URI="k1",IV=0xecd0d06aef664d8226c33816e78efa44
            #EXT-X-MAP:URI="init.mp4",BYTERANGE="100@0"
            #EXTINF:3.003,A title
            #EXT-X-BYTERANGE:50@100
            one.mp4
            #EXTINF:4,
            https://cdn.example/two.mp4
            #EXT-X-KEY:METHOD=NONE
            #EXTINF:4,
            three.mp4
            #EXT-X-KEY:METHOD=AES-128,URI="k1",KEYFORMAT="identity"
            #EXT-X-KEY:METHOD=AES-128,URI="https://keys.example/2?a=b"
            #EXT-X-PART:URI="four.part",DURATION=1
            #EXTINF:4,
            four.mp4
            #EXT-X-PRELOAD-HINT:TYPE=PART,URI="five.part"
            #EXT-X-RENDITION-REPORT:URI="/b.m3u8",LAST-MSN=4

            """
        )
        #expect(
            text(rewritten) == """
                #EXTM3U
                #EXT-X-TARGETDURATION:4
                #EXT-X-KEY:METHOD=AES-128,URI="keptkeyhttps://film.example/a/k1",IV=0xECD0D06AEF664D8226C33816E78EFA44
                #EXT-X-MAP:URI="https://film.example/a/init.mp4",BYTERANGE="100@0"
                #EXTINF:3.003,A title
                #EXT-X-BYTERANGE:50@100
                https://film.example/a/one.mp4
                #EXTINF:4,
                https://cdn.example/two.mp4
                #EXT-X-KEY:METHOD=NONE
                #EXTINF:4,
                https://film.example/a/three.mp4
                #EXT-X-KEY:METHOD=AES-128,URI="keptkeyhttps://film.example/a/k1",KEYFORMAT="identity"
                #EXT-X-KEY:METHOD=AES-128,URI="keptkeyhttps://keys.example/2?a=b"
                #EXT-X-PART:URI="https://film.example/a/four.part",DURATION=1
                #EXTINF:4,
                https://film.example/a/four.mp4
                #EXT-X-PRELOAD-HINT:TYPE=PART,URI="https://film.example/a/five.part"
                #EXT-X-RENDITION-REPORT:URI="interceptedhttps://film.example/b.m3u8",LAST-MSN=4

                """
        )
        #expect(rewritten.keys == ["https://film.example/a/k1", "https://keys.example/2?a=b"])
        #expect(rewritten.playlists == ["https://film.example/b.m3u8"])
    }

    @Test("leaves addresses other than HTTP unchanged")
    func others() throws {
        let lines = """
            #EXTM3U
            #EXT-X-TARGETDURATION:4
            #EXT-X-KEY:METHOD=AES-128,URI="data:;base64,AAAAAAAAAAAAAAAAAAAAAA=="
            #EXTINF:4,
            https://film.example/one.ts
            #EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://film",KEYFORMAT="com.apple.streamingkeydelivery",KEYFORMATVERSIONS="1"
            #EXTINF:4,
            https://film.example/two.ts

            """
        let rewritten = try rewrite(lines)
        #expect(text(rewritten) == lines)
        #expect(rewritten.keys.isEmpty && rewritten.playlists.isEmpty)
    }

    @Test("resolves variables, and exports them")
    func variables() throws {
        let main = try rewrite(
            """
            #EXTM3U
            #EXT-X-VERSION:8
            #EXT-X-DEFINE:NAME="host",VALUE="cdn.example"
            #EXT-X-STREAM-INF:BANDWIDTH=2000
            https://{$host}/low.m3u8

            """
        )
        #expect(main.playlists == ["https://cdn.example/low.m3u8"])
        #expect(main.variables == ["host": "cdn.example"])
        let media = try rewrite(
            """
            #EXTM3U
            #EXT-X-TARGETDURATION:4
            #EXT-X-DEFINE:IMPORT="host"
            #EXT-X-KEY:METHOD=AES-128,URI="https://{$host}/key"
            #EXTINF:4,
            one.ts

            """,
            imported: main.variables
        )
        #expect(media.keys == ["https://cdn.example/key"])
    }

    @Test("is rejected if it is not a playlist", arguments: ["", "<html></html>", "16 bytes of a key"])
    func noPlaylist(text: String) {
        #expect(throws: PlaylistError.self) { try rewrite(text) }
    }

    @Test("is unchanged when it is rewritten again")
    func twice() throws {
        let once = try rewrite("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=2000\nlow.m3u8\n")
        let again = try rewrite(text(once))
        #expect(again.bytes == once.bytes)
        #expect(again.playlists.isEmpty)
    }
}
