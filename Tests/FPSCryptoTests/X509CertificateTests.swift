import FPSCrypto
import Foundation
import Testing

@Suite("X.509 certificates")
struct X509CertificateTests {
    @Test("PEM and DER give the same certificate", arguments: ["certificate.pem", "certificate.der"])
    func reading(name: String) throws {
        let certificate = try X509Certificate(fixture(name))
        #expect(try certificate.der == fixture("certificate.der"))
        // The openssl command's figures.
        #expect(certificate.sha1 == hex("c71d3db85cd5255e4fd2c1d13588da845173aae4"))
        #expect(certificate.subject == "CN=FairPlay\\, test,O=Prüfung,C=JP")
        #expect(certificate.notBefore == 1_577_836_800)  // 2020-01-01 00:00:00, a UTCTime
        #expect(certificate.notAfter == 2_840_238_245)  // 2060-01-02 03:04:05, a GeneralizedTime
        #expect(try certificate.publicKey.bits == 2048)
    }

    @Test("The public key works and belongs to the private key it was made for, no other")
    func key() throws {
        let certificate = try X509Certificate(fixture("certificate.der"))
        let key = try RSAPrivateKey(fixture("rsa2048-pkcs8.der"))
        let message = secret("00112233445566778899aabbccddeeff")
        #expect(try key.decryptOAEP(certificate.publicKey.encryptOAEP(message)) == message)
        #expect(certificate.matches(key))
        #expect(try !certificate.matches(RSAPrivateKey(fixture("rsa1024-pkcs1.der"))))
        #expect(try !certificate.matches(RSAPrivateKey.generate(bits: 2048)))
    }

    @Test("A certificate for another kind of key is read, but gives no RSA key")
    func otherKey() throws {
        let certificate = try X509Certificate(fixture("certificate-ec.der"))
        #expect(certificate.subject == "CN=EC")
        #expect(throws: CryptoError(.notAnRSAKey, operation: "")) { try certificate.publicKey }
        #expect(try !certificate.matches(RSAPrivateKey(fixture("rsa1024-pkcs1.der"))))
    }

    @Test("What is no certificate, or more than one, is refused")
    func noCertificates() throws {
        let pem = try fixture("certificate.pem")
        let der = try fixture("certificate.der")
        let inputs = try [
            [], [0x30], Array("hello".utf8), pem + pem, der + [0], der + der, fixture("rsa2048-pkcs8.pem"),
            fixture("rsa2048-pkcs8.der"), [UInt8](repeating: 0x30, count: 2 << 20),
        ]
        for bytes in inputs {
            #expect(throws: CryptoError(.unreadableCertificate, operation: "")) { try X509Certificate(bytes) }
        }
        #expect(try X509Certificate(fixture("rsa2048-pkcs8.pem") + pem).der == der)
    }

    @Test("Every truncation fails", arguments: ["certificate.pem", "certificate.der", "certificate-ec.der"])
    func truncated(name: String) throws {
        let bytes = try fixture(name)
        let end = name.hasSuffix("pem") ? bytes.count - 1 : bytes.count
        for size in 0..<end {
            #expect(throws: CryptoError(.unreadableCertificate, operation: "")) { try X509Certificate(bytes[..<size]) }
        }
    }

    @Test("Every flipped bit is refused as a certificate or shows in its hash")
    func flipped() throws {
        let bytes = try fixture("certificate.der")
        let original = try X509Certificate(bytes)
        for bit in 0..<bytes.count * 8 {
            var changed = bytes
            changed[bit / 8] ^= 1 << (bit % 8)
            do throws(CryptoError) {
                let certificate = try X509Certificate(changed)
                #expect(certificate.der == changed)
                #expect(certificate.sha1 != original.sha1)
            } catch {
                #expect(error.code == .unreadableCertificate)
            }
        }
    }

    @Test("A self-signed certificate holds what it was made with")
    func selfSigned() throws {
        let key = try RSAPrivateKey(fixture("rsa1024-pkcs1.der"))
        let start: Int64 = 1_700_000_000
        let made = try X509Certificate.selfSigned(subject: "Küche 7", key: key, days: 30, notBefore: start)
        #expect(made.subject == "CN=Küche 7")
        #expect(made.notBefore == start)
        #expect(made.notAfter == start + 30 * 86_400)
        #expect(made.matches(key))
        #expect(made.sha1 == SHA1.hash(made.der))
        #expect(try X509Certificate(made.pem.utf8).der == made.der)
        let again = try X509Certificate.selfSigned(subject: "Küche 7", key: key, days: 30, notBefore: start)
        #expect(again.der != made.der, "the serial number must be random")

        let now = Int64(Date().timeIntervalSince1970)
        let current = try X509Certificate.selfSigned(subject: "now", key: key, days: 36_500)
        #expect((now - 60...now + 60).contains(current.notBefore))
    }

    @Test("A self-signed certificate with a nonsensical subject or validity is not made")
    func selfSignedRefused() throws {
        let key = try RSAPrivateKey(fixture("rsa1024-pkcs1.der"))
        let refused = CryptoError(.invalidArgument, operation: "")
        for subject in ["", String(repeating: "x", count: 65), "a\0b"] {
            #expect(throws: refused) { try X509Certificate.selfSigned(subject: subject, key: key, days: 1) }
        }
        for days in [0, -1, 36_501, Int.max, Int.min] {
            #expect(throws: refused) { try X509Certificate.selfSigned(subject: "a", key: key, days: days) }
        }
        for start in [Int64.max, Int64.min, 300_000_000_000] {
            #expect(throws: refused) {
                try X509Certificate.selfSigned(subject: "a", key: key, days: 1, notBefore: start)
            }
        }
    }
}
