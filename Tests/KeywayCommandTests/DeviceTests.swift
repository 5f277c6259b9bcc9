import FPSCrypto
import Foundation
import KeyServerModule
import OwnThreads
import Synchronization
import Testing
import VectorFiles
import VirtualDevice

@testable import keyway

/// Tests of `keyway spc create` and `keyway device request-key`.
@Suite("keyway spc create and keyway device", .timeLimit(.minutes(10)), .ownThreads)
struct DeviceTests {
    private static let key = Array("key-key-key-key-".utf8)
    private static let iv = Array("iv-iv-iv-iv-iv-i".utf8)

    let tool: Tool
    let credentials: String

    init() throws {
        tool = try Tool()
        credentials = tool.path("credentials")
        try #require(try tool.run(["credentials", "new", "--out", credentials, "--bits", "1024"]).status == 0)
    }

    // MARK: spc create

    @Test("SPCs of every profile can be opened", arguments: DeviceProfile.all.map(\.name))
    func profiles(profile: String) throws {
        let out = tool.path("a.spc")
        let made = try tool.run(
            [
                "spc", "create", "--profile", profile, "--credentials", credentials, "--asset", "skd://a", "--out",
                out,
            ]
        )
        #expect(made.status == 0, "\(made.errors)")
        let shown = try tool.run(
            [
                "spc", "inspect", out, "--private-key", "\(credentials)/private-key.pem", "--ask",
                "@\(credentials)/ask.hex",
            ]
        )
        #expect(shown.status == 0, "\(shown.errors)")
        #expect(shown.text.contains("as text   skd://a"))
        #expect(shown.text.contains("integrity    holds"))
    }

    @Test(
        "Seed and date reproduce an SPC, with the given playback state",
        arguments: [
            ("ready", "1, ready to start"), ("playing", "2, playing or paused"), ("lease", "3, lease about to expire"),
            ("halted", "halted"),
        ]
    )
    func seeds(state: String, words: String) throws {
        let arguments = [
            "spc", "create", "--certificate", Keys.path("test-rsa-1024.pem").replacing(".pem", with: ".der"), "--ask",
            "@\(Keys.path("test-ask.hex"))", "--asset", "movie", "--playback-state", state, "--spc-created",
            "2026-01-02T03:04:05Z", "--seed",
        ]
        let first = try tool.run(arguments + ["7"])
        #expect(first.status == 0, "\(first.errors)")
        #expect(try tool.run(arguments + ["7"]).output == first.output)
        #expect(try tool.run(arguments + ["8"]).output != first.output)
        let shown = try tool.run(
            ["spc", "inspect", "-", "--private-key", Keys.path("test-rsa-1024.pem")],
            input: first.output
        )
        #expect(shown.text.contains("created     2026-01-02T03:04:05Z"))
        #expect(shown.text.contains("state       \(words) "))
    }

    @Test("Refusals of the device contain the FPS code")
    func refusals() throws {
        let arguments = ["spc", "create", "--credentials", credentials, "--out", tool.path("a.spc")]
        let short = try tool.run(arguments + ["--asset", "a"])
        #expect(short.status == 1)
        #expect(short.errors.contains("(-42675)"))
        #expect(short.errors.contains("keyway explain -42675"))
        let versions = try tool.run(arguments + ["--asset", "movie", "--protocol-versions", "9"])
        #expect(versions.errors.contains("(-42681)"))
        #expect(!FileManager.default.fileExists(atPath: tool.path("a.spc")))
    }

    @Test("An asset ID can be binary")
    func binaryAssetID() throws {
        let arguments = ["spc", "create", "--credentials", credentials, "--asset"]
        let made = try tool.run(arguments + ["0x00ff1b"])
        #expect(made.status == 0, "\(made.errors)")
        let keys = ["--private-key", "\(credentials)/private-key.pem"]
        let shown = try tool.run(["spc", "inspect", "-"] + keys, input: made.output)
        #expect(shown.text.contains("asset ID  00ff1b\n"))
        #expect(!shown.text.contains("as text"))
        #expect(try tool.run(arguments + ["0x0"]).status == 2)
    }

