import FPSCrypto
import Foundation
import Testing

@Suite("RSA private keys")
struct RSAPrivateKeyTests {
    /// One and the same key of 2048 bits in every form that is not encrypted.
    static let forms = ["rsa2048-pkcs1.der", "rsa2048-pkcs1.pem", "rsa2048-pkcs8.der", "rsa2048-pkcs8.pem"]

    @Test("Every form is recognized and holds the same key", arguments: forms)
    func everyForm(name: String) throws {
        let key = try RSAPrivateKey(fixture(name))
        #expect(key.bits == 2048)
        #expect(try key.encodedPKCS8().reveal() == fixture("rsa2048-pkcs8.der"))
        #expect(try RSAPrivateKey(SecretBytes(copying: fixture(name))).bits == 2048)
    }

    @Test(
        "An encrypted key needs a passphrase",
        arguments: [
            "rsa2048-pkcs1-encrypted.pem", "rsa2048-pkcs8-encrypted.der", "rsa2048-pkcs8-encrypted.pem",
            "rsa2048-pkcs8-scrypt.pem", "rsa2048-pkcs8-pbes1.pem",
        ]
    )
    func encrypted(name: String) throws {
        let bytes = try fixture(name)
        #expect(throws: CryptoError(.passphraseNeeded, operation: "")) { try RSAPrivateKey(bytes) }
    }

    @Test("Keys for other algorithms are called so", arguments: ["ec.pem", "ec-sec1.pem", "rsa-pss.pem"])
    func otherAlgorithms(name: String) throws {
        let bytes = try fixture(name)
        #expect(throws: CryptoError(.notAnRSAKey, operation: "")) { try RSAPrivateKey(bytes) }
    }

    @Test("A key of 1016 bits is too short")
    func tooShort() throws {
        let bytes = try fixture("rsa1016.pem")
        #expect(throws: CryptoError(.unsupportedKeySize, operation: "")) { try RSAPrivateKey(bytes) }
    }

    @Test("What is not a private key is refused")
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
                try RSAPrivateKey(bytes)
            }
        }
    }

    @Test("In PEM, text and a certificate around the key and Windows line ends do no harm")
    func surroundedPEM() throws {
        let key = try String(decoding: fixture("rsa2048-pkcs1.pem"), as: UTF8.self)
        let certificate = try String(decoding: fixture("certificate.pem"), as: UTF8.self)
        let text = ("Bag Attributes\n" + certificate + "a note\n" + key + "\n").replacingOccurrences(
            of: "\n",
            with: "\r\n"
        )
        #expect(try RSAPrivateKey(Array(text.utf8)).bits == 2048)
    }

    @Test("The two halves must belong together")
    func halves() throws {
        // PKCS#1: the public exponent 65537 stands behind the modulus. Another one, odd as well, fits the form.
        var bytes = try fixture("rsa1024-pkcs1.der")
        let exponent = try #require(bytes.indices.dropLast(5).first { bytes[$0..<$0 + 5] == [2, 3, 1, 0, 1] })
        bytes[exponent + 4] = 3
        #expect(throws: CryptoError(.unreadableKey, operation: "")) { try RSAPrivateKey(bytes) }
    }

    @Test("Every truncation fails", arguments: forms)
    func truncated(name: String) throws {
        let bytes = try fixture(name)
        // Behind the last dash of PEM there is a line end, which may be missing.
        let end = bytes.last == UInt8(ascii: "\n") ? bytes.count - 1 : bytes.count
        for size in 0..<end {
            #expect(throws: CryptoError.self) { try RSAPrivateKey(bytes[..<size]) }
        }
    }

    @Test(
        "A damaged key is refused, or is still the same key",
        arguments: [
            "rsa1024-pkcs1.der", "rsa2048-pkcs8.pem",
        ]
    )
    func flipped(name: String) throws {
        let bytes = try fixture(name)
        let message = secret("000102030405060708090a0b0c0d0e0f")
        let ciphertext = try RSAPrivateKey(bytes).publicKey.encryptOAEP(message)
        // The headers, where the structure and the derivation's figures are, and every tenth byte of the rest.
        for index in bytes.indices where index < 130 || index.isMultiple(of: 10) {
            var changed = bytes
            changed[index] ^= 1 << (index % 8)
            do throws(CryptoError) {
                let key = try RSAPrivateKey(changed)
                #expect(try key.decryptOAEP(ciphertext) == message, "byte \(index)")
            } catch {
                #expect(error.code != .libraryFailure, "byte \(index): \(error)")
            }
        }
    }

    @Test("A key that is written can be read again")
    func writing() throws {
        let key = try RSAPrivateKey(fixture("rsa1024-pkcs1.der"))
        let plain = try key.encodedPKCS8()
        #expect(try RSAPrivateKey(plain.reveal()).encodedPKCS8() == plain)
        #expect(try RSAPrivateKey(plain).encodedPKCS8() == plain)
    }
}
