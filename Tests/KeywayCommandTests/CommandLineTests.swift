import Foundation
import KeyServerModule
import OwnThreads
import Testing
import VectorFiles

@testable import keyway

/// Tests of exit codes, output, and small commands.
@Suite("The command line", .ownThreads)
struct CommandLineTests {
    let tool: Tool

    init() throws { tool = try Tool() }

    @Test("Help is written to standard output, and documents the exit codes")
    func help() throws {
        let outcome = try tool.run(["--help"])
        #expect(outcome.status == 0)
        #expect(outcome.text.contains("2  the command line is invalid"))
        #expect(outcome.errors.isEmpty)
    }

    @Test(
        "The help of a list has the values of its elements",
        arguments: [["device", "request-key"], ["spc", "create"]]
    )
    func valuesOfLists(command: [String]) throws {
        let text = try tool.run(command + ["--help"]).text
        let omit = try #require(text.components(separatedBy: "--omit <blocks>").last)
        for value in OptionalBlockArgument.allCases { #expect(omit.contains(value.rawValue), "\(value)") }
        #expect(omit.contains("(values: transaction-id,"))
    }

    @Test(
        "Invalid command lines exit with 2",
        arguments: [
            ["frobnicate"], ["spc", "inspect"], ["spc", "inspect", "a", "--bogus"],
            ["spc", "inspect", "a", "--ask", "00"],
            ["ckc", "inspect", "a", "--spc", "b"], ["ckc", "open", "--spc", "-", "--ckc", "-"],
            ["ckc", "create", "--spc", "a", "--key", "00", "--iv", "00"],
            ["credentials", "new", "--out", "x", "--bits", "512"],
            ["policy", "check", "a", "--kind", "subtitles"],
            ["device", "request-key", "--server", "nowhere", "--asset", "a"],
        ]
    )
    func usage(arguments: [String]) throws {
        let outcome = try tool.run(arguments)
        #expect(outcome.status == 2, "\(outcome.errors)")
        #expect(outcome.errors.hasPrefix("error: "))
        #expect(outcome.output.isEmpty)
    }

    @Test(
        "An invalid value is reported with its option and what is expected, and without secrets",
        arguments: [
            (
                ["play", "a", "--server", "ftp://ann:s3cr3t@host", "--ask", "00"],
                "--server: expected an http:// or https:// URL"
            ),
            (["download", "film.m3u8", "--out", "x"], "<url>: expected an http:// or https:// URL"),
            (
                [
                    "device", "request-key", "--server", "http://127.0.0.1:1", "--asset", "a", "--ask", "00", "--token",
                    " ",
                ],
                "--token: the text is empty; give the text, or @FILE"
            ),
            (
                ["token", "--token-algorithm", "hs256", "--token-secret", "s3cr3t", "--account", "a"],
                "--token-secret: expected @FILE, because command lines are visible to other users"
            ),
            (
                ["token", "--token-algorithm", "es256", "--account", ""],
                "--account: expected a name of 1 to 200 bytes, not ''"
            ),
            (
                ["token", "--token-algorithm", "es256", "--account", "a", "--assets", "a,,b"],
                "--assets: expected values separated by commas, not 'a,,b'"
            ),
            (
                ["token", "--token-algorithm", "es256", "--write-jwks", "k", "--account", "a", "--device", "00"],
                "--device: expected 16 bytes in hexadecimal; give 32 digits, or @FILE"
            ),
            (
                ["spc", "create", "--asset", "a", "--protocol-versions", "1,x"],
                "--protocol-versions: expected version numbers separated by commas, such as 1,2, not '1,x'"
            ),
            (["credentials", "new", "--out", "x", "--bits", "512"], "--bits: expected 1024, 2048, not '512'"),
            (
                ["credentials", "new", "--out", "s3://bucket/x"],
                "--out: s3://bucket/x looks like a URL, but output is written to files"
            ),
            (
                ["playlist", "check", "a", "--only", "fairplay-ivv"],
                "--only: the rule fairplay-ivv does not exist; did you mean fairplay-iv"
            ),
            (
                ["playlist", "show", "ftp://host/a.m3u8"],
                "<playlist>: ftp://host/a.m3u8 is neither a file nor an http or https URL"
            ),
        ]
    )
    func invalidValues(arguments: [String], message: String) throws {
        let outcome = try tool.run(arguments)
        #expect(outcome.status == 2, "\(outcome.errors)")
        #expect(outcome.errors.hasPrefix("error: \(message)"), "\(outcome.errors)")
        #expect(!outcome.errors.contains("s3cr3t"), "\(outcome.errors)")
        #expect(!FileManager.default.fileExists(atPath: tool.path("k")))
    }

    @Test("Files that cannot be read or written exit with 3")
    func files() throws {
        let missing = try tool.run(["spc", "inspect", tool.path("nothing")])
        #expect(missing.status == 3)
        #expect(missing.errors.contains("No such file or directory"))
        #expect(try tool.run(["spc", "inspect", tool.folder.url.path]).status == 3)
        let spc =
            ["spc", "create", "--certificate", Keys.path("test-rsa-2048.der"), "--asset", "movie"]
            + ["--ask", "@\(Keys.path("test-ask.hex"))"]
        #expect(try tool.run(spc + ["--out", tool.path("no/such/folder")]).status == 3)
        #expect(try tool.run(spc + ["--out", tool.path("made")]).status == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: tool.folder.url.path) == ["made"])
    }

    @Test("Output follows a symbolic link, and does not replace a device")
    func links() throws {
        let spc =
            ["spc", "create", "--certificate", Keys.path("test-rsa-2048.der"), "--asset", "movie"]
            + ["--ask", "@\(Keys.path("test-ask.hex"))"]
        let target = try tool.file("target", [1])
        let link = tool.path("link")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
        #expect(try tool.run(spc + ["--out", link]).status == 0)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == target)
        #expect(try tool.content(target).count > 300)
        let output = try tool.run(spc + ["--out", "/dev/stdout"])
        #expect(output.status == 0)
        #expect(output.output.prefix(4) == [0, 0, 0, 2])
    }

    @Test("Files that are too large are not read completely")
    func tooLong() throws {
        let outcome = try tool.run(["spc", "inspect", "/dev/zero"])
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("larger than 1 MiB"))
    }

