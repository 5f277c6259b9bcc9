import ArgumentParser
import Foundation
import Testing

@testable import keyway

@Suite("keyway package --live, --event and --rotate-keys")
struct PackageLiveTests {
    private static let secret = "000102030405060708090a0b0c0d0e0f"

    @Test("package standard input, with key rotation")
    func event() throws {
        let tool = try Tool()
        let run = try tool.run(
            [
                "package", PackageTests.film, "--event", "--out", "site", "--segment-duration", "2", "--rotate-keys",
                "1",
                "--derive-keys", Self.secret, "--start-date", "2026-05-01T20:15:00Z", "--save-keys", "keys.txt",
            ]
        )
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.text.contains("play site/main.m3u8"))
        let check = try tool.run(["playlist", "check", "--fail-on", "note", "site/main.m3u8"])
        #expect(check.status == 0, "\(check.text)")
        let media = String(decoding: try tool.content(tool.path("site/video-48/media.m3u8")), as: UTF8.self)
        #expect(media.contains("#EXT-X-PLAYLIST-TYPE:EVENT") && media.contains("#EXT-X-ENDLIST"))
        #expect(media.contains("2026-05-01T20:15:00.000Z"))
        let keys = String(decoding: try tool.content(tool.path("keys.txt")), as: UTF8.self).split(separator: "\n")
        #expect(keys.count >= 4)
        for key in keys.compactMap({ $0.split(separator: ":").dropFirst().first }) {
            #expect(!run.text.contains(key) && !run.errors.contains(key) && !media.contains(key))
        }
        let mode = try FileManager.default.attributesOfItem(atPath: tool.path("keys.txt"))[.posixPermissions]
        #expect((mode as? NSNumber)?.intValue == 0o600)
    }

    @Test("rotate keys in VOD presentations, from a file with a line for each period")
    func film() throws {
        let tool = try Tool()
        let lines = (10..<40).map { number in
            [number, number + 30, number + 60].map { String(repeating: "\($0)", count: 16).prefix(32) }.joined(
                separator: ":"
            )
        }
        _ = try tool.file("periods.txt", Array((lines.joined(separator: "\n") + "\n").utf8))
        let run = try tool.run(
            [
                "package", PackageTests.film, "--out", "site", "--segment-duration", "2", "--rotate-keys", "1",
                "--period-keys", "periods.txt", "--hdcp", "SD=NONE",
            ]
        )
        #expect(run.status == 0, "\(run.errors)")
        let media = String(decoding: try tool.content(tool.path("site/video-48/media.m3u8")), as: UTF8.self)
        #expect(media.contains("skd://\(String(repeating: "10", count: 16))"))
        #expect(media.contains("skd://\(String(repeating: "11", count: 16))"))
    }

    @Test(
        "reject contradictory options",
        arguments: [
            (["--live", "--event"], "--live"), (["--window", "5"], "--window"),
            (["--event", "--window", "5"], "--window"), (["--live", "--window", "x"], "--window"),
            (["--live", "--manifests", "dash", "--container", "ts"], "--manifests"),
            (["--live", "--single-file"], "--single-file"),
            (["--live", "--start-date", "yesterday"], "--start-date"), (["--key-lead", "5"], "--key-lead"),
            (["--live", "--target-duration", "2"], "--target-duration"), (["--rotate-keys", "60s"], "--rotate-keys"),
            (["--rotate-keys", "0", "--derive-keys", secret], "--rotate-keys"),
            (["--rotate-keys", "1", "--derive-keys", secret, "--single-file"], "--rotate-keys"),
            (["--rotate-keys", "1", "--derive-keys", secret, "--key-lead", "5"], "--key-lead"),
            (["--rotate-keys", "1", "--derive-keys", secret] + PackageTests.keyOptions, "--key"),
        ]
    )
    func refusals(options: [String], fragment: String) throws {
        let tool = try Tool()
        let run = try tool.run(["package", PackageTests.film, "--out", "site"] + options)
        #expect(run.status == 2, "\(run.errors)")
        #expect(run.errors.contains(fragment), "\(run.errors)")
        #expect(!FileManager.default.fileExists(atPath: tool.path("site/main.m3u8")))
    }

    @Test("have each option in the table of docs/package-command.md")
    func documented() throws {
        let path = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/package-command.md")
        let page = try String(contentsOf: path, encoding: .utf8)
        let part = try #require(page.split(separator: "## Live packaging").last)
        let rows = part.split(separator: "\n").compactMap { line in
            line.wholeMatch(of: /\| `--([a-z-]+)` \|.*/).map { String($0.1) }
        }
        let names = try StreamOptions.parse([]).texts.map(\.0)
        #expect(rows == names)
        #expect(names.allSatisfy { PackagingSettings.valueNames.contains($0) })
    }
}
