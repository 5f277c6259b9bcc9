import ContentKeySession
import HLSPlaylist
import StreamPlayer
import Testing

@testable import OfflineAssets

@Suite("Local playlists")
struct LocalPlaylistTests {
    private let base = "https://films.test/a/b/film.m3u8?token=1"

    private func plan(_ text: String, limits: DownloadLimits = DownloadLimits()) throws -> BundlePlan {
        guard case .media(let media) = try Playlist.parseLeniently(Array(text.utf8), options: .init(url: base)).playlist
        else { throw DownloadError(.playlist, "test", "not a Media Playlist") }
        let one = AssetPlaylists.Media(
            playlist: media,
            url: base,
            kind: .variant,
            name: "variant-1",
            label: "",
            uri: ""
        )
        return try BundlePlan(AssetPlaylists(multivariant: nil, media: [one]), limits: limits)
    }

    private func text(_ plan: BundlePlan) -> String { String(decoding: plan.playlists[0].bytes, as: UTF8.self) }

    @Test func differsInNothingButItsURIs() throws {
        let original = """
            #EXTM3U
            #EXT-X-VERSION:7
            # a comment
            #EXT-X-TARGETDURATION:6
            #EXT-X-PLAYLIST-TYPE:VOD
            #EXT-X-NEW-TAG:A=1
            #EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://film",KEYFORMAT="com.apple.streamingkeydelivery",KEYFORMATVERSIONS="1"
            #EXT-X-MAP:URI="init.mp4",BYTERANGE="720@0"

            #EXTINF:6.00600,the title, with a comma
            one.m4s?x=1
            #EXT-X-DISCONTINUITY
            #EXT-X-KEY:METHOD=AES-128,URI="keys/1.bin",IV=0x00000000000000000000000000000001
            #EXTINF:5.9,
            //cdn.test/two.TS#t=1
            #EXT-X-GAP
            #EXTINF:4,
            ../../../etc/passwd
            #EXT-X-ENDLIST

            """
        let plan = try plan(original)
        let expected = original.replacing(
            "URI=\"init.mp4\",BYTERANGE=\"720@0\"",
            with: "URI=\"media/variant-1/000001.mp4\""
        )
        .replacing("one.m4s?x=1", with: "media/variant-1/000002.m4s")
        .replacing("keys/1.bin", with: "https://films.test/a/b/keys/1.bin")
        .replacing("//cdn.test/two.TS#t=1", with: "media/variant-1/000003.ts")
        .replacing("../../../etc/passwd", with: "gap")
        #expect(text(plan) == expected)
        #expect(
            plan.resources.map(\.url) == [
                "https://films.test/a/b/init.mp4", "https://films.test/a/b/one.m4s?x=1", "https://cdn.test/two.TS",
            ]
        )
        #expect(plan.resources[0].range == 0..<720)
        #expect(
            plan.keys.map { $0.map(\.identifier) } == [
                ["skd://film"], ["skd://film", "https://films.test/a/b/keys/1.bin"],
            ]
        )
    }

    @Test func namesPlacesInMergedFiles() throws {
        let plan = try plan(
            """
            #EXTM3U
            #EXT-X-VERSION:4
            #EXT-X-TARGETDURATION:2
            #EXTINF:2,
            #EXT-X-BYTERANGE:1000@500
            a.ts
            #EXTINF:2,
            #EXT-X-BYTERANGE:1000
            a.ts
            #EXTINF:2,
            #EXT-X-BYTERANGE:300@200000
            a.ts
            #EXTINF:2,
            b.ts
            #EXT-X-ENDLIST
            """
        )
        #expect(plan.resources.map(\.range) == [500..<2500, 200_000..<200_300, nil])
        guard case .media(let local) = try Playlist(parsing: text(plan)) else { return #expect(Bool(false)) }
        let ranges = try local.resolvedSegments().map(\.byteRange)
        #expect(ranges == [0..<1000, 1000..<2000, nil, nil])
        #expect(local.segments.map(\.uri) == [1, 1, 2, 3].map { "media/variant-1/00000\($0).ts" })
    }

    @Test func fetchesOnceWhatIsNamedTwice() throws {
        let plan = try plan(
            """
            #EXTM3U
            #EXT-X-TARGETDURATION:2
            #EXTINF:2,
            a.ts
            #EXTINF:2,
            #EXT-X-BYTERANGE:100@50
            a.ts
            #EXTINF:2,
            ./a.ts
            #EXT-X-ENDLIST
            """
        )
        #expect(plan.resources.map(\.range) == [nil])
        #expect(text(plan).contains("#EXT-X-BYTERANGE:100@50\nmedia/variant-1/000001.ts"))
    }

    @Test func filesOfOneRequestAreNotTooLarge() throws {
        let size = 6 << 20
        let segments = (0..<6).map { "#EXTINF:2,\n#EXT-X-BYTERANGE:\(size)@\($0 * size)\na.ts\n" }.joined()
        let plan = try plan("#EXTM3U\n#EXT-X-TARGETDURATION:2\n\(segments)#EXT-X-ENDLIST\n")
        let step = UInt64(2 * size)
        #expect(plan.resources.map(\.range) == [0..<step, step..<2 * step, 2 * step..<3 * step])
    }

    @Test func leavesOutWhatNeedsTheServer() throws {
        let plan = try plan(
            """
            #EXTM3U
            #EXT-X-VERSION:11
            #EXT-X-TARGETDURATION:2
            #EXT-X-DEFINE:QUERYPARAM="token"
            #EXT-X-PART-INF:PART-TARGET=1
            #EXT-X-SERVER-CONTROL:PART-HOLD-BACK=3
            #EXT-X-PART:DURATION=1,URI="a.0.mp4"
            #EXTINF:2,
            a.mp4?t={$token}
            #EXT-X-ENDLIST
            #EXT-X-RENDITION-REPORT:URI="other.m3u8",LAST-MSN=1
            """
        )
        #expect(plan.resources.map(\.url) == ["https://films.test/a/b/a.mp4?t=1"])
        for word in ["PART", "SERVER-CONTROL", "RENDITION-REPORT", "QUERYPARAM"] { #expect(!text(plan).contains(word)) }
        #expect(text(plan).contains("#EXT-X-DEFINE:NAME=\"token\",VALUE=\"1\""))
        _ = try Playlist(parsing: text(plan))
    }

    @Test(arguments: ["file:///etc/passwd", "data:video/mp2t;base64,AA==", "skd://film", "javascript:1"])
    func namesNothingButWebServers(uri: String) throws {
        let error = #expect(throws: DownloadError.self) {
            try plan("#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\n\(uri)\n#EXT-X-ENDLIST\n")
        }
        #expect(error?.code == .playlist)
    }

    @Test(arguments: [
        "a.ts", "a", "a.m3u8", "../../x/..", "%2e%2e%2f.sh", "a.EXE", "a.tarball", "a.t-s", "a/.ts", ".ts",
    ])
    func fileNamesAreItsOwn(uri: String) throws {
        let plan = try plan("#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\n\(uri)\n#EXT-X-ENDLIST\n")
        #expect(plan.resources.allSatisfy { BundleResource.isValidPath($0.file) && !$0.file.hasSuffix(".m3u8") })
    }

    @Test func refusesWhatIsLiveOrTooMuch() throws {
        let segments = (0..<5).map { "#EXTINF:2,\n\($0).ts\n" }.joined()
        let head = "#EXTM3U\n#EXT-X-TARGETDURATION:2\n"
        var limits = DownloadLimits()
        #expect(throws: DownloadError.self) { try plan(head + segments) }
        limits.segments = 4
        let many = #expect(throws: DownloadError.self) {
            try plan(head + segments + "#EXT-X-ENDLIST\n", limits: limits)
        }
        #expect(many?.code == .limit)
        limits = DownloadLimits()
        limits.resources = 4
        let files = #expect(throws: DownloadError.self) {
            try plan(head + segments + "#EXT-X-ENDLIST\n", limits: limits)
        }
        #expect(files?.code == .limit)
        limits = DownloadLimits()
        limits.bytes = 99
        let range = "#EXTINF:2,\n#EXT-X-BYTERANGE:100@0\na.ts\n#EXT-X-ENDLIST\n"
        let bytes = #expect(throws: DownloadError.self) { try plan(head + range, limits: limits) }
        #expect(bytes?.code == .limit)
        #expect(throws: DownloadError.self) { try plan(head + "#EXT-X-ENDLIST\n") }
        #expect(throws: DownloadError.self) {
            try plan(head + "#EXTINF:2,\n#EXT-X-BYTERANGE:0@9\na.ts\n#EXT-X-ENDLIST\n")
        }
        #expect(throws: DownloadError.self) {
            try plan(head + "#EXTINF:2,\n#EXT-X-BYTERANGE:9@18446744073709551600\na.ts\n#EXT-X-ENDLIST\n")
        }
    }
}
