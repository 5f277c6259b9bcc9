import Foundation
import OwnThreads
import Testing

@Suite("keyway package --keyformat-versions", .timeLimit(.minutes(10)), .ownThreads)
struct PackageKeyFormatTests {
    private func package(_ options: [String]) throws -> (run: Tool.Outcome, tool: Tool) {
        let tool = try Tool()
        let key = String(repeating: "0123456789abcdef", count: 2)
        let run = try tool.run(
            ["package", PackageTests.film, "--out", "site", "--key-id", key, "--key", key, "--iv", key] + options
        )
        return (run, tool)
    }

    @Test(
        "is the KEYFORMATVERSIONS of every FairPlay key, and 1 by default",
        arguments: [([], "1"), (["--keyformat-versions", "1/2"], "1/2"), (["--keyformat-versions", "2/1"], "1/2")]
            as [([String], String)]
    )
    func versions(options: [String], versions: String) throws {
        let (run, tool) = try package(options + ["--systems", "fairplay,clearkey"])
        #expect(run.status == 0, "\(run.errors)")
        for name in ["main.m3u8", "video-48/media.m3u8", "video-48/iframes.m3u8", "audio-en/media.m3u8"] {
            let text = String(decoding: try tool.content(tool.path("site/" + name)), as: UTF8.self)
            let keys = text.split(separator: "\n").filter {
                $0.hasPrefix("#EXT-X-KEY") || $0.hasPrefix("#EXT-X-SESSION-KEY")
            }
            let fairPlay = keys.filter { $0.contains("com.apple.streamingkeydelivery") }
            #expect(!fairPlay.isEmpty && fairPlay.count < keys.count)
            for key in keys {
                let expected = fairPlay.contains(key) ? versions : "1"
                #expect(key.contains("KEYFORMATVERSIONS=\"\(expected)\""), "\(name): \(key)")
            }
        }
    }

    @Test(
        "accepts only versions of FPS with version 1 among them, and only for FairPlay",
        arguments: ["2", "3", "0", "1,2", "1/1", "", "1/"]
    )
    func refused(versions: String) throws {
        let (run, tool) = try package(["--keyformat-versions", versions])
        #expect(run.status == 2)
        #expect(run.errors.contains("--keyformat-versions"), "\(run.errors)")
        #expect(!FileManager.default.fileExists(atPath: tool.path("site")))
    }

    @Test("without FairPlay is an error, on the command line and in a job file")
    func withoutFairPlay() throws {
        let (run, _) = try package(["--keyformat-versions", "1/2", "--systems", "clearkey"])
        #expect(run.status == 2)
        #expect(run.errors.contains("--keyformat-versions: applies only to FairPlay keys"), "\(run.errors)")
        let tool = try Tool()
        let job = try tool.file("job.yaml", Array("inputs: [\(PackageTests.film)]\nkeyformat-versions: 1/3\n".utf8))
        let other = try tool.run(["package", "--job", job, "--out", "site"])
        #expect(other.status == 1)
        #expect(other.errors.contains("job.yaml:2: "), "\(other.errors)")
    }
}
