import FPSCrypto
import Foundation
import HLSPlaylist
import MediaDecryption
import MediaFormats
import SampleEncryption
import Testing

@testable import Packager

/// Presentations on disk: media of other packagers with playlists that the tests write.
@Suite("Decrypting presentations")
struct PresentationDecryptorTests {
    typealias IV = CipherIV

    private static let iv = TestKeys.bytes("0f0e0d0c0b0a09080706050403020100")
    private let folder: DecryptingFolder

    init() throws { folder = try DecryptingFolder() }

    private func keys() throws -> DecryptionKeys {
        try TestKeys.keys([(TestKeys.videoID, TestKeys.video), (TestKeys.audioID, TestKeys.audio)], iv: Self.iv)
    }

    private func decrypt(_ keys: DecryptionKeys) throws -> PresentationDecryptor.Report {
        try PresentationDecryptor(keys: keys).decrypt(folder.path("in/main.m3u8"), to: folder.path("out"))
    }

    private func playlist(_ name: String) throws -> String { String(decoding: try folder.content(name), as: UTF8.self) }

    /// The offsets of the fragments of a file, and its end.
    private func fragments(_ file: [UInt8]) -> [Int] {
        BoxTree(reading: file.span.bytes).boxes.filter { $0.type == "moof" }.map(\.offset) + [file.count]
    }

