import ArgumentParser
import FPSCrypto
import FPSMessages
import Foundation
import KeyServerModule
import OwnThreads
import Testing
import TextCoding
import VectorFiles

@testable import keyway

/// Tests of `keyway spc inspect` with real SPCs.
@Suite("keyway spc inspect", .ownThreads)
struct SPCInspectTests {
    let tool: Tool

    init() throws { tool = try Tool() }

    private func credentials(for vector: VectorFile) throws -> OpeningCredentials {
        try OpeningOptions.parse(Keys.options(for: vector, certificate: true)).credentials()
    }

    @Test(
        "Every SPC is parsed completely, or up to the stage where it fails",
        arguments: try VectorFile.all(in: "spc")
    )
    func vectors(vector: VectorFile) throws {
        let inspection = SPCInspection(vector.message, with: try credentials(for: vector))
        // The server checks protocol versions; all other stages are covered here.
        guard vector.isSuccess || vector.stage == "version" else {
            #expect(
                inspection.problem?.stage.rawValue == vector.stage,
                "\(vector): \(inspection.problem?.reason ?? "")"
            )
            #expect(inspection.problem?.code.rawValue == vector.error, "\(vector)")
            return
        }
        #expect(inspection.problem == nil)
        guard vector.isSuccess else { return }
        #expect(inspection.session?.hu == vector.bytes("hu"))
        #expect(inspection.session?.sessionKey?.reveal() == vector.bytes("sk"))
        #expect(inspection.session?.r1?.reveal() == vector.bytes("r1"))
        #expect(inspection.blocks?.map { Hexadecimal.encode($0.tag.rawValue, digits: 16) } == vector.list("tags"))
    }

    @Test("JSON contains every block with its fields, in order", arguments: try VectorFile.successes(in: "spc"))
    func json(vector: VectorFile) throws {
        let inspection = SPCInspection(vector.message, with: try credentials(for: vector))
        let report = Report(spc: inspection, size: vector.message.count)
        let json = try Tool.json(Array(JSONRenderer().json(report).indented.utf8))
        let container = try #require(json["container"] as? [String: Any])
        #expect(container["certificateHash"] as? String == vector["certificate-hash"])
        let payload = try #require(json["payload"] as? [String: Any])
        let blocks = try #require(payload["blocks"] as? [[String: Any]])
        #expect(blocks.compactMap { $0["tag"] as? String } == vector.list("tags"))
        let byName = Dictionary(blocks.compactMap { block in (block["name"] as? String).map { ($0, block) } }) { $1 }
        #expect(byName["asset-id"]?["assetID"] as? String == vector["asset-id"])
        #expect(byName["transaction-id"]?["transactionID"] as? String == vector["transaction-id"])
        #expect(byName["ar-seed"]?["arSeed"] as? String == vector["ar-seed"])
        #expect((byName["versions-supported"]?["versions"] as? [String]) == vector.list("versions-supported"))
        let state = byName["media-playback-state"]?["state"] as? [String: Any]
        #expect(state?["value"] as? String == vector["playback-state"])
        let level = byName["security-level-report"]?["securityLevel"] as? [String: Any]
        #expect(level?["value"] as? String == vector["security-level"])
        let session = try #require(json["session"] as? [String: Any])
        #expect(session["hu"] as? String == vector["hu"])
        #expect((session["r1"] as? [String: Any])?["hidden"] as? Bool == true)
        #expect(json["problem"] == nil)
    }

    @Test("Without keys, the container is printed; with the private key, the payload; with DASk, the device")
    func stages() throws {
        let vector = try VectorFile(path: "spc/v2-iphone.txt")
        let path = try tool.file("a.spc", vector.message)
        let container = try tool.run(["spc", "inspect", path])
        #expect(container.status == 0)
        #expect(container.text.contains("05cb66e031451549dd13cf6ea2c7943c561ce74b"))
        #expect(!container.text.contains("asset-id"))
        let payload = try tool.run(["spc", "inspect", path, "--private-key", Keys.path("test-rsa-2048.pem")])
        #expect(payload.status == 0)
        #expect(payload.text.contains("skd://test"))
        #expect(!payload.text.contains("Session"))
        let session = try tool.run(["spc", "inspect", path, "--reveal"] + Keys.options(for: vector))
        #expect(session.text.contains(try #require(vector["hu"])))
        #expect(session.text.contains(try #require(vector["sk"])))
    }

    @Test("Base64 and standard input are accepted")
    func inputs() throws {
        let vector = try VectorFile(path: "spc/v1-minimal.txt")
        let expected = try tool.run(["spc", "inspect", "-"], input: vector.message)
        #expect(expected.status == 0)
        let text = Array(Data(vector.message).base64EncodedData(options: [.lineLength76Characters])) + [10]
        let found = try tool.run(["spc", "inspect", "-"], input: text)
        #expect(found.status == 0)
        let note = "\nNotes\n  - the file is base64 of an SPC; the size is that of the decoded bytes\n"
        #expect(found.text == expected.text + note)
    }

    @Test("A key that others can read is used, with a warning")
    func openKey() throws {
        let tool = try Tool()
        let key = try tool.file("key.pem", try tool.content(Keys.path("test-rsa-2048.pem")))
        let vector = try tool.file("a.spc", try VectorFile(path: "spc/v2-iphone.txt").message)
        for (mode, words) in [
            (
                0o644,
                "warning: \(key) contains a secret and is accessible to other users (mode 0644); chmod 600 \(key)\n"
            ),
            (0o600, ""),
        ] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: key)
            let inspected = try tool.run([
                "spc", "inspect", vector, "--private-key", key, "--ask", "@\(Keys.path("test-ask.hex"))",
            ])
            #expect(inspected.status == 0 && inspected.errors == words)
        }
    }

    @Test("The readable part is printed before the error")
    func damage() throws {
        let vector = try VectorFile(path: "spc/v2-integrity-altered.txt")
        let path = try tool.file("a.spc", vector.message)
        let text = try tool.run(["spc", "inspect", path] + Keys.options(for: vector))
        #expect(text.status == 1)
        #expect(text.text.contains("asset-id"))
        #expect(!text.text.contains("Session"))
        #expect(text.errors.hasPrefix("error: integrity: "))
        let json = try tool.run(["spc", "inspect", path, "--json"] + Keys.options(for: vector))
        #expect(json.status == 1)
        #expect((try json.json()["problem"] as? [String: String])?["code"] == "integrity-mismatch")
    }

    @Test("Wrong keys and certificates are reported")
    func wrongCredentials() throws {
        let vector = try VectorFile(path: "spc/v2-iphone.txt")
        let path = try tool.file("a.spc", vector.message)
        let other = try tool.run(["spc", "inspect", path, "--private-key", Keys.path("test-rsa-2048-other.pem")])
        #expect(other.status == 1)
        #expect(other.errors.contains("cannot be decrypted with this private key"))
        let size = try tool.run(["spc", "inspect", path, "--private-key", Keys.path("test-rsa-1024.pem")])
        #expect(size.errors.contains("requires a key of 2048 bits, but this one has 1024"))
        let certificate = try tool.run([
            "spc", "inspect", path, "--private-key", Keys.path("test-rsa-2048.pem"), "--certificate",
            Keys.path("test-rsa-2048-other.der"),
        ])
        #expect(certificate.status == 1)
        #expect(certificate.errors.contains("the SPC is for the certificate with SHA-1 05cb66e0"))
    }

    @Test(
        "Input that is not an SPC is reported, with advice",
        arguments: [
            ("certificate", "is a certificate (DER,", "give that SPC"),
            ("private-key", "is a private key (PEM), not an SPC", "replace it"),
            ("ckc", "is a CKC, not an SPC", "keyway ckc inspect"),
            ("cut", "is an SPC of version 2 that is truncated: 16 bytes missing", "save it again"),
            ("twice", "is double base64 of an SPC of version 2, not an SPC", "encoded twice"),
            ("form", "is a form body whose field \"spc\" contains base64 of an SPC", "only the value of the field"),
            ("json", "is a JSON document with the field \"spc\"", "jq -r .spc FILE | keyway spc inspect -"),
            ("html", "is a web page (HTML), not an SPC", "the status of the response"),
            ("empty", "is empty, not an SPC", "the request or the response"),
            ("version-3", "is an SPC of version 3", "--plugin"),
        ]
    )
    func notAnSPC(name: String, what: String, advice: String) throws {
        let spc = try VectorFile(path: "spc/v2-iphone.txt").message
        let text = Data(spc).base64EncodedString()
        let files: [String: [UInt8]] = [
            "certificate": try tool.content(Keys.path("test-rsa-2048.der")),
            "private-key": try tool.content(Keys.path("test-rsa-2048.pem")),
            "ckc": try VectorFile(path: "ckc/iphone.txt").message,
            "cut": spc.dropLast(16),
            "twice": Array(Data(text.utf8).base64EncodedData()),
            "form": Array("spc=\(text.replacing("+", with: "%2B"))".utf8),
            "json": Array("{\"spc\": \"\(text)\"}".utf8),
            "html": Array("<!doctype html><title>Sign in</title>".utf8),
            "empty": [],
            "version-3": [0, 0, 0, 3] + spc.dropFirst(4),
        ]
        let outcome = try tool.run(["spc", "inspect", try tool.file(name, try #require(files[name]))])
        #expect(outcome.status == 1)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.hasPrefix("error: "))
        #expect(outcome.errors.contains(what), "\(outcome.errors)")
        #expect(outcome.errors.contains(advice), "\(outcome.errors)")
    }
}