    // MARK: device request-key

    /// The SPCs that the server opened, so that a test can search for their secrets.
    private final class Seen: Sendable {
        let requests = Mutex<[LittleServer.Request]>([])
        let secrets = Mutex<[String]>([])
    }

    private func server(_ policy: LicensePolicy, _ seen: Seen = Seen()) throws -> LittleServer {
        let certificate = try tool.content("\(credentials)/certificate.der")
        let ask = try #require(
            VectorFile.bytes(
                hexadecimal: String(decoding: try tool.content("\(credentials)/ask.hex").dropLast(), as: UTF8.self)
            )
        )
        let bundle = try CertificateBundle(
            name: "test",
            kind: .development,
            certificate: X509Certificate(certificate),
            privateKey: RSAPrivateKey(try tool.content("\(credentials)/private-key.pem")),
            derivation: .dask(try #require(DevelopmentDASk(ask: SecretBytes(copying: ask))))
        )
        let module = try KSM(bundles: [bundle])
        let key = try #require(LicensedKey(key: SecretBytes(copying: Self.key), iv: Self.iv))
        let content = try #require(Content(key: key, streamID: Self.iv))
        return try LittleServer { request in
            seen.requests.withLock { $0.append(request) }
            guard request.path.hasPrefix("/fps/license") else { return .init(body: certificate) }
            do throws(KSMError) {
                let opened = try module.open(request.body)
                if let secrets = opened.sessionSecrets {
                    let bytes = [secrets.sessionKey.reveal(), secrets.r1.reveal()].map { $0.prefix(16) }
                    seen.secrets.withLock { $0 += bytes.map { VectorFile.hexadecimal($0) } }
                }
                let license = try module.license(
                    for: opened,
                    content: content,
                    policy: policy,
                    wantsPersistable: request.path.hasSuffix("?persist=true"),
                    at: Int64(Date().timeIntervalSince1970)
                )
                let headers = ["Keyway-Persistable": "\(license.terms.isPersistable)"]
                return .init(headers: headers, body: license.ckc)
            } catch {
                let problem = [
                    "title": "The policy refuses", "detail": error.reason, "type": "urn:x", "instance": "id-7",
                ]
                let body = (try? JSONSerialization.data(withJSONObject: problem)) ?? Data()
                return .init(status: 403, headers: ["Content-Type": "application/problem+json"], body: Array(body))
            }
        }
    }

    private func request(_ server: LittleServer, _ more: [String] = []) throws -> Tool.Outcome {
        try tool.run(
            [
                "device", "request-key", "--server", server.address, "--asset", "skd://movie", "--credentials",
                credentials,
            ]
                + more
        )
    }

    @Test("The device obtains the server's key, and prints it only with --reveal")
    func key() throws {
        let seen = Seen()
        let server = try server(.default, seen)
        let outcome = try request(server, ["--token", "a-token"])
        #expect(outcome.status == 0, "\(outcome.errors)")
        let fingerprint = VectorFile.hexadecimal(SHA256.hash(Self.key).prefix(8))
        #expect(outcome.text.contains("fingerprint  \(fingerprint)\n"))
        #expect(outcome.text.contains("key          16 bytes, hidden\n"))
        let requests = seen.requests.withLock { $0 }
        #expect(requests.map(\.method) == ["GET", "POST"])
        #expect(requests.map(\.path) == ["/fps/certificate", "/fps/license"])
        #expect(requests.last?.headers["content-type"] == "application/octet-stream")
        #expect(requests.last?.headers["authorization"] == "Bearer a-token")
        let revealed = try request(server, ["--reveal"])
        #expect(revealed.text.contains("key          \(VectorFile.hexadecimal(Self.key))\n"))
    }

