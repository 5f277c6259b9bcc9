import FPSCrypto
import FPSMessages
import Foundation
import KeyServerModule
import OwnThreads
import Testing
import TextCoding
import VectorFiles

@testable import keyway

/// The output of commands if a key server refuses a license, or responds with the CKC of another request.
@Suite("Key errors of keyway play and keyway validate", .timeLimit(.minutes(10)), .ownThreads)
struct PlayKeyErrorTests {
    /// Packages an encrypted movie, and returns the options for a server that responds to license requests in this way.
    private static func options(_ tool: Tool, _ server: LittleServer) throws -> [String] {
        let run = try tool.run([
            "package", PackageTests.film, "--out", "site", "--segment-duration", "2s", "--key-id",
            String(repeating: "11", count: 16), "--key", String(repeating: "22", count: 16), "--iv",
            String(repeating: "33", count: 16), "--key-uri", "skd://film",
        ])
        try #require(run.status == 0, "\(run.errors)")
        return ["--server", server.address, "--ask", "@\(Keys.path("test-ask.hex"))"]
    }

    private static func server(_ respond: @escaping @Sendable (LittleServer.Request) -> LittleServer.Response) throws
        -> LittleServer
    {
        let certificate = [UInt8](try Data(contentsOf: URL(filePath: Keys.path("test-rsa-2048.der"))))
        return try LittleServer { request in
            request.path.hasPrefix("/fps/license") ? respond(request) : .init(body: certificate)
        }
    }

    /// Returns a server that responds with the CKC for the SPC of each request, in the shape of the request: octets or JSON.
    private static func licenseServer(ckc: @escaping @Sendable ([UInt8]) -> [UInt8]?) throws -> LittleServer {
        try server { request in
            let spc = (try? JSONValue(parsing: request.body))?["spc"]?.text
            guard let ckc = ckc(spc.flatMap { Base64.decode($0) } ?? request.body) else { return .init(status: 500) }
            return .init(body: spc == nil ? ckc : Array(#"{"ckc":"\#(Base64.encode(ckc))"}"#.utf8))
        }
    }

    @Test("A refusal is printed once, with its advice")
    func refused() throws {
        let tool = try Tool()
        let body = #"{"type":"urn:keyway:problem:unknown-asset","title":"T","status":404}"#
        let server = try Self.server { _ in
            .init(status: 404, headers: ["Content-Type": "application/problem+json"], body: Array(body.utf8))
        }
        let options = try Self.options(tool, server)
        let played = try tool.run(["play", tool.path("site/main.m3u8"), "--quiet", "--no-batch"] + options)
        #expect(played.status == 1)
        let expected = "error: skd://film: unknown-key (status 404, unknown-asset); The server does not have this key."
        #expect(played.errors.contains(expected), "\(played.errors)")
        #expect(!played.errors.contains("no-response"))
    }

    @Test("A CKC for another SPC (-42668) leads to keyway doctor")
    func invalidCKC() throws {
        let tool = try Tool()
        let ckc = try VectorFile(path: "ckc/iphone.txt").message
        let server = try Self.licenseServer(ckc: { _ in ckc })
        let options = try Self.options(tool, server)
        let played = try tool.run(["play", tool.path("site/main.m3u8"), "--quiet", "--no-batch"] + options)
        #expect(played.status == 1 && played.errors.contains("Run keyway doctor"), "\(played.errors)")
        #expect(!played.errors.contains("The display or the device"))
        let validated = try tool.run(["validate", tool.path("site/main.m3u8")] + options)
        #expect(validated.text.contains("What to do: Run keyway doctor"), "\(validated.text)")
        #expect(!validated.text.contains("Register the key of this URI"))
    }

    @Test("play says that it does not check whether the key is that of the media")
    func uncheckedKeys() throws {
        let tool = try Tool()
        let module = try DeviceRequestTests.module()
        let secret = SecretBytes(copying: [UInt8](repeating: 0x44, count: 16))
        let key = try #require(LicensedKey(key: secret, iv: Array(0..<16)))
        let content = try #require(Content(key: key))
        let server = try Self.licenseServer(ckc: { spc in
            let license = try? module.license(
                for: module.open(spc),
                content: content,
                policy: .default,
                wantsPersistable: false,
                at: Int64(Date().timeIntervalSince1970)
            )
            return license?.ckc
        })
        let options = try Self.options(tool, server)
        let run = try tool.run(["play", tool.path("site/main.m3u8"), "--quiet", "--no-batch"] + options)
        #expect(run.status == 0 && run.text.contains("keyway doctor decrypts a segment"), "\(run.errors)")
        let help = try tool.run(["play", "--help"]).text
        #expect(help.contains("is not checked") && help.contains("keyway doctor"))
    }
}
