import Foundation
import OwnThreads
import Testing
import ToolSupport

@testable import Packager
@testable import keyway

@Suite("keyway package", .ownThreads)
struct PackageTests {
    static let film = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Media/film.mp4").path
    static let keyID = "101112131415161718191a1b1c1d1e1f"
    static let key = "00112233445566778899aabbccddeeff"
    static let iv = "ffeeddccbbaa99887766554433221100"
    static let keyOptions = ["--key-id", keyID, "--key", key, "--iv", iv]

    /// Returns all files below a folder, by relative path.
    static func files(_ folder: String) throws -> [String: Data] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder)
        var files: [String: Data] = [:]
        for name in names {
            var isFolder: ObjCBool = false
            let path = folder + "/" + name
            guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue else {
                continue
            }
            files[name] = try Data(contentsOf: URL(filePath: path))
        }
        return files
    }

    @Test("writes a presentation without findings of keyway playlist check")
    func presentation() throws {
        let tool = try Tool()
        let run = try tool.run(
            ["package", Self.film, "--out", "site", "--segment-duration", "2s"] + Self.keyOptions
        )
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.text.contains("play site/main.m3u8"))
        let names = try Set(Self.files(tool.path("site")).keys)
        #expect(
            names.isSuperset(of: [
                "main.m3u8", "video-48/media.m3u8", "video-48/iframes.m3u8", "video-48/init.mp4", "video-48/3.m4s",
                "audio-en/media.m3u8", "audio-en/init.mp4", "audio-en/3.m4s",
            ])
        )
        #expect(!names.contains { $0.hasPrefix(".") })
        let check = try tool.run(["playlist", "check", "--fail-on", "note", "site/main.m3u8"])
        #expect(check.status == 0, "\(check.text)")
        let secrets = [Self.key, Self.iv]
        for text in [run.text, run.errors] { #expect(!secrets.contains { text.contains($0) }) }
        let main = String(decoding: try tool.content(tool.path("site/main.m3u8")), as: UTF8.self)
        #expect(main.contains("skd://\(Self.keyID)") && main.contains("LANGUAGE=\"en\",NAME=\"English\""))
    }

    @Test("writes only a DASH manifest for cenc, and HLS playlists on request")
    func counterMode() throws {
        let tool = try Tool()
        let options = ["package", Self.film, "--scheme", "cenc", "--segment-duration", "2s"] + Self.keyOptions
        let alone = try tool.run(options + ["--out", "alone"])
        #expect(alone.status == 0, "\(alone.errors)")
        #expect(alone.text.contains("play alone/main.mpd"))
        let names = try Self.files(tool.path("alone")).keys
        #expect(names.contains("main.mpd") && !names.contains { $0.hasSuffix(".m3u8") })
        let both = try tool.run(options + ["--out", "both", "--manifests", "dash,HLS"])
        #expect(both.status == 0, "\(both.errors)")
        #expect(try Self.files(tool.path("both")).keys.contains("main.m3u8"))
        for text in [alone.text, both.text] { #expect(!text.contains(Self.key) && !text.contains(Self.iv)) }
    }

    @Test("prints the plan in a dry run, without keys, and writes nothing")
    func dryRun() throws {
        let tool = try Tool()
        let options = ["package", Self.film, "--out", "site", "--dry-run", "--json"] + Self.keyOptions
        let run = try tool.run(options)
        #expect(run.status == 0, "\(run.errors)")
        #expect(!FileManager.default.fileExists(atPath: tool.path("site")))
        let report = try run.json()
        let tracks = try #require((report["tracks"] as? [String: Any])?["blocks"] as? [[String: Any]])
        #expect(tracks.map { $0["folder"] as? String } == ["video-48", "audio-en"])
        #expect(tracks.map { $0["class"] as? String } == ["SD", "audio"])
        let keys = try #require((report["keys"] as? [String: Any])?["blocks"] as? [[String: Any]])
        #expect(keys.count == 1)
        #expect(keys[0]["keyID"] as? String == Self.keyID)
        // The first 8 bytes of SHA-256 over the key.
        #expect(keys[0]["fingerprint"] as? String == "a8faed6abbf35c12")
        #expect(!run.text.contains(Self.key) && !run.text.contains(Self.iv))
        let made = try tool.run(["package", Self.film, "--out", "site", "--dev", "--dry-run"])
        #expect(made.status == 0, "a dry run registers nothing and needs no token: \(made.errors)")
    }

    @Test("replaces existing files only with --overwrite")
    func overwriting() throws {
        let tool = try Tool()
        let arguments = ["package", Self.film, "--out", "site"]
        #expect(try tool.run(arguments).status == 0)
        let before = try Self.files(tool.path("site"))
        let again = try tool.run(arguments + Self.keyOptions)
        #expect(again.status == 2)
        #expect(again.errors.contains("overwrite"))
        #expect(try Self.files(tool.path("site")) == before)
        #expect(try tool.run(arguments + ["--overwrite"] + Self.keyOptions).status == 0)
        #expect(try Self.files(tool.path("site"))["main.m3u8"] != before["main.m3u8"])
    }

    @Test("reads the same settings from a job file and from options")
    func jobFile() throws {
        let tool = try Tool()
        _ = try tool.file("film.mp4", [UInt8](try Data(contentsOf: URL(filePath: Self.film))))
        _ = try tool.file("iv.hex", Array(Self.iv.utf8))
        _ = try tool.file(
            "job.yaml",
            Array(
                """
                inputs:
                  - path: film.mp4
                    lang: de
                out: by-file
                segment-duration: 2s
                single-file: yes
                clear-lead: PT2S
                systems: [fairplay, common]
                keys:
                  all: {key-id: \(Self.keyID), key-env: FILM_KEY, iv: "@iv.hex"}
                hdcp: {SD: TYPE-0}
                allowed-cpc: {SD: AppleMain}
                manifests: [hls, dash]
                license-url: {fairplay: "https://keys.example.com/fps", clearkey: "https://keys.example.com/clearkey"}
                certificate-url: https://keys.example.com/certificate
                """.utf8
            )
        )
        let environment = ["FILM_KEY": Self.key]
        let byFile = try tool.run(["package", "--job", "job.yaml"], environment: environment)
        #expect(byFile.status == 0, "\(byFile.errors)")
        let byOptions = try tool.run(
            [
                "package", "film.mp4,lang=de", "--out", "by-options", "--segment-duration", "2s", "--single-file",
                "--clear-lead", "2s", "--systems", "fairplay,common", "--hdcp", "SD=TYPE-0", "--allowed-cpc",
                "SD=AppleMain", "--manifests", "hls,dash", "--license-url", "fairplay=https://keys.example.com/fps",
                "--license-url", "clearkey=https://keys.example.com/clearkey", "--certificate-url",
                "https://keys.example.com/certificate",
            ] + Self.keyOptions
        )
        #expect(byOptions.status == 0, "\(byOptions.errors)")
        let files = try Self.files(tool.path("by-file"))
        #expect(files.count > 4)
        #expect(try Self.files(tool.path("by-options")) == files)
        let manifest = String(decoding: try #require(files["main.mpd"]), as: UTF8.self)
        let urls = ["Laurl>https://keys.example.com/fps<", "Laurl>https://keys.example.com/clearkey<", "Certurl>https"]
        for url in urls { #expect(manifest.contains(url), "\(url)") }
        // The command line overrides the job file.
        let other = try tool.run(["package", "--job", "job.yaml", "--out", "third"], environment: environment)
        #expect(other.status == 0, "\(other.errors)")
        #expect(try Self.files(tool.path("third")) == files)
    }

    @Test(
        "rejects invalid options with advice, and exits with 2",
        arguments: [
            (["--scheme", "rot13"], "--scheme: expected cbcs, cenc, sample-aes, aes-128, none, not 'rot13'"),
            (["--scheme", "cbcs"], "requires a key"),
            (["--container", "mkv"], "--container: expected fmp4, ts, not 'mkv'"),
            (["--segment-duration", "soon"], "--segment-duration: expected a duration with a unit, such as 90s"),
            (["--segment-duration", "6"], "--segment-duration: expected a duration with a unit, such as 90s"),
            (["--segment-duration", "12345d"], "at most 10d"),
            (["--segment-duration", "0s"], "from 0.5 to 60"),
            (["--clear-lead", "2s"], "--clear-lead: the scheme none encrypts nothing"),
            (["--key-id", keyID], "require a key"),
            (["--key", key, "--iv", iv], "--key-id is missing"),
            (["--key", key, "--key-file", "x"], "cannot be combined"),
            (["--key-file", "x", "--iv", iv], "contains the IV"),
            (["--key-id", keyID, "--key", key], "has no IV"),
            (keyOptions + ["--scheme", "aes-128", "--systems", "fairplay"], "identity"),
            (keyOptions + ["--scheme", "sample-aes", "--container", "fmp4"], "container ts"),
            (keyOptions + ["--scheme", "cenc", "--systems", "fairplay,widevine"], "FairPlay does not support cenc"),
            (keyOptions + ["--scheme", "cenc", "--iv-size", "12"], "8 or 16"),
            (["--manifests", "smooth"], "hls, dash, or hls,dash"),
            (keyOptions + ["--clear-lead", "1m"], "the whole presentation of 6"),
            (keyOptions + ["--hdcp", "video-720=TYPE-1"], "video-48"),
            (keyOptions + ["--dev", "--admin-token", "t"], "keys are given"),
            (["--dev"], "--admin-token"),
            (["--policy", "gold"], "--dev"),
            (["--track-key", "8K=@x"], "audio, SD, HD, UHD"),
            (["--track-key", "SD=\(keyID):\(key)00"], "32 hexadecimal digits"),
            (["--track-key", "SD:\(key)"], "--track-key: expected CLASS=KEY"),
            (["--track-key", "SD=@a", "--track-key", "sd=@b"], "SD has two keys"),
            (["--key-id", key], "require a key"), (["--key-id", "\(key)00"], "--key-id: expected 32 hexadecimal"),
            (["--key-uri", "skd://{film}"], "--key-uri: “{film}” is not a placeholder"),
            (["--systems", "fairplay,firplay"], "--systems: “firplay” is not a protection system"),
            (["--hdcp", "UHD=TYPE-9"], "--hdcp: “TYPE-9” is not one of"),
            (["--allowed-cpc", "UHD"], "--allowed-cpc: expected a class"),
            (["--license-url", "https://a/?k=\(key)"], "--license-url: expected SYSTEM=URL"),
            (["--license-url", "fairplay"], "--license-url: expected SYSTEM=URL"),
            (["--license-url", "identity=https://a"], "--license-url: expected SYSTEM=URL"),
            (["--license-url", "fairplay=skd://a"], "--license-url: expected an http or https URL"),
            (["--certificate-url", "https://name:\(key)@a"], "--certificate-url: expected an http or https URL"),
            (keyOptions + ["--license-url", "fairplay=https://a"], "--license-url: applies only to DASH"),
            (keyOptions + ["--license-url", "widevine=https://a"], "--license-url: widevine is not one of"),
            (["--speke-version", "2.1"], "require --speke"),
            (["--speke-version", "2.2"], "--speke-version: expected 2.0, 2.1"),
            (["--iv-size", "eight"], "--iv-size: expected a whole number, not 'eight'"),
        ]
    )
    func usage(options: [String], fragment: String) throws {
        let tool = try Tool()
        let run = try tool.run(["package", Self.film, "--out", "site"] + options)
        #expect(run.status == 2, "\(run.errors)")
        #expect(run.errors.contains(fragment), "\(run.errors)")
        #expect(!run.errors.contains(Self.key) && !run.errors.contains(Self.iv))
        #expect(!FileManager.default.fileExists(atPath: tool.path("site")))
    }

    @Test("distinguishes missing files from files that are not media")
    func badInputs() throws {
        let tool = try Tool()
        let missing = try tool.run(["package", "nothing.mp4", "--out", "site"])
        #expect(missing.status == 3)
        #expect(missing.errors.contains("nothing.mp4"))
        _ = try tool.file("text.mp4", Array("This is not a movie, but it has some length.".utf8))
        let text = try tool.run(["package", "text.mp4", "--out", "site"])
        #expect(text.status == 1)
        #expect(text.errors.contains("text.mp4"))
    }

    @Test("reports tracks that cannot be packaged with the options that leave them out")
    func unsupportedTracks() throws {
        let tool = try Tool()
        var film = [UInt8](try Data(contentsOf: URL(filePath: Self.film)))
        let entry = try #require(film.indices.last { film[$0...].starts(with: "avc1".utf8) })
        film.replaceSubrange(entry..<entry + 4, with: "vp09".utf8)
        _ = try tool.file("film.mp4", film)
        let run = try tool.run(["package", "film.mp4", "--out", "site"])
        #expect(run.status == 1)
        #expect(
            run.errors
                == "error: film.mp4: track 1 (video) has the format VP9 (vp09), which cannot be packaged; encode it first "
                + "(ffmpeg -i IN -map '0:V?' -map '0:a?' -c:v libx264 -c:a copy OUT.mp4); leave it out with "
                + "--skip-unsupported, or with PATH,tracks=audio\n"
        )
        #expect(!FileManager.default.fileExists(atPath: tool.path("site/main.m3u8")))
        let apple = try tool.run(["mediafilesegmenter", "film.mp4", "-f", "apple"])
        #expect(apple.status == 1 && apple.errors.hasSuffix("leave it out with --skip-unsupported, or with -a\n"))

        let skipped = try tool.run(["package", "film.mp4", "--out", "site", "--skip-unsupported"])
        #expect(skipped.status == 0)
        #expect((skipped.errors + skipped.text).contains("track 1 (video) has the format VP9 (vp09)"))
        _ = try tool.file("job.yaml", Array("inputs: [film.mp4]\nout: job\nskip-unsupported: true\n".utf8))
        #expect(try tool.run(["package", "--job", "job.yaml"]).status == 0)
        #expect(try tool.run(["mediafilesegmenter", "film.mp4", "-f", "apple", "--skip-unsupported"]).status == 0)
        #expect(try tool.run(["package", "film.mp4,tracks=audio", "--out", "audio"]).status == 0)
    }

    @Test(
        "refuses URLs with what to give instead",
        arguments: [
            (["package", "film.mp4", "--out", "s3://b/x"], 2, "s3://b/x looks like a URL"),
            (["package", "https://e.com/a.mp4,lang=en", "--out", "site"], 2, "https://e.com/a.mp4 is a URL"),
            (["package", "--job", "s3://b/job.yaml"], 3, "s3://b/job.yaml is a URL"),
            (["mediafilesegmenter", "s3://b/a.mp4", "-f", "site"], 2, "s3://b/a.mp4 is a URL"),
            (
                ["decrypt", "https://e.com/a.mp4", "--key", "\(keyID):\(key)", "--out", "x"], 2,
                "https://e.com/a.mp4 is a URL"
            ),
            (["media", "inspect", "file:///a.mp4"], 3, "give the path /a.mp4"),
        ]
    )
    func urls(arguments: [String], status: Int32, fragment: String) throws {
        let tool = try Tool()
        let run = try tool.run(arguments)
        #expect(run.status == status && run.errors.contains(fragment), "\(run.status): \(run.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: tool.path("")).isEmpty)
    }

    @Test("accepts a key for each class, also from files")
    func trackKeys() throws {
        let tool = try Tool()
        _ = try tool.file("sd.key", Array("\(Self.keyID):\(Self.key):\(Self.iv)\n".utf8))
        let run = try tool.run(
            [
                "package", Self.film, "--out", "site", "--track-key", "SD=@sd.key", "--track-key",
                "audio=\(String(Self.keyID.reversed())):\(Self.key):\(Self.iv)", "--json",
            ]
        )
        #expect(run.status == 0, "\(run.errors)")
        let keys = try #require((try run.json()["keys"] as? [String: Any])?["blocks"] as? [[String: Any]])
        #expect(keys.map { $0["keyID"] as? String } == [Self.keyID, String(Self.keyID.reversed())])
        _ = try tool.file("two.key", Array("\(Self.keyID):\(Self.key)\n# the second\n\(Self.key):\(Self.key)\n".utf8))
        let wrong = try tool.run(["package", Self.film, "--out", "other", "--track-key", "SD=@two.key"])
        #expect(wrong.status == 1)
        #expect(wrong.errors.contains("two.key contains 2 keys; expected one") && !wrong.errors.contains(Self.key))
    }

    @Test("shows progress, rate and remaining time")
    func progress() {
        let progress = PackagingProgress(bytesRead: 430_000_000, bytesTotal: 1_000_000_000, bytesWritten: 0)
        #expect(ProgressLine.text(progress, seconds: 2) == "43 %  430 MB of 1.00 GB  215 MB/s  0:02 left")
        let early = PackagingProgress(bytesRead: 0, bytesTotal: 1000, bytesWritten: 0)
        #expect(ProgressLine.text(early, seconds: 0) == "0 %  0 B of 1.00 kB  0 B/s")
        let pipe = PackagingProgress(bytesRead: 12_345_678, bytesTotal: nil, bytesWritten: 0)
        #expect(ProgressLine.text(pipe, seconds: 1) == "12.3 MB  12.3 MB/s")
        let slow = PackagingProgress(bytesRead: 1_000_000, bytesTotal: 91_000_000, bytesWritten: 0)
        #expect(ProgressLine.text(slow, seconds: 1) == "1 %  1.00 MB of 91.0 MB  1.00 MB/s  1:30 left")
        #expect(ByteCount.text(999.6) == "1.00 kB")
        #expect(ByteCount.text(99_960) == "100 kB")
    }
}
