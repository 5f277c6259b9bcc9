import Foundation
import OwnThreads
import Testing
import VectorFiles

/// Tests of `keyway ckc create`, whose output `keyway ckc open` checks.
@Suite("keyway ckc create", .ownThreads)
struct CKCCreateTests {
    private static let key = "6b65792d6b65792d6b65792d6b65792d"
    private static let iv = "69762d69762d69762d69762d69762d69"
    private static let id = "00112233445566778899aabbccddeeff"

    private static let policies = [
        "streaming": "{\"hdcp\": \"type0\"}",
        "lease": "{\"name\": \"lease\", \"lease\": \"PT10M\", \"hdcp\": \"none\"}",
        "both": "{\"lease\": \"PT10M\", \"rental\": \"P2D\", \"securityLevel\": \"baseline\"}",
        "limited": "{\"persist\": {\"validity\": \"P30D\"}}",
        "dual": "{\"persist\": {\"storage\": \"P30D\", \"playback\": \"P2D\", \"fallback\": \"P7D\"}}",
    ]

    let tool: Tool

    init() throws { tool = try Tool() }

    private func create(_ spc: VectorFile, _ more: [String] = []) throws -> Tool.Outcome {
        try tool.run(
            ["ckc", "create", "--spc", try tool.file("a.spc", spc.message), "--key", Self.key, "--iv", Self.iv]
                + Keys.options(for: spc, certificate: true) + more
        )
    }

    private func open(_ spc: VectorFile, _ ckc: String) throws -> Tool.Outcome {
        try tool.run(
            ["ckc", "open", "--spc", try tool.file("a.spc", spc.message), "--ckc", ckc, "--json", "--reveal"]
                + Keys.options(for: spc)
        )
    }

    @Test(
        "Created CKCs are accepted, and contain the given key",
        arguments: [
            "v1-iphone", "v2-iphone", "v2-mac-kdl-31", "v1-apple-watch", "v2-apple-tv-airplay",
        ],
        policies.keys.sorted()
    )
    func roundTrip(spc: String, policy: String) throws {
        let vector = try VectorFile(path: "spc/\(spc).txt")
        let document = try tool.file("policy.json", Array(try #require(Self.policies[policy]).utf8))
        let out = tool.path("out.ckc")
        let created = try create(
            vector,
            ["--allow-any-age", "--persistable", "--stream-id", Self.id, "--policy", document, "--out", out, "--json"]
        )
        #expect(created.status == 0, "\(created.errors)")
        let license = try #require(try created.json()["license"] as? [String: Any])
        #expect(license["assetID"] as? String == vector["asset-id"])
        let isKept = ["limited", "dual"].contains(policy) && spc != "v2-apple-tv-airplay"
        #expect(license["persistable"] as? Bool == isKept)
        let opened = try open(vector, out)
        #expect(opened.status == 0, "\(opened.errors)")
        let key = try #require(try opened.json()["contentKey"] as? [String: Any])
        #expect(key["key"] as? String == Self.key)
        #expect(key["iv"] as? String == Self.iv)
    }

    @Test("--dask opens an SPC as well")
    func fixedDASk() throws {
        let vector = try VectorFile(path: "spc/v2-fixed-dask.txt")
        let policy = try tool.file("policy.json", Array("{\"undatedSPC\": \"allow\"}".utf8))
        let out = tool.path("out.ckc")
        let created = try create(vector, ["--allow-any-age", "--policy", policy, "--out", out])
        #expect(created.status == 0, "\(created.errors)")
        #expect(try open(vector, out).status == 0)
    }

    @Test("Without --out, the CKC is written to standard output, and notes to standard error")
    func standardOutput() throws {
        let vector = try VectorFile(path: "spc/v2-iphone.txt")
        let created = try create(vector, ["--allow-any-age"])
        #expect(created.status == 0)
        #expect(
            created.errors
                == "note: the device also supports version 2 of FPS\n"
        )
        #expect(try open(vector, try tool.file("b.ckc", created.output)).status == 0)
    }

    @Test(
        "Refusals print their code, exit with 1, and write no file",
        arguments: [
            ("v2-iphone", [], "spc-too-old"),
            ("v2-virtual-machine", ["--allow-any-age"], "virtual-machine"),
            ("v1-playback-halted", ["--allow-any-age"], "playback-halted"),
            ("v2-sync-v1", ["--allow-any-age"], "sync-spc"),
            ("v2-iphone", ["--allow-any-age", "--protocol-versions", "1,2"], "version-downgrade"),
            ("v2-integrity-altered", ["--allow-any-age"], "integrity-mismatch"),
        ]
    )
    func refusals(spc: String, more: [String], code: String) throws {
        let out = tool.path("out.ckc")
        let outcome = try create(try VectorFile(path: "spc/\(spc).txt"), more + ["--out", out])
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("(\(code))"), "\(outcome.errors)")
        #expect(!FileManager.default.fileExists(atPath: out))
    }