    @Test("Both messages are printed field by field, without the server's private key and without secrets")
    func messages() throws {
        let seen = Seen()
        let outcome = try request(
            try server(LicensePolicy(lease: Seconds(rawValue: 600)), seen),
            ["--show-messages", "--json"]
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        let json = try outcome.json()
        func blocks(_ table: String) -> [[String: Any]] {
            (json[table] as? [String: Any])?["blocks"] as? [[String: Any]] ?? []
        }
        let asset = blocks("spcPayload").first { $0["name"] as? String == "asset-id" }
        #expect(asset?["asText"] as? String == "skd://movie")
        let duration = blocks("ckcPayload").first { $0["name"] as? String == "content-key-duration" }
        #expect(duration?["lease"] as? Int == 600)
        #expect((json["spcSession"] as? [String: Any])?["integrity"] as? String == "holds")
        #expect((json["response"] as? [String: Any])?["persistable"] as? Bool == false)
        let secrets = seen.secrets.withLock { $0 } + [VectorFile.hexadecimal(Self.key)]
        #expect(secrets.count == 3)
        for secret in secrets {
            #expect(!outcome.text.contains(secret))
        }
    }

    @Test("A persistent key is stored if the policy allows it")
    func persistable() throws {
        let policy = LicensePolicy(persist: .limited(Seconds(rawValue: 86_400)))
        let kept = try request(try server(policy), ["--persistable"])
        #expect(kept.status == 0, "\(kept.errors)")
        #expect(kept.text.contains("persistable  yes"))
        #expect(kept.text.contains("encrypted for this device"))
        let refused = try request(try server(.default), ["--persistable", "--json"])
        #expect(refused.status == 1)
        #expect((try refused.json()["problem"] as? [String: Any])?["code"] as? String == "persistence-not-allowed")
    }

    @Test("Problem documents are printed as text")
    func problem() throws {
        let outcome = try request(try server(.default), ["--profile", "vm"])
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("status 403: The policy refuses; the device is a virtual machine"))
        #expect(outcome.errors.contains("id-7"))
    }

    @Test("Responses that are not CKCs are reported; a CKC for another SPC is rejected with -42668")
    func wrongAnswers() throws {
        let certificate = try tool.content("\(credentials)/certificate.der")
        let ckc = try VectorFile(path: "ckc/iphone.txt").message
        for (body, words) in [
            (Array("<html>".utf8), "the server's response is a web page (HTML), not a CKC"), ([], "is empty"),
            (ckc, "device: the device rejects the CKC: invalid-ckc (-42668)"),
            (Array(ckc.dropLast()), "device: the device rejects the CKC: invalid-ckc (-42668)"),
        ] {
            let server = try LittleServer { .init(body: $0.method == "GET" ? certificate : body) }
            let outcome = try request(server)
            #expect(outcome.status == 1)
            #expect(outcome.errors.contains(words), "\(outcome.errors)")
        }
        let page = try LittleServer { _ in .init(body: Array("<html>".utf8)) }
        #expect(try request(page).errors.contains("the server's certificate is a web page (HTML)"))
        let proxy = try LittleServer { _ in .init(status: 502, body: Array("<html>".utf8)) }
        #expect(try request(proxy).errors.contains("status 502; the body is a web page (HTML)"))
    }

    @Test("A proxy in the environment is not used for a server on this machine")
    func proxy() throws {
        let server = try server(.default)
        let arguments = [
            "device", "request-key", "--server", server.address, "--asset", "movie", "--credentials", credentials,
        ]
        let outcome = try tool.run(arguments, environment: ["http_proxy": "http://127.0.0.1:1"])
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    @Test("A server that cannot be reached exits with 3")
    func unreachable() throws {
        let arguments = [
            "device", "request-key", "--server", "http://127.0.0.1:1", "--asset", "a", "--credentials", credentials,
        ]
        let outcome = try tool.run(arguments)
        #expect(outcome.status == 3)
        #expect(outcome.errors.contains("cannot reach http://127.0.0.1:1/fps/certificate"))
    }
}
