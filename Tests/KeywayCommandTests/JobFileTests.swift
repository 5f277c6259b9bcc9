import Foundation
import OwnThreads
import Testing

@Suite("Job files", .ownThreads)
struct JobFileTests {
    static let valid = """
        inputs:
          - \(PackageTests.film)
        out: site
        keys:
          all:
            key-id: \(PackageTests.keyID)
            key: \(PackageTests.key)
            iv: \(PackageTests.iv)
        """

    @Test(
        "report errors with their line, and without keys",
        arguments: [
            ("out: site", "out: site\nscehme: cbcs", 4, "no field “scehme”"),
            (
                "out: site", "out: site\nscheme: rot13", 4,
                "scheme: expected cbcs, cenc, sample-aes, aes-128, none, not 'rot13'"
            ),
            (
                "out: site", "out: site\nclear-lead: later", 4,
                "clear-lead: expected a duration with a unit, such as 90s"
            ),
            ("out: site", "out: site\nsegment-duration: 6", 4, "expected a duration with a unit, such as 90s"),
            ("out: site", "out: site\nrotate-keys: often", 4, "rotate-keys: expected a number of segments, such as 10"),
            ("out: site", "out: site\nstart-date: today", 4, "start-date: expected an ISO 8601 time"),
            ("out: site", "out: site\nmanifests: [hls, smooth]", 4, "hls, dash, or hls,dash"),
            ("out: site", "out: site\niv-size: eight", 4, "iv-size: expected a whole number"),
            ("out: site", "out: s3://bucket/site", 3, "looks like a URL"),
            ("out: site", "out: https://example.com/site", 3, "only live and event streams are uploaded"),
            ("out: site", "out: site\nsingle-file: perhaps", 4, "true or false"),
            ("out: site", "out: site\nsystems: [fairplay, windows]", 4, "windows"),
            ("out: site", "out: site\nhdcp:\n  UHD: TYPE-9", 5, "TYPE-9"),
            ("out: site", "out: site\nhdcp: TYPE-1", 4, "mapping"),
            ("out: site", "out: site\nkey-uri: skd://{film}", 4, "{film}"),
            ("out: site", "out: [site]", 3, "expected a string or number"),
            ("out: site", "out: site\nout: site", 3, "“out” occurs twice"),
            ("  all:", "  everything:", 5, "all, audio, SD, HD, UHD"),
            ("    iv: ", "    vi: ", 8, "no field “vi”"),
            ("    key-id: ", "    key-id: 00", 6, "key-id: expected 32 hexadecimal digits"),
            ("    key: ", "    key-env: NO_SUCH_VARIABLE_", 6, "is not set"),
            ("    key: 00", "    key: ", 6, "16 bytes"),
            ("    key: ", "    file: x\n    key: ", 6, "leave out one"),
            ("  - /", "  - {lang: en}\n  - /", 2, "no path"),
            ("  - /", "  - {path: a, role: hero}\n  - /", 2, "hero"),
            ("  - /", "  - a,role=hero\n  - /", 2, "hero"),
            ("  - /", "  - udp://239.1.1.1\n  - /", 2, "port"),
            ("  - /", "  - {path: 'rtp://host:5004'}\n  - /", 2, "numeric"),
            ("inputs:", "inputs: {", 2, "expected"),
        ]
    )
    func mistakes(old: String, new: String, line: Int, fragment: String) throws {
        let tool = try Tool()
        _ = try tool.file("job.yaml", Array(Self.valid.replacing(old, with: new, maxReplacements: 1).utf8))
        let run = try tool.run(["package", "--job", "job.yaml"])
        #expect(run.status == 1, "\(run.errors)")
        #expect(run.errors.contains("job.yaml:\(line): "), "\(run.errors)")
        #expect(run.errors.contains(fragment), "\(run.errors)")
        #expect(!run.errors.contains(PackageTests.key.dropFirst(2)) && !run.errors.contains(PackageTests.iv))
    }

    @Test("are read if they are valid, with paths relative to their folder")
    func right() throws {
        let tool = try Tool()
        try FileManager.default.createDirectory(atPath: tool.path("jobs"), withIntermediateDirectories: false)
        _ = try tool.file("jobs/job.yaml", Array(Self.valid.utf8))
        let run = try tool.run(["package", "--job", "jobs/job.yaml"])
        #expect(run.status == 0, "\(run.errors)")
        #expect(FileManager.default.fileExists(atPath: tool.path("jobs/site/main.m3u8")))
    }

    @Test("do not expand recursive aliases")
    func references() throws {
        let tool = try Tool()
        var text = "a0: &a0 [x, x]\n"
        for level in 1...40 { text += "a\(level): &a\(level) [*a\(level - 1), *a\(level - 1)]\n" }
        _ = try tool.file("job.yaml", Array(text.utf8))
        let run = try tool.run(["package", "--job", "job.yaml"])
        #expect(run.status == 1)
        #expect(run.errors.contains("job.yaml:1: "))
    }

    @Test("that are empty or not text are reported as such")
    func noJob() throws {
        let tool = try Tool()
        _ = try tool.file("job.yaml", [])
        #expect(try tool.run(["package", "--job", "job.yaml"]).errors.contains("empty"))
        _ = try tool.file("job.yaml", [0xFF, 0xFE, 0x00])
        #expect(try tool.run(["package", "--job", "job.yaml"]).status == 1)
    }
}