    @Test("The key can be read from a file, in hexadecimal or binary")
    func keyFiles() throws {
        let vector = try VectorFile(path: "spc/v1-minimal.txt")
        let spc = try tool.file("a.spc", vector.message)
        let key = Array("key-key-key-key-".utf8)
        let policy = try tool.file("policy.json", Array("{\"undatedSPC\": \"allow\"}".utf8))
        for content in [key, Array("\(Self.key)\n".utf8)] {
            let out = tool.path("out.ckc")
            let outcome = try tool.run(
                [
                    "ckc", "create", "--spc", spc, "--key", "@\(try tool.file("key", content))", "--iv", Self.iv,
                    "--out", out,
                ]
                    + ["--policy", policy, "--allow-any-age"] + Keys.options(for: vector, certificate: true)
            )
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(((try open(vector, out).json()["contentKey"]) as? [String: Any])?["key"] as? String == Self.key)
        }
    }

    @Test("A plug-in makes production credentials, and opens the CKC")
    func plugin() throws {
        let vector = try VectorFile(path: "spc/v2-iphone.txt")
        let library = try Self.compilePlugin(in: tool)
        for configuration in ["derive", "key-payload"] {
            let options = [
                "--private-key", Keys.path("test-rsa-2048.pem"), "--plugin", library, "--plugin-configuration",
                configuration,
                "--ask", "@\(Keys.path("test-ask.hex"))",
                "--provisioning-data", try tool.file("provisioning", VectorFile.bytes(hexadecimal: try ask()) ?? []),
            ]
            let spc = try tool.file("a.spc", vector.message)
            let out = tool.path("out.ckc")
            let created = try tool.run(
                ["ckc", "create", "--spc", spc, "--key", Self.key, "--iv", Self.iv, "--out", out, "--allow-any-age"]
                    + ["--certificate", Keys.path("test-rsa-2048.der")] + options
            )
            #expect(created.status == 0, "\(created.errors)")
            #expect(try open(vector, out).status == 0)
            // The plug-in does not return SK; everything else is checked.
            let opened = try tool.run(["ckc", "open", "--spc", spc, "--ckc", out, "--json"] + options)
            #expect(opened.status == 0, "\(opened.errors)")
            #expect((try opened.json()["contentKey"] == nil) == (configuration == "key-payload"))
        }
    }

    @Test("A plug-in opens an SPC of version 3")
    func version3() throws {
        // The format of version 3 that the example plug-in accepts: certificate hash, HU, key, clear blocks.
        let hash = VectorFile.bytes(hexadecimal: "05cb66e031451549dd13cf6ea2c7943c561ce74b") ?? []
        let iphone = try VectorFile(path: "spc-payload/every-block.txt").message
        let spc = try tool.file("3.spc", [0, 0, 0, 3] + hash + [UInt8](repeating: 7, count: 36) + iphone)
        let plugin = ["--plugin", try Self.compilePlugin(in: tool), "--plugin-configuration", "spc-3"]
        let shown = try tool.run(["spc", "inspect", spc] + plugin)
        #expect(shown.status == 0, "\(shown.errors)")
        #expect(shown.text.contains("HU         " + String(repeating: "07", count: 20)))
        #expect(shown.text.contains("as text "))
        let without = try tool.run(["spc", "inspect", spc])
        #expect(without.status == 1)
        #expect(without.errors.contains("is an SPC of version 3; only Apple's licensed library can open version 3"))
        let keys = ["--private-key", Keys.path("test-rsa-2048.pem")] + plugin
        let open = try tool.run(["ckc", "open", "--spc", spc, "--ckc", spc] + keys)
        #expect(open.status == 1)
        #expect(open.errors.contains("the plug-in does not return the secrets of this SPC"))
    }

    private func ask() throws -> String {
        String(decoding: try tool.content(Keys.path("test-ask.hex")), as: UTF8.self)
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private static func compilePlugin(in tool: Tool) throws -> String {
        let root = VectorFile.root.deletingLastPathComponent()
        let output = tool.path("example_dask.so")
        let compiler = Process()
        compiler.executableURL = URL(filePath: "/usr/bin/env")
        compiler.arguments = [
            "cc", "-shared", "-fPIC", "-fvisibility=hidden", "-I",
            root.appending(path: "Sources/System/CKeywayDASk/include").path, "-o", output,
            root.appending(path: "Examples/dask-plugin/example_dask.c").path, "-lcrypto",
        ]
        try compiler.run()
        compiler.waitUntilExit()
        try #require(compiler.terminationStatus == 0, "the plug-in does not compile")
        return output
    }
}
