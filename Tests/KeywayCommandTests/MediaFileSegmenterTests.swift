import Foundation
import OwnThreads
import Testing

@Suite("keyway mediafilesegmenter", .ownThreads)
struct MediaFileSegmenterTests {
    @Test("writes FairPlay with the options of Apple's tool", arguments: ["-", "--"])
    func fairPlay(dash: String) throws {
        let tool = try Tool()
        _ = try tool.file("key.bin", [UInt8](0..<32))
        let run = try tool.run(
            [
                "mediafilesegmenter", dash + "iso-fragmented", dash + "streaming-key-delivery", dash + "stream-encrypt",
                dash + "encrypt-key-file", "key.bin", dash + "encrypt-key-url", "skd://film", dash + "file-base",
                "site",
                dash + "target-duration", "2", dash + "index-file", "film.m3u8", dash + "base-media-file-name", "part",
                "-q", PackageTests.film,
            ]
        )
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.text.isEmpty)
        let files = try PackageTests.files(tool.path("site"))
        #expect(Set(files.keys).isSuperset(of: ["film.m3u8", "video-48/part3.m4s", "video-48/iframe_index.m3u8"]))
        let media = String(decoding: try #require(files["video-48/film.m3u8"]), as: UTF8.self)
        #expect(
            media.contains(
                #"#EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://film",KEYFORMAT="com.apple.streamingkeydelivery""#
            )
        )
        #expect(try tool.run(["playlist", "check", "--fail-on", "note", "site/film.m3u8"]).status == 0)
    }

    @Test("accepts short options, one type of track, and no I-frame playlists")
    func shortOptions() throws {
        let tool = try Tool()
        let run = try tool.run(
            ["mediafilesegmenter", "-r", "-s", "-A", "-z", "none", "-f", "site", "-t", "2", PackageTests.film]
        )
        #expect(run.status == 0, "\(run.errors)")
        let names = Set(try PackageTests.files(tool.path("site")).keys)
        #expect(names == ["prog_index.m3u8", "video-48/prog_index.m3u8", "video-48/media.mp4"])
    }

    @Test("encrypts whole files with the requested IV")
    func wholeFiles() throws {
        let tool = try Tool()
        _ = try tool.file("key.bin", [UInt8](0..<32))
        func key(_ options: [String]) throws -> String {
            let run = try tool.run(
                ["mediafilesegmenter", "-r", "-A", "-k", "key.bin", "-K", "https://keys.example.com/film"] + options
                    + ["-f", "site", PackageTests.film]
            )
            #expect(run.status == 0, "\(run.errors)")
            let text = String(decoding: try tool.content(tool.path("site/video-48/prog_index.m3u8")), as: UTF8.self)
            return try #require(text.split(separator: "\n").map(String.init).first { $0.hasPrefix("#EXT-X-KEY") })
        }
        let plain = #"#EXT-X-KEY:METHOD=AES-128,URI="https://keys.example.com/film""#
        #expect(try key(["--encrypt-iv", "sequence"]) == plain)
        #expect(try key([]) == plain + ",IV=0x101112131415161718191A1B1C1D1E1F")
        let random = try key(["-J", "random"])
        #expect(random.hasPrefix(plain + ",IV=0x") && !random.contains("101112131415161718191A1B1C1D1E1F"))
    }

    @Test(
        "rejects contradictory and unsupported options",
        arguments: [
            (["-P", "-k", "key.bin", "-K", "skd://x"], "requires --stream-encrypt"),
            (["-P", "-S", "-k", "key.bin", "-K", "skd://x", "--encrypt-iv", "random"], "combined with -P"),
            (["-S", "-k", "key.bin", "-K", "https://x/k", "-J", "sequence"], "combined with --stream-encrypt"),
            (["-k", "key.bin", "-K", "https://x/k", "-J", "zero"], "random or sequence"),
            (["-P", "-S", "-K", "skd://x"], "--encrypt-key-file"),
            (["-S"], "--encrypt-key-file"),
            (["-k", "key.bin"], "--encrypt-key-url"),
            (["-a", "-A"], "exclude each other"),
            (["--format", "mov"], "--format: expected iso"),
            (["-t", "soon"], "-t: expected a number of seconds, such as 10, not 'soon'"),
            (["-t", "10m"], "-t: expected a number of seconds"),
            (["-H", "TYPE-9"], "-H: expected NONE, TYPE-0, or TYPE-1, not 'TYPE-9'"),
            (["-K", "skd://{film}"], "-K: “{film}” is not a placeholder"),
            (["-b", "https://x"], "--base-url"), (["-base-url", "https://x"], "--base-url"),
            (["-F", "x"], "--meta-file"), (["-y", "id3"], "--meta-type"), (["-M", "x"], "--meta-macro-file"),
            (["-I"], "--generate-variant-plist"), (["-key-rotation-period", "4"], "--key-rotation-period"),
            (["-encrypt-rotate-iv-mbytes", "4"], "--encrypt-rotate-iv-mbytes"),
            (["-n", "x"], "--base-encrypt-key-name"), (["-l", "log"], "--log-file"),
            (["-no-floating-point-duration"], "--no-floating-point-duration"), (["-V"], "--validate-files"),
        ]
    )
    func refusals(options: [String], fragment: String) throws {
        let tool = try Tool()
        _ = try tool.file("key.bin", [UInt8](0..<32))
        let run = try tool.run(["mediafilesegmenter"] + options + ["-f", "site", PackageTests.film])
        #expect(run.status == 2, "\(run.errors)")
        #expect(run.errors.contains(fragment), "\(run.errors)")
        #expect(!FileManager.default.fileExists(atPath: tool.path("site")))
    }

    @Test("rejects a key file of another size than 32 bytes", arguments: [0, 16, 31, 33, 64])
    func keyFile(size: Int) throws {
        let tool = try Tool()
        _ = try tool.file("key.bin", [UInt8](repeating: 7, count: size))
        let run = try tool.run(
            ["mediafilesegmenter", "-r", "-P", "-S", "-k", "key.bin", "-K", "skd://x", "-f", "site", PackageTests.film]
        )
        #expect(run.status == 1)
        #expect(run.errors.contains("32 bytes") && run.errors.contains("\(size)"))
    }
}
