import FPSCrypto
import Foundation
import OwnThreads
import ServerCrypto
import Testing
import VectorFiles

/// Tests of `keyway credentials new` and `keyway certificate check`.
@Suite("keyway credentials and certificate", .ownThreads)
struct CredentialsTests {
    let tool: Tool

    init() throws { tool = try Tool() }

    private func permissions(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test("New credentials match, and only their owner can read the secrets", arguments: [1024, 2048])
    func new(bits: Int) throws {
        let folder = tool.path("credentials")
        let outcome = try tool.run([
            "credentials", "new", "--out", folder, "--bits", "\(bits)", "--common-name", "Test",
        ])
        #expect(outcome.status == 0, "\(outcome.errors)")
        let certificate = try X509Certificate(try tool.content("\(folder)/certificate.der"))
        #expect(certificate.subject == "CN=Test")
        #expect(try X509Certificate(try tool.content("\(folder)/certificate.pem")).der == certificate.der)
        let key = try RSAPrivateKey(try tool.content("\(folder)/private-key.pem"))
        #expect(key.bits == bits)
        #expect(certificate.matches(key))
        let ask = String(decoding: try tool.content("\(folder)/ask.hex"), as: UTF8.self)
        #expect(ask.count == 33)
        #expect(!outcome.text.contains(ask.prefix(32)))
        #expect(try permissions("\(folder)/private-key.pem") == 0o600)
        #expect(try permissions("\(folder)/ask.hex") == 0o600)
        #expect(try permissions(folder) == 0o700)
        #expect(String(decoding: try tool.content("\(folder)/README.txt"), as: UTF8.self).contains("development"))
        let check = try tool.run([
            "certificate", "check", "\(folder)/certificate.der", "--private-key", "\(folder)/private-key.pem", "--json",
        ])
        #expect(check.status == 0)
        let table = try #require(try check.json()["certificate"] as? [String: Any])
        #expect(table["sha1"] as? String == VectorFile.hexadecimal(certificate.sha1))
        #expect(table["privateKeyMatches"] as? Bool == true)
        #expect(table["daysLeft"] as? Int == 3649 || table["daysLeft"] as? Int == 3650)
    }

    @Test("Existing files are never replaced")
    func existing() throws {
        let folder = tool.path("credentials")
        #expect(try tool.run(["credentials", "new", "--out", folder, "--bits", "1024"]).status == 0)
        let before = try tool.content("\(folder)/ask.hex")
        let again = try tool.run(["credentials", "new", "--out", folder, "--bits", "1024"])
        #expect(again.status == 3)
        #expect(again.errors.contains("choose another folder"))
        #expect(try tool.content("\(folder)/ask.hex") == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 5)
    }

    @Test("The private key can be encrypted")
    func passphrase() throws {
        let folder = tool.path("credentials")
        let passphrase = try tool.file("passphrase", Array("correct horse\n".utf8))
        let new = ["credentials", "new", "--out", folder, "--bits", "1024", "--passphrase-file", passphrase]
        #expect(try tool.run(new).status == 0)
        let check = ["certificate", "check", "\(folder)/certificate.der", "--private-key", "\(folder)/private-key.pem"]
        let without = try tool.run(check)
        #expect(without.status == 1)
        #expect(without.errors.contains("give the passphrase with --passphrase-file"))
        #expect(try tool.run(check + ["--passphrase-file", passphrase]).status == 0)
        let wrong = try tool.run(check + ["--passphrase-file", try tool.file("wrong", Array("battery staple".utf8))])
        #expect(wrong.status == 1)
        #expect(wrong.errors.contains("the passphrase does not decrypt"))
    }

    @Test("Mismatched keys, unsupported key sizes, and files that are not certificates are reported")
    func problems() throws {
        let certificate = Keys.path("test-rsa-2048.der")
        let other = try tool.run([
            "certificate", "check", certificate, "--private-key", Keys.path("test-rsa-2048-other.pem"),
        ])
        #expect(other.status == 1)
        #expect(other.text.contains("private key matches  no"))
        #expect(other.errors.contains("the private key does not match the certificate"))
        let key = try RSAPrivateKey.generate(bits: 3072)
        let large = try X509Certificate.selfSigned(subject: "Large", key: key, days: 1).der
        let size = try tool.run(["certificate", "check", try tool.file("large.der", large)])
        #expect(size.status == 1)
        #expect(size.errors.contains("3072 bits"))
        let spc = try tool.file("a.spc", try VectorFile(path: "spc/v2-iphone.txt").message)
        #expect(
            try tool.run(["certificate", "check", spc]).errors.contains("is an SPC of version 2, not a certificate")
        )
    }

    @Test("Expired certificates and PEM are noted")
    func notes() throws {
        let key = try RSAPrivateKey.generate(bits: 1024)
        let old = try X509Certificate.selfSigned(subject: "Old", key: key, days: 30, notBefore: 1_500_000_000)
        let outcome = try tool.run(["certificate", "check", try tool.file("old.pem", Array(old.pem.utf8)), "--json"])
        #expect(outcome.status == 0)
        let notes = try #require(try outcome.json()["notes"] as? [String])
        #expect(notes.contains { $0.contains("DER") })
        #expect(notes.contains { $0.contains("expired") })
    }
}
