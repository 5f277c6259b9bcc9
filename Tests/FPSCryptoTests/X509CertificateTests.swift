import FPSCrypto
import Foundation
import Testing

@Suite("X.509 certificates")
struct X509CertificateTests {
    @Test("PEM and DER give the same certificate", arguments: ["certificate.pem", "certificate.der"])
    func reading(name: String) throws {
        let certificate = try X509Certificate(fixture(name))
        #expect(try certificate.der == fixture("certificate.der"))
        // The expected values are from the openssl command.
        #expect(certificate.sha1 == hex("c71d3db85cd5255e4fd2c1d13588da845173aae4"))
        #expect(certificate.subject == "CN=FairPlay\\, test,O=Prüfung,C=JP")
        #expect(certificate.notBefore == 1_577_836_800)  // 2020-01-01 00:00:00, a UTCTime
        #expect(certificate.notAfter == 2_840_238_245)  // 2060-01-02 03:04:05, a GeneralizedTime
        #expect(try certificate.publicKey.bits == 2048)
    }

    @Test("The public key works and matches only its private key")
    func key() throws {
        let certificate = try X509Certificate(fixture("certificate.der"))
        let key = try RSAPrivateKey(fixture("rsa2048-pkcs8.der"))
        let message = secret("00112233445566778899aabbccddeeff")
        #expect(try key.decryptOAEP(certificate.publicKey.encryptOAEP(message)) == message)
        #expect(certificate.matches(key))
        #expect(try !certificate.matches(RSAPrivateKey(fixture("rsa1024-pkcs1.der"))))
        #expect(try !certificate.matches(RSAPrivateKey.generate(bits: 2048)))
    }

    @Test("A certificate with another kind of key is parsed, but has no RSA key")
    func otherKey() throws {
        let certificate = try X509Certificate(fixture("certificate-ec.der"))
        #expect(certificate.subject == "CN=EC")
        #expect(throws: CryptoError(.notAnRSAKey, operation: "")) { try certificate.publicKey }
        #expect(try !certificate.matches(RSAPrivateKey(fixture("rsa1024-pkcs1.der"))))
    }

    @Test("Data that is not exactly one certificate is refused")
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

    @Test("Every flipped bit is refused or changes the hash")
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
}
