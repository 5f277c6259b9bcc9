import FPSCrypto
import Foundation
import ServerCrypto
import Testing

@Suite("Files of RSA private keys")
struct PrivateKeyFileTests {
    /// The same 2048-bit key in every format.
    static let forms = [
        "rsa2048-pkcs1.der", "rsa2048-pkcs1.pem", "rsa2048-pkcs1-encrypted.pem", "rsa2048-pkcs8.der",
        "rsa2048-pkcs8.pem", "rsa2048-pkcs8-encrypted.der", "rsa2048-pkcs8-encrypted.pem", "rsa2048-pkcs8-scrypt.pem",
        "rsa2048-pkcs8-pbes1.pem",
    ]
    static let encrypted = forms.filter { $0.contains("encrypted") || $0.contains("scrypt") || $0.contains("pbes1") }
    static let plain = forms.filter { !encrypted.contains($0) }

    @Test("Every format is recognized and contains the same key", arguments: forms)
    func everyForm(name: String) throws {
        let key = try RSAPrivateKey(fixture(name), passphrase: fixturePassphrase)
        #expect(key.bits == 2048)
        #expect(try key.encodedPKCS8().reveal() == fixture("rsa2048-pkcs8.der"))
    }

    @Test("A passphrase is ignored if the key is not encrypted", arguments: plain)
    func needless(name: String) throws {
        #expect(try RSAPrivateKey(fixture(name), passphrase: nil).bits == 2048)
        #expect(try RSAPrivateKey(fixture(name), passphrase: secret("00")).bits == 2048)
    }

