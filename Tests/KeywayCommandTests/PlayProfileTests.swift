import HLSPlaylist
import OwnThreads
import StreamPlayer
import Testing
import VirtualDevice

@testable import keyway

@Suite("keyway play --profile", .timeLimit(.minutes(10)), .ownThreads)
struct PlayProfileTests {
    private static let main = """
        #EXTM3U
        #EXT-X-SESSION-KEY:METHOD=SAMPLE-AES,URI="skd://a",KEYFORMAT="com.apple.streamingkeydelivery"
        #EXT-X-STREAM-INF:BANDWIDTH=500000,CODECS="avc1.640015,mp4a.40.2",RESOLUTION=416x234,FRAME-RATE=30
        low.m3u8
        #EXT-X-STREAM-INF:BANDWIDTH=3000000,CODECS="avc1.640020,mp4a.40.2",RESOLUTION=1280x720,HDCP-LEVEL=TYPE-0,\
        ALLOWED-CPC="com.apple.streamingkeydelivery:AppleBaseline/Baseline"
        hd.m3u8
        #EXT-X-STREAM-INF:BANDWIDTH=12000000,CODECS="hvc1.2.4.L150.B0,mp4a.40.2",RESOLUTION=3840x2160,HDCP-LEVEL=TYPE-1,\
        VIDEO-RANGE=PQ,ALLOWED-CPC="com.apple.streamingkeydelivery:AppleMain/Main"
        uhd.m3u8
        #EXT-X-STREAM-INF:BANDWIDTH=9000000,CODECS="hvc1.2.4.L123.B0,mp4a.40.2",RESOLUTION=1920x1080,HDCP-LEVEL=TYPE-1,\
        VIDEO-RANGE=PQ,ALLOWED-CPC="com.apple.streamingkeydelivery:AppleMain/Main"
        full-hd.m3u8
        #EXT-X-STREAM-INF:BANDWIDTH=90000000,CODECS="av01.0.13M.10",RESOLUTION=3840x2160,VIDEO-RANGE=PQ
        av1.m3u8
        #EXT-X-STREAM-INF:BANDWIDTH=20000000,CODECS="hvc1.2.4.L150.B0",RESOLUTION=3840x2160,VIDEO-RANGE=PQ,\
        REQ-VIDEO-LAYOUT="CH-STEREO"
        stereo.m3u8

        """

    private static func chosen(_ abilities: PlayerCapabilities) throws -> String? {
        guard case .multivariant(let playlist) = try Playlist.parseLeniently(Array(main.utf8)).playlist else {
            return nil
        }
        return VariantSelector(abilities).select(from: playlist).variant?.uri
    }

    @Test(
        "Each profile gets the best variant that it can play",
        arguments: [
            ("iphone", "full-hd.m3u8"), ("ipad", "full-hd.m3u8"), ("mac", "full-hd.m3u8"), ("apple-tv", "uhd.m3u8"),
            ("partner-tv", "uhd.m3u8"), ("vision-pro", "stereo.m3u8"), ("vm", "hd.m3u8"), ("watch", "low.m3u8"),
        ]
    )
    func profiles(name: String, uri: String) throws {
        let profile = try #require(DeviceProfile.named(name))
        #expect(try Self.chosen(PlayerCapabilities(of: profile)) == uri)
    }

    @Test("Every profile has capabilities, and without a profile everything that can be decrypted can be chosen")
    func all() throws {
        #expect(DeviceProfile.all.allSatisfy { PlayerCapabilities(of: $0).displaySize != nil })
        #expect(try Self.chosen(.everything) == "av1.m3u8")
        var profile = DeviceProfile.appleTV
        profile.display = .unprotected
        #expect(try Self.chosen(PlayerCapabilities(of: profile)) == "low.m3u8")
    }

    @Test("The reasons are printed if no variant can be played, and a missing file is an error at once")
    func command() throws {
        let tool = try Tool()
        let main = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1,CODECS=\"av01.0.13M.10\"\nav1.m3u8\n"
        let path = try tool.file("main.m3u8", Array(main.utf8))
        let refused = try tool.run(["play", path, "--profile", "iphone", "--quiet"])
        #expect(refused.status == 1)
        #expect(refused.errors.contains("av01.0.13M.10") && refused.errors.contains("--profile"), "\(refused.errors)")
        // The Media Playlist does not exist.
        let missing = try tool.run(["play", path])
        #expect(missing.status == 3)
        #expect(missing.errors.contains("av1.m3u8: the file does not exist"), "\(missing.errors)")
        #expect(!missing.errors.contains("attempt"), "\(missing.errors)")
        for path in ["nothing.m3u8", "."] {
            let outcome = try tool.run(["play", path, "--out", "new/"])
            #expect(
                outcome.status == 3 && outcome.errors.hasPrefix("error: cannot read \(path): "),
                "\(outcome.errors)"
            )
            #expect(throws: (any Error).self) { try tool.content(tool.path("new")) }
        }
    }
}
