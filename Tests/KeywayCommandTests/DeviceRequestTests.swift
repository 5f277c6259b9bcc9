import FPSCrypto
import FPSMessages
import Foundation
import KeyServerModule
import OwnThreads
import Synchronization
import Testing
import VectorFiles

@testable import keyway

/// Tests of the options for the content of an SPC, of `keyway spc create` and `keyway device request-key`.
@Suite("Options for the content of an SPC", .timeLimit(.minutes(10)), .ownThreads)
struct DeviceRequestTests {
    let tool: Tool

    init() throws { tool = try Tool() }

    private static let keys = [
        "--private-key", Keys.path("test-rsa-2048.pem"), "--ask", "@\(Keys.path("test-ask.hex"))",
    ]

    /// Creates an SPC with options, and returns it as the key server module reads it.
    private func spc(_ options: [String]) throws -> OpenedSPC {
        let made = try tool.run(
            [
                "spc", "create", "--certificate", Keys.path("test-rsa-2048.der"), "--ask",
                "@\(Keys.path("test-ask.hex"))", "--asset", "movie",
            ] + options
        )
        try #require(made.status == 0, "\(made.errors)")
        return try Self.module().open(made.output)
    }

    /// Returns a module with the key pair and the ASk of the tests.
    static func module() throws -> KSM {
        let ask = String(decoding: try Data(contentsOf: URL(filePath: Keys.path("test-ask.hex"))), as: UTF8.self)
        let bytes = try #require(VectorFile.bytes(hexadecimal: ask.filter(\.isHexDigit)))
        let bundle = try CertificateBundle(
            name: "test",
            kind: .development,
            certificate: X509Certificate(Data(contentsOf: URL(filePath: Keys.path("test-rsa-2048.der")))),
            privateKey: RSAPrivateKey(Data(contentsOf: URL(filePath: Keys.path("test-rsa-2048.pem")))),
            derivation: .dask(try #require(DevelopmentDASk(ask: SecretBytes(copying: bytes))))
        )
        return try KSM(bundles: [bundle])
    }

    @Test(
        "Every streaming indicator can be sent from any device",
        arguments: ["iphone", "mac", "apple-tv"],
        [
            ("local", 0), ("airplay", 0xabb0_256a_3184_3974), ("adapter", 0x5f9c_8132_b59f_2fde),
            ("0x5f9c8132b59f2fde", 0x5f9c_8132_b59f_2fde), ("0x0123456789abcdef", 0x0123_4567_89ab_cdef),
        ] as [(String, UInt64)]
    )
    func outputs(profile: String, output: (name: String, number: UInt64)) throws {
        let opened = try spc(["--profile", profile, "--streaming-indicator", output.name])
        #expect(opened.request.streamingIndicator?.rawValue == output.number)
        #expect((opened.deviceID == nil) == (output.number == 0x5f9c_8132_b59f_2fde), "HU is that of the adapter")
    }

    @Test("Capabilities, security level and Kext Deny List can be set")
    func properties() throws {
        let opened = try spc([
            "--profile", "iphone", "--capabilities", "hdcp,offline-key,40", "--security-level", "baseline",
            "--kext-deny-list", "29",
        ])
        #expect(opened.request.capabilities == Capabilities(low: 1 << 0 | 1 << 1 | 1 << 40))
        #expect(opened.request.securityLevelReport?.level == .baseline)
        #expect(opened.request.kextDenyListVersion?.version == 29)
        #expect(opened.request.securityLevelReport?.kextDenyListVersion == 29)
        #expect(try spc(["--capabilities", "none"]).request.capabilities == Capabilities(low: 0))
    }

    @Test("Each optional block can be left out", arguments: OptionalBlockArgument.allCases.map(\.rawValue))
    func missingBlocks(block: String) throws {
        func tags(_ opened: OpenedSPC) -> Set<String> {
            Set(opened.sessionSecrets?.payload.blocks.map(\.tag.description) ?? [])
        }
        let complete = try tags(spc(["--profile", "mac"]))
        let cut = try tags(spc(["--profile", "mac", "--omit", block]))
        let known = complete.filter { !$0.hasPrefix("0x") }
        #expect(known.contains(block))
        #expect(known.subtracting(cut) == [block])
    }

    @Test("All optional blocks can be left out together")
    func minimal() throws {
        let names = OptionalBlockArgument.allCases.map(\.rawValue).joined(separator: ",")
        let opened = try spc(["--profile", "mac", "--omit", names])
        #expect(opened.request.transactionID == nil && opened.request.mediaPlaybackState == nil)
        #expect(opened.request.streamingIndicator == nil && opened.request.capabilities == nil)
    }

    @Test("Every form of Sync can be sent")
    func sync() throws {
        let id = String(repeating: "ab", count: 16)
        let bytes = [UInt8](repeating: 0xab, count: 16)
        #expect(try spc(["--sync", "empty"]).syncReport == nil)
        let first = try spc(["--sync", "report-v1", "--sync-id", id, "--sync-remaining", "90s"])
        #expect(first.syncReport == .version1(contentID: bytes, expiry: .init(rawValue: 90)))
        for (form, flags) in [
            ("report", .report), ("invalidation", .secureInvalidation), ("invalidation-all", .secureInvalidationAll),
        ] as [(String, Sync.Flags)] {
            let opened = try spc([
                "--sync", form, "--sync-id", id, "--sync-challenge", "0102030405060708", "--sync-stream-id", id,
                "--sync-stream-id", id, "--sync-result", "expired",
            ])
            let expected = Sync.Version2(
                serverChallenge: 0x0102_0304_0506_0708,
                flags: flags.union([.success, .objectExpired]),
                titleID: bytes,
                expiry: .never,
                invalidatedStreamIDs: [bytes, bytes]
            )
            #expect(opened.syncReport == .version2(expected))
        }
    }

    @Test(
        "Contradictory options are usage errors",
        arguments: [
            ["--omit", "capabilities", "--capabilities", "hdcp"], ["--omit", "sync", "--sync", "report"],
            ["--sync-id", "00"], ["--sync", "empty", "--sync-challenge", "00"],
            ["--sync", "report-v1", "--sync-result", "expired"], ["--sync", "report", "--sync-remaining", "1.5s"],
            ["--capabilities", "64"], ["--streaming-indicator", "0x12"], ["--omit", "r2"],
        ]
    )
    func usage(options: [String]) throws {
        let outcome = try tool.run(["spc", "create", "--credentials", "x", "--asset", "movie"] + options)
        #expect(outcome.status == 2, "\(outcome.errors)")
    }

    // MARK: device request-key

    private final class Received: Sendable {
        let spcs = Mutex<[[UInt8]]>([])
    }

    /// A server that issues CKCs, and answers SPCs that request no key as the key server does.
    private func server(_ received: Received) throws -> LittleServer {
        let certificate = try tool.content(Keys.path("test-rsa-2048.der"))
        let module = try Self.module()
        let key = try #require(LicensedKey(key: SecretBytes(copying: Array(0..<16)), iv: Array(0..<16)))
        let content = try #require(Content(key: key))
        return try LittleServer { request in
            guard request.path.hasPrefix("/fps/license") else { return .init(body: certificate) }
            received.spcs.withLock { $0.append(request.body) }
            do throws(KSMError) {
                let opened = try module.open(request.body)
                if opened.syncReport != nil { return .init(body: Array(#"{"sync": {"version": 2}}"#.utf8)) }
                let license = try module.license(
                    for: opened,
                    content: content,
                    policy: .default,
                    wantsPersistable: false,
                    at: Int64(Date().timeIntervalSince1970)
                )
                return .init(
                    headers: ["X-Request-Id": "r-1", "Date": "Fri, 15 Jan 2027 08:00:00 GMT"],
                    body: license.ckc
                )
            } catch {
                return error.code == .playbackHalted ? .init(status: 204) : .init(status: 403)
            }
        }
    }

    private func request(_ server: LittleServer, _ options: [String]) throws -> Tool.Outcome {
        try tool.run(
            [
                "device", "request-key", "--server", server.address, "--asset", "movie", "--ask",
                "@\(Keys.path("test-ask.hex"))",
            ] + options
        )
    }

    @Test("Both messages are saved, and ckc open accepts them")
    func save() throws {
        let received = Received()
        let server = try server(received)
        for state in ["ready", "playing", "lease"] {
            let outcome = try request(server, ["--save", tool.path(state), "--playback-state", state])
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(try tool.content(tool.path("\(state).spc")) == received.spcs.withLock { $0.last })
            let opened = try tool.run(
                ["ckc", "open", "--spc", tool.path("\(state).spc"), "--ckc", tool.path("\(state).ckc")] + Self.keys
            )
            #expect(opened.status == 0, "\(opened.errors)")
        }
    }

    @Test("With --save, the ID and the date of the response are printed")
    func origin() throws {
        let server = try server(Received())
        let saved = try request(server, ["--save", tool.path("a")])
        #expect(saved.text.contains("X-Request-Id  r-1\n") && saved.text.contains("Fri, 15 Jan 2027 08:00:00 GMT\n"))
        #expect(try !request(server, []).text.contains("X-Request-Id"))
        #expect(try tool.run(["device", "request-key", "--help"]).text.contains("Each run is a new device"))
    }

    @Test("An SPC is saved even if the server refuses it")
    func saveRefused() throws {
        let outcome = try request(try server(Received()), ["--save", tool.path("a"), "--profile", "vm"])
        #expect(outcome.status == 1)
        #expect(try tool.content(tool.path("a.spc")).count > 300)
        #expect(!FileManager.default.fileExists(atPath: tool.path("a.ckc")))
    }

    @Test("The response to an SPC that requests no key is printed")
    func withoutKey() throws {
        let server = try server(Received())
        let sync = try request(server, ["--sync", "report", "--save", tool.path("sync")])
        #expect(sync.status == 0, "\(sync.errors)")
        #expect(sync.text.contains(#"{"sync": {"version": 2}}"#))
        #expect(!FileManager.default.fileExists(atPath: tool.path("sync.ckc")))
        let halted = try request(server, ["--playback-state", "halted", "--json"])
        #expect(halted.status == 0, "\(halted.errors)")
        #expect((try halted.json()["response"] as? [String: Any])?["status"] as? Int == 204)
        #expect(try request(server, ["--sync", "report", "--persistable"]).status == 2)
    }

    @Test("Behind an adapter, the printed HU is that of the adapter")
    func adapter() throws {
        let received = Received()
        let outcome = try request(try server(received), ["--streaming-indicator", "adapter", "--json"])
        #expect(outcome.status == 0, "\(outcome.errors)")
        let spc = try #require(received.spcs.withLock { $0.last })
        let hu = try Self.module().open(spc).hu
        #expect((try outcome.json()["request"] as? [String: Any])?["hu"] as? String == VectorFile.hexadecimal(hu))
    }
}