    @Test("For an encrypted key, a missing and a wrong passphrase have different errors", arguments: encrypted)
    func passphrases(name: String) throws {
        let bytes = try fixture(name)
        #expect(throws: CryptoError(.passphraseRequired, operation: "")) { try RSAPrivateKey(bytes, passphrase: nil) }
        for wrong in ["", "correct", "correct horse ", "Correct horse", String(repeating: "x", count: 5000)] {
            #expect(throws: CryptoError(.wrongPassphrase, operation: "")) {
                try RSAPrivateKey(bytes, passphrase: SecretBytes(copying: wrong.utf8))
            }
        }
    }

    /// One of 256 wrong passphrases gives valid padding.
    @Test("A wrong passphrase is always reported as such")
    func unluckyPassphrases() throws {
        let bytes = try fixture("rsa2048-pkcs1-encrypted.pem")
        for number in 0..<1500 {
            #expect(throws: CryptoError(.wrongPassphrase, operation: "")) {
                try RSAPrivateKey(bytes, passphrase: SecretBytes(copying: "\(number)".utf8))
            }
        }
    }

    @Test("A file that is not a private key is rejected")
    func noKeys() throws {
        let pem = try String(decoding: fixture("rsa2048-pkcs8.pem"), as: UTF8.self)
        let inputs = try [
            [], [0x30], [0x30, 0x80], Array("hello".utf8), Array("-----BEGIN PRIVATE KEY-----".utf8),
            Array("-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----\n".utf8),
            fixture("certificate.pem"), fixture("certificate.der"),
            fixture("rsa2048-pkcs8.der") + [0], fixture("rsa2048-pkcs1.der") + fixture("rsa2048-pkcs1.der"),
            fixture("rsa2048-pkcs8-encrypted.der") + [0],
            Array((pem + pem).utf8), Array(pem.replacingOccurrences(of: "END PRIVATE", with: "END PUBLIC").utf8),
            [UInt8](repeating: 0x30, count: 2 << 20), [UInt8](repeating: 0, count: 1000),
        ]
        for bytes in inputs {
            #expect(throws: CryptoError(.unreadableKey, operation: "")) {
                try RSAPrivateKey(bytes, passphrase: fixturePassphrase)
            }
        }
    }

    @Test("A derivation that would take very long is rejected before it starts")
    func tooMuchWork() throws {
        // scrypt with N = 16384, r = 8 and p = 1, changed to p = 127.
        let pem = try String(decoding: fixture("rsa2048-pkcs8-scrypt.pem"), as: UTF8.self)
        let text = pem.split(separator: "\n").filter { !$0.hasPrefix("-") }.joined()
        var parallel = [UInt8](try #require(Data(base64Encoded: text)))
        let figures = hex("02024000 020108 020101")
        let place = try #require(parallel.indices.dropLast(9).first { parallel[$0..<$0 + 10].elementsEqual(figures) })
        parallel[place + 9] = 127

        // PBKDF2 with 16,777,216 rounds.
        for bytes in try [fixture("rsa2048-pkcs8-too-many-rounds.der"), parallel] {
            do {
                _ = try RSAPrivateKey(bytes, passphrase: fixturePassphrase)
                Issue.record("it was accepted")
            } catch {
                #expect(error.code == .unreadableKey)
                #expect(error.reason == "its key derivation exceeds the limit of rounds")
            }
        }
    }

    @Test("Every truncation fails", arguments: forms)
    func truncated(name: String) throws {
        let bytes = try fixture(name)
        // The newline after the last dash of PEM may be missing.
        let end = bytes.last == UInt8(ascii: "\n") ? bytes.count - 1 : bytes.count
        for size in 0..<end {
            #expect(throws: CryptoError.self) { try RSAPrivateKey(bytes[..<size], passphrase: fixturePassphrase) }
        }
    }

    @Test(
        "A damaged key is rejected, or is still the same key",
        arguments: [
            "rsa2048-pkcs8.pem", "rsa2048-pkcs8-encrypted.der", "rsa2048-pkcs8-scrypt.pem",
        ]
    )
    func flipped(name: String) throws {
        let bytes = try fixture(name)
        let message = secret("000102030405060708090a0b0c0d0e0f")
        let ciphertext = try RSAPrivateKey(bytes, passphrase: fixturePassphrase).publicKey.encryptOAEP(message)
        // The headers, which contain the structure and the derivation's parameters, and every tenth byte of the rest.
        for index in bytes.indices where index < 130 || index.isMultiple(of: 10) {
            var changed = bytes
            changed[index] ^= 1 << (index % 8)
            do throws(CryptoError) {
                let key = try RSAPrivateKey(changed, passphrase: fixturePassphrase)
                #expect(try key.decryptOAEP(ciphertext) == message, "byte \(index)")
            } catch {
                #expect(error.code != .libraryFailure, "byte \(index): \(error)")
            }
        }
    }

    @Test("A written key can be read again, only with its passphrase")
    func writing() throws {
        let key = try RSAPrivateKey(fixture("rsa1024-pkcs1.der"))
        let plain = try key.encodedPKCS8()
        #expect(try RSAPrivateKey(plain.reveal()).encodedPKCS8() == plain)
        #expect(try RSAPrivateKey(plain).encodedPKCS8() == plain)
        let pem = try key.pem()
        #expect(String(decoding: pem.reveal(), as: UTF8.self).hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
        #expect(try RSAPrivateKey(pem.reveal()).encodedPKCS8() == plain)

        let sealed = try key.encodedPKCS8(passphrase: fixturePassphrase).reveal()
        #expect(throws: CryptoError(.passphraseRequired, operation: "")) { try RSAPrivateKey(sealed, passphrase: nil) }
        #expect(throws: CryptoError(.wrongPassphrase, operation: "")) {
            try RSAPrivateKey(sealed, passphrase: secret("00"))
        }
        #expect(try RSAPrivateKey(sealed, passphrase: fixturePassphrase).encodedPKCS8() == plain)
        let sealedPEM = try key.pem(passphrase: fixturePassphrase).reveal()
        #expect(String(decoding: sealedPEM, as: UTF8.self).hasPrefix("-----BEGIN ENCRYPTED PRIVATE KEY-----\n"))
        #expect(try RSAPrivateKey(sealedPEM, passphrase: fixturePassphrase).encodedPKCS8() == plain)
        // PBES2, PBKDF2, HMAC-SHA-256, 600,000 rounds, AES-256-CBC: their object identifiers and the number.
        for part in [
            "2a864886f70d01050d", "2a864886f70d01050c", "2a864886f70d0209", "020309 27c0", "60864801650304012a",
        ] {
            #expect(sealed.contains(hex(part)))
        }
    }

    @Test("A store opens the same keys", arguments: plain + encrypted)
    func store(name: String) throws {
        let uri = try fixtureURI(name)
        let key = try RSAPrivateKey(storeURI: uri, passphrase: fixturePassphrase)
        #expect(try key.encodedPKCS8().reveal() == fixture("rsa2048-pkcs8.der"))
    }

    @Test("A store reports errors")
    func storeErrors() throws {
        let sealed = try fixtureURI("rsa2048-pkcs8-encrypted.pem")
        #expect(throws: CryptoError(.passphraseRequired, operation: "")) { try RSAPrivateKey(storeURI: sealed) }
        #expect(throws: CryptoError(.wrongPassphrase, operation: "")) {
            try RSAPrivateKey(storeURI: sealed, passphrase: secret("00"))
        }
        let ec = try fixtureURI("ec.pem")
        #expect(throws: CryptoError(.notAnRSAKey, operation: "")) { try RSAPrivateKey(storeURI: ec) }
        let certificate = try fixtureURI("certificate.pem")
        for uri in [certificate, "file:///nowhere/at/all", "nosuchscheme:object=1", ""] {
            #expect(throws: CryptoError(.unreadableKey, operation: "")) { try RSAPrivateKey(storeURI: uri) }
        }
    }
}
