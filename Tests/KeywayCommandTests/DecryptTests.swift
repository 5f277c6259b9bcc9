import Foundation
import OwnThreads
import Testing

/// Tests of `keyway decrypt` with the clips of PackagerTests. Transcripts/decrypt.txt contains its output.
@Suite("keyway decrypt", .ownThreads)
struct DecryptTests {
    static let clips = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "PackagerTests/Fixtures/Decrypting")
    static let videoKey = "0123456789abcdef0123456789abcdef:00112233445566778899aabbccddeeff"
    static let audioKey = "fedcba98-7654-3210-fedc-ba9876543210:ffeeddccbbaa99887766554433221100"
    static let iv = ":0f0e0d0c0b0a09080706050403020100"

    let tool: Tool

    init() throws { tool = try Tool() }

    static func path(_ name: String) -> String { clips.appending(path: name).path }

    @Test("A file is decrypted, with a JSON report")
    func file() throws {
        let input = Self.path("cbcs-video.mp4")
        let outcome = try tool.run(["decrypt", input, "--key", Self.videoKey, "--out", "clear.mp4", "--json"])
        #expect(outcome.status == 0, "\(outcome.errors)")
        let report = try outcome.json()
        let tracks = try #require(report["tracks"] as? [[String: Any]])
        #expect(tracks.count == 1)
        #expect(tracks[0]["decrypted"] as? Int == 30)
        #expect(tracks[0]["scheme"] as? String == "cbcs")
        #expect(tracks[0]["keys"] as? [String] == ["0123456789abcdef0123456789abcdef"])
        let output = try tool.content(tool.path("clear.mp4"))
        #expect(output.count == (try tool.content(input)).count)
        #expect(output.firstRange(of: Array("avc1".utf8)) != nil)
        #expect(output.firstRange(of: Array("encv".utf8)) == nil)
    }

    @Test("Keys are read from a file with comments")
    func keyFile() throws {
        let text = "# keys of the film\n\n\(Self.audioKey)\n  \(Self.videoKey)  # video\r\n"
        let keys = try tool.file("keys.txt", Array(text.utf8))
        let input = Self.path("cbcs-audio.mp4")
        #expect(try tool.run(["decrypt", input, "--key", "@\(keys)", "--out", "clear.mp4"]).status == 0)
        let bad = try tool.file("bad.txt", Array("\(Self.audioKey)\nnonsense\n".utf8))
        let outcome = try tool.run(["decrypt", input, "--key", "@\(bad)", "--out", "clear2.mp4"])
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("line 2 of \(bad): expected KID:KEY"))
    }

    @Test("A presentation is decrypted")
    func presentation() throws {
        let folder = tool.path("in")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: Self.path("sample-aes-video-1.ts"), toPath: folder + "/1.ts")
        let id = "0123456789abcdef0123456789abcdef"
        let key = "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://\(id)\",KEYFORMAT=\"com.apple.streamingkeydelivery\"\n"
        _ = try tool.file("in/media.m3u8", Array("#EXTM3U\n#EXT-X-TARGETDURATION:1\n\(key)#EXTINF:1,\n1.ts\n".utf8))
        let arguments = ["decrypt", "in/media.m3u8", "--key", Self.videoKey + Self.iv, "--out", "out"]
        let outcome = try tool.run(arguments)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.text.hasPrefix("in/media.m3u8: decrypted to 2 files in out\n"))
        let playlist = String(decoding: try tool.content(tool.path("out/media.m3u8")), as: UTF8.self)
        #expect(playlist == "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n1.ts\n")
        #expect(outcome.errors.isEmpty)
        let same = try tool.run(["decrypt", "in/media.m3u8", "--key", Self.videoKey + Self.iv, "--out", "in"])
        #expect(same.status == 1)
        #expect(same.errors.contains("would be overwritten"))
    }

    @Test("The error for a missing key contains its ID")
    func missingKey() throws {
        let arguments = ["decrypt", Self.path("cbcs-video.mp4"), "--key", Self.audioKey, "--out", "clear.mp4"]
        let outcome = try tool.run(arguments)
        #expect(outcome.status == 1)
        #expect(
            outcome.errors.contains(
                "track 1 (avc1), sample 1: no key was given for the key ID 0123456789abcdef0123456789abcdef"
            )
        )
        #expect(outcome.errors.contains("--key KID:KEY"))
        #expect(!FileManager.default.fileExists(atPath: tool.path("clear.mp4")))
    }

    @Test(
        "Invalid command lines exit with 2, and errors contain no key",
        arguments: [
            ["--key", "0123:00112233445566778899aabbccddeeff"],
            ["--key", "0123456789abcdef0123456789abcdef:00112233445566778899aabbccddee"],
            ["--key", "0123456789abcdef0123456789abcdef:00112233445566778899aabbccddeeff:0001"],
            ["--key", "0123456789abcdef0123456789abcdef"],
            ["--key", videoKey, "--key", "0123456789abcdef0123456789abcdef:ff112233445566778899aabbccddeeff"],
            [],
        ]
    )
    func usage(keys: [String]) throws {
        let outcome = try tool.run(["decrypt", Self.path("cbcs-video.mp4"), "--out", "clear.mp4"] + keys)
        #expect(outcome.status == 2, "\(outcome.errors)")
        #expect(!outcome.errors.contains("112233445566"))
        #expect(!FileManager.default.fileExists(atPath: tool.path("clear.mp4")))
    }

    @Test("URLs and standard streams are rejected")
    func inputs() throws {
        for arguments in [
            ["https://example.com/main.m3u8", "--out", "x"], ["-", "--out", "x"],
            [Self.path("cbcs-video.mp4"), "--out", "-"],
        ] {
            #expect(try tool.run(["decrypt", "--key", Self.videoKey] + arguments).status == 2)
        }
    }

    @Test("Files that cannot be read or written exit with 3")
    func files() throws {
        let key = ["--key", Self.videoKey]
        let missing = try tool.run(["decrypt", "nothing.mp4", "--out", "x"] + key)
        #expect(missing.status == 3)
        #expect(missing.errors.contains("cannot open nothing.mp4: No such file or directory"))
        #expect(try tool.run(["decrypt", tool.folder.url.path, "--out", "x"] + key).status == 3)
        let input = Self.path("cbcs-video.mp4")
        #expect(try tool.run(["decrypt", input, "--out", tool.path("no/such/folder")] + key).status == 3)
        #expect(try tool.run(["decrypt", input, "--out", tool.folder.url.path] + key).status == 3)
    }
}
