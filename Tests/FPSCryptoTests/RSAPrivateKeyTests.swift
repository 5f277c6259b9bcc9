import FPSCrypto
import Foundation
import OwnThreads
import Testing

@Suite("RSA private keys", .ownThreads)
struct RSAPrivateKeyTests {
    /// The files of one 2048-bit key in all unencrypted formats.
    static let forms = ["rsa2048-pkcs1.der", "rsa2048-pkcs1.pem", "rsa2048-pkcs8.der", "rsa2048-pkcs8.pem"]

    @Test("Every format is detected and contains the same key", arguments: forms)
    func everyForm(name: String) throws {
        let key = try RSAPrivateKey(fixture(name))
        #expect(key.bits == 2048)
        #expect(try key.encodedPKCS8().reveal() == fixture("rsa2048-pkcs8.der"))
        #expect(try RSAPrivateKey(SecretBytes(copying: fixture(name))).bits == 2048)
    }

    @Test(
        "An encrypted key requires a passphrase",
        arguments: [
            "rsa2048-pkcs1-encrypted.pem", "rsa2048-pkcs8-encrypted.der", "rsa2048-pkcs8-encrypted.pem",
            "rsa2048-pkcs8-scrypt.pem", "rsa2048-pkcs8-pbes1.pem",
        ]
    )
    func encrypted(name: String) throws {
        let bytes = try fixture(name)
        #expect(throws: CryptoError(.passphraseRequired, operation: "")) { try RSAPrivateKey(bytes) }
    }

    @Test("Keys of other algorithms have a separate error", arguments: ["ec.pem", "ec-sec1.pem", "rsa-pss.pem"])
    func otherAlgorithms(name: String) throws {
        let bytes = try fixture(name)
        #expect(throws: CryptoError(.notAnRSAKey, operation: "")) { try RSAPrivateKey(bytes) }
    }

    @Test("A key of 1016 bits is too short")
    func tooShort() throws {
        let bytes = try fixture("rsa1016.pem")
        #expect(throws: CryptoError(.unsupportedKeySize, operation: "")) { try RSAPrivateKey(bytes) }
    }

    @Test("Data that is not a private key is refused")
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

    @Test("PEM can contain text, a certificate and Windows line endings")
    func surroundedPEM() throws {
        let key = try String(decoding: fixture("rsa2048-pkcs1.pem"), as: UTF8.self)
        let certificate = try String(decoding: fixture("certificate.pem"), as: UTF8.self)
        let text = ("Bag Attributes\n" + certificate + "a note\n" + key + "\n").replacingOccurrences(
            of: "\n",
            with: "\r\n"
        )
        #expect(try RSAPrivateKey(Array(text.utf8)).bits == 2048)
    }

    @Test("The two halves of a key must match")
    func halves() throws {
        // In PKCS#1 the public exponent 65537 follows the modulus. Another odd exponent is also well-formed.
        var bytes = try fixture("rsa1024-pkcs1.der")
        let exponent = try #require(bytes.indices.dropLast(5).first { bytes[$0..<$0 + 5] == [2, 3, 1, 0, 1] })
        bytes[exponent + 4] = 3
        #expect(throws: CryptoError(.unreadableKey, operation: "")) { try RSAPrivateKey(bytes) }
    }

    @Test("Every truncation fails", arguments: forms)
    func truncated(name: String) throws {
        let bytes = try fixture(name)
        // A line ending follows the last dash of PEM, and it can be missing.
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
        // The headers, which contain the structure and the parameters of the derivation, and every tenth byte of the
        // rest.
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

    @Test("An encoded key can be parsed again")
    func writing() throws {
        let key = try RSAPrivateKey(fixture("rsa1024-pkcs1.der"))
        let plain = try key.encodedPKCS8()
        #expect(try RSAPrivateKey(plain.reveal()).encodedPKCS8() == plain)
        #expect(try RSAPrivateKey(plain).encodedPKCS8() == plain)
    }
}
