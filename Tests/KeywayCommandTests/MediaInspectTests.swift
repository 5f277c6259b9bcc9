import Foundation
import OwnThreads
import Testing

/// Tests of `keyway media inspect`. Transcripts/media-inspect.txt contains its output.
@Suite("keyway media inspect", .ownThreads)
struct MediaInspectTests {
    let tool: Tool

    init() throws { tool = try Tool() }

    private func inspect(_ arguments: String...) throws -> Tool.Outcome {
        try tool.run(["media", "inspect"] + arguments)
    }

    @Test("The tracks of an MP4 file, as JSON")
    func mp4() throws {
        let outcome = try inspect(DecryptTests.path("rotation-video.mp4"), "--json")
        #expect(outcome.status == 0, "\(outcome.errors)")
        let report = try outcome.json()
        let track = try #require((report["tracks"] as? [[String: Any]])?.first)
        #expect(track["codecs"] as? [String] == ["avc1.4d400a"])
        #expect(track["samples"] as? Int == 30)
        #expect(track["syncSamples"] as? Int == 3)
        #expect(track["duration"] as? Double == 3)
        #expect(track["encryptedSamples"] as? Int == 20)
        #expect(
            track["keyIDsOfSamples"] as? [String] == [
                "0123456789abcdef0123456789abcdef", "23456789abcdef0123456789abcdef01",
            ]
        )
        let boxes = try #require(report["boxes"] as? [[String: Any]])
        #expect(boxes.compactMap { $0["type"] as? String }.count { $0 == "moof" } == 3)
    }

    @Test("A constant IV is never shown, as text or as JSON")
    func secrecy() throws {
        let path = DecryptTests.path("cbcs-video.mp4")
        let file = try tool.content(path)
        let name = try #require(file.firstRange(of: Array("tenc".utf8)))
        // Version and flags (4 bytes), the key ID, and the size of the IV.
        let vector = file[name.upperBound + 4 + 4 + 16 + 1..<name.upperBound + 4 + 4 + 16 + 1 + 16]
        let digits = vector.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        #expect(file[name.upperBound + 24] == 16)
        for arguments in [[path], [path, "--json"], [path, "--all"]] {
            let outcome = try tool.run(["media", "inspect"] + arguments)
            #expect(outcome.text.contains("hidden"))
            #expect(!outcome.text.lowercased().contains(digits))
        }
    }

    @Test("A media segment, with its initialization segment")
    func segment() throws {
        let path = DecryptTests.path("segments-1.m4s")
        #expect(try inspect(path).text.contains("--init FILE"))
        let outcome = try inspect(path, "--init", DecryptTests.path("segments-init.mp4"), "--json")
        let track = try #require((try outcome.json()["tracks"] as? [[String: Any]])?.first)
        #expect(track["samples"] as? Int == 10)
        #expect(track["encryptedSamples"] as? Int == 10)
        #expect(track["encryption"] as? String == "cenc")
    }

    @Test("Boxes that occur in large numbers are counted")
    func many() throws {
        let file = try tool.content(DecryptTests.path("segments-1.m4s"))
        let path = try tool.file("many.m4s", (0..<300).flatMap { _ in file })
        let outcome = try inspect(path)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.text.contains("298 mdat, 298 moof, 298 sidx, 298 styp more; give --all to show them"))
        #expect(outcome.text.split(separator: "\n").count < 50)
        #expect(try inspect(path, "--all").text.split(separator: "\n").count > 3000)
        let short = try inspect(path, "--depth", "1").text
        #expect(short.contains("moof") && !short.contains("traf"))
    }

    @Test("A transport stream, as JSON")
    func transportStream() throws {
        let report = try inspect(DecryptTests.path("sample-aes-eac3-1.ts"), "--json").json()
        #expect(report["kind"] as? String == "mpeg-ts")
        let stream = try #require((report["streams"] as? [[String: Any]])?.first)
        #expect(stream["stream"] as? String == "E-AC-3")
        #expect(stream["encryption"] as? String == "SAMPLE-AES")
        #expect(stream["pesPackets"] as? Int == 11)
        let pids = try #require(report["pids"] as? [[String: Any]])
        #expect(pids.count == 3)
    }

    @Test("Missing packets are counted")
    func continuity() throws {
        var file = try tool.content(DecryptTests.path("sample-aes-aac-1.ts"))
        file.removeSubrange(188 * 10..<188 * 11)
        let outcome = try inspect(try tool.file("gap.ts", file))
        #expect(outcome.text.contains("continuity counters jump, 1 time\n"))
    }

    @Test("A damaged file is shown up to the damage, and exits with 1")
    func damage() throws {
        let file = try tool.content(DecryptTests.path("cbcs-video.mp4"))
        let outcome = try inspect(try tool.file("cut.mp4", file.dropLast(100)))
        #expect(outcome.status == 1)
        #expect(outcome.text.contains("! truncated at byte"))
        #expect(outcome.text.contains("Track 1"))
        #expect(outcome.errors.contains("cut.mp4 is damaged: "))
        let stream = try tool.content(DecryptTests.path("sample-aes-aac-1.ts"))
        #expect(try inspect(try tool.file("cut.ts", stream.dropLast(100))).status == 1)
    }

    @Test("Subtitles")
    func subtitles() throws {
        let text = "WEBVTT\nX-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:900000\n\n00:01.000 --> 00:02.500\nHello\n"
        let outcome = try inspect(try tool.file("a.vtt", Array(text.utf8)), "--json")
        #expect(outcome.status == 0, "\(outcome.errors)")
        let subtitles = try #require(try outcome.json()["subtitles"] as? [String: Any])
        #expect(subtitles["cues"] as? Int == 1)
        #expect(subtitles["from"] as? Double == 1)
        #expect(subtitles["to"] as? Double == 2.5)
        #expect(subtitles["timestampMapMpeg2"] as? Double ?? subtitles["timestampMapMPEG2"] as? Double == 10)
    }

    @Test("Files that are not media are reported")
    func others() throws {
        let playlist = try inspect(try tool.file("a.m3u8", Array("#EXTM3U\n".utf8)))
        #expect(playlist.status == 1)
        #expect(playlist.errors.contains("keyway playlist show"))
        #expect(try inspect(try tool.file("empty", [])).errors.contains("is empty"))
        let segment = try inspect(try tool.file("segment", [UInt8](repeating: 0xC3, count: 64)))
        #expect(segment.errors.contains("AES-128"))
        #expect(try inspect(tool.path("nothing")).status == 3)
        #expect(try inspect("-").status == 2)
        #expect(try inspect("x", "--depth", "0").status == 2)
    }
}