    @Test("A message is not written to a terminal")
    func terminal() throws {
        var (leader, follower): (Int32, Int32) = (-1, -1)
        try #require(openpty(&leader, &follower, nil, nil, nil) == 0)
        defer { close(leader) }
        let terminal = FileHandle(fileDescriptor: follower, closeOnDealloc: true)
        let arguments =
            ["spc", "create", "--certificate", Keys.path("test-rsa-2048.der"), "--asset", "movie"]
            + ["--ask", "@\(Keys.path("test-ask.hex"))"]
        let outcome = try tool.run(arguments, output: terminal)
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("give --out FILE, or redirect the output"))
    }

    @Test("policy check prints the resulting CKC terms")
    func policy() throws {
        let dual =
            "{\"name\": \"rental\", \"persist\": {\"storage\": \"P30D\", \"playback\": \"P2D\"}, \"hdcp\": \"type1\"}"
        let outcome = try tool.run(["policy", "check", "-", "--json"], input: Array(dual.utf8))
        #expect(outcome.status == 0, "\(outcome.errors)")
        let blocks = try #require((try outcome.json()["inTheCKC"] as? [String: Any])?["blocks"] as? [[String: Any]])
        #expect(blocks.map { $0["version"] as? Int } == [nil, nil, 2, 1, nil])
        #expect(blocks.map { $0["storage"] as? Int } == [nil, nil, 2_592_000, 2_592_000, nil])
        #expect((blocks[0]["hdcp"] as? [String: Any])?["name"] as? String == "Type 1")
        #expect((blocks[1]["keyType"] as? [String: Any])?["name"] as? String == "rental")
        #expect(blocks[4]["refused"] != nil)
    }

    @Test("policy check prints what a policy allows")
    func policyOpenings() throws {
        let open = #"{"hdcp": "none", "otherClients": "allow"}"#
        let outcome = try tool.run(["policy", "check", "-"], input: Array(open.utf8))
        #expect(outcome.text.contains("Clear Key and AES-128 clients get the raw key"), "\(outcome.text)")
        #expect(outcome.text.contains("HDCP is not required"))
        let notes =
            try tool.run(["policy", "check", "-", "--json"], input: Array("{}".utf8)).json()["notes"] as? [String]
        #expect(
            notes?.contains { $0.hasPrefix("Clear Key and AES-128 clients get no key from this policy alone") } == true
        )
    }

    @Test("policy fields lists every field with its values, its default and its merge")
    func policyFields() throws {
        let outcome = try tool.run(["policy", "fields", "--json"])
        #expect(outcome.status == 0, "\(outcome.errors)")
        let fields = try #require((try outcome.json()["fields"] as? [String: Any])?["blocks"] as? [[String: Any]])
        let names = PolicyField.all.flatMap { field in [field.name] + field.members.map { "\(field.name).\($0.name)" } }
        #expect(fields.map { $0["field"] as? String } == names)
        let hdcp = try #require(fields.first { $0["field"] as? String == "hdcp" })
        #expect(hdcp["values"] as? String == "none, type0, type1")
        #expect(hdcp["ifMissing"] as? String == "no TLLV; the device enforces Type 0")
        #expect((hdcp["merged"] as? String)?.hasPrefix("the strictest") == true)
        #expect(try tool.run(["policy", "fields"]).text.contains("The time within which playback can be started."))
    }

    @Test(
        "policy check reports invalid policies with the field and the reason",
        arguments: [
            ("{\"lease\": \"10 minutes\"}", "policy, lease: expected an ISO 8601 duration"),
            ("{\"leese\": \"PT10M\"}", "policy, leese: unknown field"),
            ("{\"securityLevel\": \"main\"}", "policy, securityLevel: baseline and main apply to video"),
            ("{\"lease\": ", "is not valid JSON"),
            ("<html>", "is a web page (HTML), not a policy"),
        ]
    )
    func invalidPolicy(document: String, reason: String) throws {
        let path = try tool.file("policy.json", Array(document.utf8))
        let outcome = try tool.run(["policy", "check", path, "--kind", "audio"])
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains(reason), "\(outcome.errors)")
    }
}
