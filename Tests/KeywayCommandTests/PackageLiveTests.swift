import ArgumentParser
import Foundation
import OwnThreads
import Packager
import Testing
import ToolSupport

@testable import keyway

@Suite("keyway package --live, --event and --rotate-keys", .ownThreads)
struct PackageLiveTests {
    private static let secret = "000102030405060708090a0b0c0d0e0f"

    @Test("package standard input, with key rotation")
    func event() throws {
        let tool = try Tool()
        let run = try tool.run(
            [
                "package", PackageTests.film, "--event", "--out", "site", "--segment-duration", "2s", "--rotate-keys",
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
                "package", PackageTests.film, "--out", "site", "--segment-duration", "2s", "--rotate-keys", "1",
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
            (["--live", "--window", "2"], "--window"),
            (["--live", "--manifests", "dash", "--container", "ts"], "--manifests"),
            (["--live", "--single-file"], "--single-file"),
            (["--live", "--start-date", "yesterday"], "--start-date"), (["--key-lead", "5s"], "--key-lead"),
            (["--live", "--target-duration", "2s"], "--target-duration"),
            (
                ["--live", "--target-duration", "6.5s"],
                "--target-duration: expected whole seconds, such as 6s, not 6500ms"
            ), (["--rotate-keys", "60s"], "--rotate-keys"),
            (["--rotate-keys", "0", "--derive-keys", secret], "--rotate-keys"),
            (["--rotate-keys", "1", "--derive-keys", secret, "--single-file"], "--rotate-keys"),
            (["--rotate-keys", "1", "--derive-keys", secret, "--key-lead", "5s"], "--key-lead"),
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
        }.filter { !PackagingSettings.flagNames.contains($0) }
        #expect(rows == PackagingSetting.stream.map(\.name))
    }

    @Test("count segments or have a duration of whole seconds")
    func periodLengths() throws {
        func length(_ text: String) throws -> KeyRotation.Length? {
            var settings = PackagingSettings()
            let argument = try #require(LengthArgument(argument: text))
            settings.rotation = .init(argument)
            return try settings.keyRotation()?.length
        }
        #expect(try length("10") == .segments(10))
        #expect(try length("60s") == .seconds(60))
        #expect(try length("PT10M") == .seconds(600))
        #expect(try length("1d") == .seconds(86_400))
        for text in ["0", "86401", "0s", "1.5s", "500ms", "2d"] {
            let error = #expect(throws: JobFailure.self) { try length(text) }
            #expect(error?.option == "rotate-keys")
            #expect(error?.reason == "expected 1 to 86400 segments, or whole seconds from 1s to 1d")
        }
        for text in ["x", "", "-5", "s", "1e3", "9999999999"] { #expect(LengthArgument(argument: text) == nil) }
    }
}

@Suite("Settings of keyway package", .ownThreads)
struct PackagingSettingTests {
    /// The options of the command with the defaults in their help.
    private func help() throws -> [String: String] {
        let tool = try Tool()
        let run = try tool.run(["package", "--experimental-dump-help"])
        let arguments = try #require((try run.json()["command"] as? [String: Any])?["arguments"] as? [[String: Any]])
        let options = arguments.filter { $0["kind"] as? String == "option" }
        return Dictionary(
            uniqueKeysWithValues: options.map { option in
                let names = option["names"] as? [[String: Any]] ?? []
                return (names.first?["name"] as? String ?? "", option["abstract"] as? String ?? "")
            }
        )
    }

    @Test("are options, whose help has the defaults of a job")
    func defaults() throws {
        let help = try help()
        for setting in PackagingSetting.all {
            #expect(help[setting.name] != nil, "\(setting.name)")
        }
        for (name, value) in [("segment-duration", "6s"), ("iv-size", "8"), ("window", "6"), ("key-timeout", "30s")] {
            #expect(help[name]?.hasSuffix("(default: \(value))") == true, "\(name)")
        }
    }

    /// A value for each setting.
    private static let values = [
        "out": "site", "scheme": "CENC", "container": "ts", "segment-duration": "4s", "key-uri": "skd://{title}",
        "systems": "widevine,clearkey", "clear-lead": "PT10S", "title": "film", "manifests": "dash,hls",
        "iv-size": "16", "window": "1m", "target-duration": "8s", "start-date": "2026-05-01T20:15:00+02:00",
        "rotate-keys": "10", "period-keys": "periods.txt", "derive-keys": "@secret", "key-lead": "5s",
        "key-timeout": "1m", "part-duration": "500ms", "work-folder": "work", "upload-token": "@token",
        "upload-timeout": "1m",
        "utc-timing": "https://time.example.com/",
        "keyformat-versions": "1/2", "certificate-url": "https://keys.example.com/certificate",
    ]

    @Test("have the same value from an option and from a job file, and the option overrides the file")
    func sources() throws {
        #expect(Set(Self.values.keys) == Set(PackagingSetting.all.map(\.name)))
        let line = Self.values.flatMap { ["--\($0.key)", $0.value] }
        let command = try #require(try PackageCommand.parseAsRoot(["-"] + line) as? PackageCommand)
        let options = try command.settings()
        let tool = try Tool()
        let path = try tool.file("job.yaml", Array(Self.values.map { "\($0.key): \"\($0.value)\"\n" }.joined().utf8))
        let file = try JobFile.read(path)
        // The paths of a file are relative to it.
        let folder = URL(filePath: path).deletingLastPathComponent().path
        for setting in PackagingSetting.all {
            #expect(setting.location(options) == .commandLine, "\(setting.name)")
            #expect(setting.location(file) != nil && setting.location(file) != .commandLine, "\(setting.name)")
            var both = file
            setting.override(&both, options)
            #expect(setting.location(both) == .commandLine, "\(setting.name)")
            setting.override(&both, PackagingSettings())
            #expect(setting.location(both) == .commandLine, "\(setting.name)")
        }
        let url = try tool.file("url.yaml", Array("out: https://example.com/site".utf8))
        #expect(try JobFile.read(url).out?.value == "https://example.com/site")
        let network = try tool.file("network.yaml", Array("inputs: ['udp://:5000', {path: 'rtp://:5004'}]".utf8))
        #expect(try JobFile.read(network).inputs.map(\.path) == ["udp://:5000", "rtp://:5004"])
        let bucket = try tool.file("bucket.yaml", Array("out: s3://bucket/site".utf8))
        let failure = #expect(throws: CommandFailure.self) { try JobFile.read(bucket) }
        #expect(failure?.description.contains("bucket.yaml:1: out: s3://bucket/site looks like a URL") == true)
        #expect(file.out?.value == "\(folder)/site" && options.out?.value == "site")
        #expect(
            file.periodKeys?.value.path == "\(folder)/periods.txt" && options.periodKeys?.value.path == "periods.txt"
        )
        #expect(file.scheme?.value == .cenc && options.scheme?.value == .cenc)
        #expect(file.segmentDuration?.value == options.segmentDuration?.value)
        #expect(file.clearLead?.value == .seconds(10) && options.clearLead?.value == .seconds(10))
        #expect(file.systems?.value == options.systems?.value && file.manifests?.value == options.manifests?.value)
        #expect(file.startDate?.value == options.startDate?.value && file.startDate?.value.utcOffset == 120)
        #expect(file.window?.value == .duration(.seconds(60)) && options.window?.value == file.window?.value)
    }
}