    @Test("fMP4 in single files: a Multivariant Playlist, I-frames, audio, subtitles, session data")
    func fragmentedMP4() throws {
        let video = try DecryptingFixture.bytes("cbcs-video.mp4")
        let places = fragments(video)
        let fairPlay = ",KEYFORMAT=\"com.apple.streamingkeydelivery\",KEYFORMATVERSIONS=\"1\""
        let segments = places.indices.dropLast().map { index in
            "#EXTINF:1,\n#EXT-X-BYTERANGE:\(places[index + 1] - places[index])@\(places[index])\nvideo.mp4\n"
        }
        let head = "#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:1\n#EXT-X-PLAYLIST-TYPE:VOD\n"
        let key = "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://video\"\(fairPlay)\n"
        let map = "#EXT-X-MAP:URI=\"video.mp4\",BYTERANGE=\"\(places[0])@0\"\n"
        let media = head + key + map + segments.joined() + "#EXT-X-ENDLIST\n"
        let iFrames =
            head + "#EXT-X-I-FRAMES-ONLY\n" + key + map
            + "#EXTINF:1,\n#EXT-X-BYTERANGE:900@\(places[0])\nvideo.mp4\n#EXT-X-ENDLIST\n"
        try folder.write("in/video/video.mp4", video)
        try folder.write("in/video/media.m3u8", media.utf8)
        try folder.write("in/video/iframes.m3u8", iFrames.utf8)
        try folder.write("in/audio/audio 1.mp4", try DecryptingFixture.bytes("cbcs-audio.mp4"))
        let audio = head + "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://audio\"\(fairPlay)\n#EXTINF:3,\naudio%201.mp4\n"
        try folder.write("in/audio/media.m3u8", audio.utf8)
        try folder.write("in/subtitles/1.vtt", "WEBVTT\n".utf8)
        try folder.write("in/subtitles/media.m3u8", (head + "#EXTINF:3,\n1.vtt\n").utf8)
        try folder.write("in/data.json", "{}".utf8)
        let main = """
            #EXTM3U
            #EXT-X-SESSION-KEY:METHOD=SAMPLE-AES,URI="skd://video"\(fairPlay)
            #EXT-X-SESSION-DATA:DATA-ID="com.example.a",URI="data.json"
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="a",URI="audio/media.m3u8"
            #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",NAME="s",URI="subtitles/media.m3u8"
            #EXT-X-STREAM-INF:BANDWIDTH=1000,HDCP-LEVEL=TYPE-0,AUDIO="a",SUBTITLES="s"
            video/media.m3u8
            #EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=100,URI="video/iframes.m3u8"

            """
        try folder.write("in/main.m3u8", main.utf8)
        let report = try decrypt(keys())
        #expect(
            try FileManager.default.subpathsOfDirectory(atPath: folder.path("out")).sorted()
                == FileManager.default.subpathsOfDirectory(atPath: folder.path("in")).sorted()
        )
        let clear = try DecryptingFixture.bytes("clear.mp4")
        #expect(try samples(folder.content("out/video/video.mp4"), of: "vide") == samples(clear, of: "vide"))
        #expect(try samples(folder.content("out/audio/audio 1.mp4"), of: "soun") == samples(clear, of: "soun"))
        // Sizes do not change, so that only the key has been removed.
        #expect(try playlist("out/video/media.m3u8") == media.replacing(key, with: ""))
        #expect(try playlist("out/video/iframes.m3u8") == iFrames.replacing(key, with: ""))
        #expect(try playlist("out/data.json") == "{}")
        let result = try playlist("out/main.m3u8")
        #expect(!result.contains("KEY") && !result.contains("HDCP") && result.contains("SUBTITLES=\"s\""))
        #expect(report.playlists.map(\.name) == ["video/media.m3u8", "audio/media.m3u8", "subtitles/media.m3u8"])
        #expect(report.playlists[0].tracks.map(\.decrypted) == [30])
        #expect(report.files == 9)
    }

    @Test("fMP4 in separate segments, with the initialization segment in another file")
    func segments() throws {
        try folder.write("in/init.mp4", try DecryptingFixture.bytes("segments-init.mp4"))
        try folder.write("in/1.m4s", try DecryptingFixture.bytes("segments-1.m4s"))
        let head = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n"
        let key = "#EXT-X-KEY:METHOD=SAMPLE-AES-CTR,URI=\"data:text/plain;base64,AAAA\",KEYFORMAT=\"x\"\n"
        let rest = "#EXT-X-MAP:URI=\"init.mp4\"\n#EXTINF:1,\n1.m4s?token=1\n#EXT-X-ENDLIST\n"
        try folder.write("in/main.m3u8", (head + key + rest).utf8)
        _ = try decrypt(keys())
        let clear = try samples(DecryptingFixture.bytes("clear.mp4"), of: "vide")
        let output = try folder.content("out/init.mp4") + folder.content("out/1.m4s")
        #expect(try samples(output, of: "vide") == Array(clear.prefix(10)))
        #expect(try playlist("out/main.m3u8") == head + rest)
    }

    @Test("A clear lead and changing keys in one file, with key URIs that do not contain key IDs")
    func assetNames() throws {
        let fixture = try ClearLeadFixture()
        try folder.write("in/video.mp4", fixture.file)
        let ranges = fixture.ranges.map { "\($0.count)@\($0.lowerBound)" }
        func key(_ name: String) -> String {
            "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://\(name)\",KEYFORMAT=\"com.apple.streamingkeydelivery\"\n"
        }
        func segment(_ index: Int) -> String { "#EXTINF:1,\n#EXT-X-BYTERANGE:\(ranges[index])\nvideo.mp4\n" }
        let text =
            "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-MAP:URI=\"video.mp4\",BYTERANGE=\"\(ranges[0])\"\n" + segment(1)
            + key("first") + segment(2) + key("second") + segment(3) + "#EXT-X-ENDLIST\n"
        try folder.write("in/main.m3u8", text.utf8)
        var keys = DecryptionKeys()
        for (index, name) in ["first", "second"].enumerated() {
            let key = SecretBytes(copying: ClearLeadFixture.key(index))
            keys.uris["skd://\(name)"] = DecryptionKey(key: key)
        }
        let report = try decrypt(keys)
        #expect(report.playlists[0].tracks.map { [$0.clear, $0.decrypted] } == [[10, 20]])
        let output = try folder.content("out/video.mp4")
        #expect(try samples(output, of: "vide") == samples(DecryptingFixture.bytes("clear.mp4"), of: "vide"))
        // The segments in files of their own, as Shaka Packager writes them by default.
        for (index, part) in fixture.parts.prefix(3).enumerated() { try folder.write("in/\(index).mp4", part) }
        try folder.write(
            "in/main.m3u8",
            ("#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-MAP:URI=\"0.mp4\"\n#EXTINF:1,\n1.mp4\n" + key("first")
                + "#EXTINF:1,\n2.mp4\n#EXT-X-ENDLIST\n").utf8
        )
        _ = try decrypt(keys)
        let files = try (0..<3).flatMap { try folder.content("out/\($0).mp4") }
        #expect(try samples(files, of: "vide") == Array(ClearLeadFixture.clearSamples().prefix(2).joined()))
    }

    @Test("Transport streams: byte ranges of one file, each with the key that its tag specifies")
    func transportStream() throws {
        let parts = try ["sample-aes-video-1.ts", "sample-aes-video-2.ts"].map { try DecryptingFixture.bytes($0) }
        try folder.write("in/all.ts", parts[0] + parts[1])
        let id = "01234567-89ab-cdef-0123-456789abcdef"
        let key = "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://\(id)\",KEYFORMAT=\"com.apple.streamingkeydelivery\"\n"
        let text = { (key: String) in
            "#EXTM3U\n#EXT-X-TARGETDURATION:1\n\(key)#EXTINF:1,\n#EXT-X-BYTERANGE:\(parts[0].count)@0\nall.ts\n"
                + "#EXTINF:1,\n#EXT-X-BYTERANGE:\(parts[1].count)\nall.ts\n#EXT-X-ENDLIST\n"
        }
        try folder.write("in/main.m3u8", text(key).utf8)
        let report = try decrypt(keys())
        #expect(report.playlists[0].tracks.map(\.decrypted) == [20])
        #expect(try playlist("out/main.m3u8") == text(""))
        var demuxer = TransportDemuxer()
        var payload: [UInt8] = []
        let output = try folder.content("out/all.ts")
        try demuxer.feed(output.span.bytes) { payload += $0.payload }
        try demuxer.finish { payload += $0.payload }
        var clear: [UInt8] = []
        var reference = TransportDemuxer()
        let whole = try DecryptingFixture.bytes("clear-video-1.ts")
        try reference.feed(whole.span.bytes) { clear += $0.payload }
        #expect(payload.count > 2000)
        #expect(clear.starts(with: payload))
        // A key ID for which no key was given.
        do {
            _ = try decrypt(TestKeys.keys([(TestKeys.audioID, TestKeys.audio)], iv: Self.iv))
            Issue.record("it was decrypted with another key")
        } catch let error as DecryptionError {
            #expect(error.description.contains("0123456789abcdef0123456789abcdef"))
        }
    }

    @Test("Segments with AES-128 in one file: byte ranges change, also those of I-frames")
    func wholeSegments() throws {
        let clear = [100, 160, 333].map { size in (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ size) } }
        var parts = clear
        // Without an IV in the tag, the media sequence number is used.
        try SegmentCipher(key: SecretBytes(copying: TestKeys.video)).encrypt(
            &parts,
            ivs: (0..<3).map { IV(mediaSequenceNumber: 7 + $0) }
        )
        try folder.write("in/all.ts", parts[0] + parts[1] + parts[2])
        #expect(parts.map(\.count) == [112, 176, 336])
        let key = "#EXT-X-KEY:METHOD=AES-128,URI=\"https://example.com/keys/0123456789ABCDEF0123456789ABCDEF\"\n"
        let media = { (key: String, ranges: [String]) in
            "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-MEDIA-SEQUENCE:7\n\(key)"
                + ranges.map { "#EXTINF:1,\n#EXT-X-BYTERANGE:\($0)\nall.ts\n" }.joined()
        }
        try folder.write("in/media.m3u8", media(key, ["112@0", "176", "336"]).utf8)
        try folder.write(
            "in/iframes.m3u8",
            "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-I-FRAMES-ONLY\n\(key)#EXTINF:1,\n#EXT-X-BYTERANGE:40@144\nall.ts\n"
                .utf8
        )
        let main =
            "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nmedia.m3u8\n"
            + "#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=1,URI=\"iframes.m3u8\"\n"
        try folder.write("in/main.m3u8", main.utf8)
        _ = try decrypt(keys())
        #expect(try folder.content("out/all.ts") == clear[0] + clear[1] + clear[2])
        #expect(try playlist("out/media.m3u8") == media("", ["100@0", "160@100", "333@260"]))
        #expect(try playlist("out/iframes.m3u8").contains("#EXT-X-BYTERANGE:40@132\n"))
        #expect(try playlist("out/main.m3u8") == main)
    }

    @Test("An IV in the tag is used, and can change from segment to segment")
    func vectors() throws {
        let clear = [UInt8](repeating: 9, count: 50)
        var parts = [clear, clear]
        let vectors = [Self.iv, Array(Self.iv.reversed())]
        try SegmentCipher(key: SecretBytes(copying: TestKeys.video)).encrypt(
            &parts,
            ivs: try vectors.map { try IV($0) }
        )
        var text = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n"
        for (index, vector) in vectors.enumerated() {
            try folder.write("in/\(index).ts", parts[index])
            let digits = vector.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            text += "#EXT-X-KEY:METHOD=AES-128,URI=\"key\",IV=0x\(digits)\n#EXTINF:1,\n\(index).ts\n"
        }
        try folder.write("in/main.m3u8", text.utf8)
        _ = try decrypt(TestKeys.keys([(TestKeys.videoID, TestKeys.video)]))
        #expect(try folder.content("out/0.ts") == clear)
        #expect(try folder.content("out/1.ts") == clear)
        // No tag specifies a key ID.
        #expect {
            _ = try decrypt(keys())
        } throws: {
            ($0 as? DecryptionError)?.code == .missingKey
        }
    }

    @Test(
        "Only files below the playlist's folder are read",
        arguments: [
            "../secret", "/etc/hostname", "%2e%2e/secret", "a/../../secret", "link", "https://example.com/a",
            "file:///etc/hostname",
            "//host/a", "a%00b", "./a", "links/secret",
        ]
    )
    func refusal(uri: String) throws {
        try folder.write("secret", [1])
        try folder.write("in/a/b", [1])
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("in/link"),
            withDestinationPath: folder.path("secret")
        )
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("in/links"),
            withDestinationPath: folder.url.path
        )
        try folder.write("in/main.m3u8", "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n\(uri)\n".utf8)
        #expect {
            _ = try decrypt(keys())
        } throws: {
            ($0 as? DecryptionError)?.code == .refused
        }
        #expect(!FileManager.default.fileExists(atPath: folder.path("out")))
    }

    @Test("The folder of the input is not overwritten")
    func sameFolder() throws {
        try folder.write("in/main.m3u8", "#EXTM3U\n#EXT-X-TARGETDURATION:1\n".utf8)
        #expect {
            _ = try PresentationDecryptor(keys: keys()).decrypt(
                folder.path("in/main.m3u8"),
                to: folder.path("in/../in")
            )
        } throws: {
            ($0 as? DecryptionError)?.code == .refused
        }
    }

    @Test("A failure leaves no playlist")
    func failure() throws {
        try folder.write("in/1.mp4", try DecryptingFixture.bytes("cbcs-video.mp4"))
        try folder.write("in/2.mp4", try DecryptingFixture.bytes("cbcs-video.mp4").dropLast(50))
        try folder.write(
            "in/main.m3u8",
            "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n1.mp4\n#EXTINF:1,\n2.mp4\n".utf8
        )
        #expect(throws: (any Error).self) { _ = try decrypt(keys()) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("out")) == ["1.mp4"])
    }
}
