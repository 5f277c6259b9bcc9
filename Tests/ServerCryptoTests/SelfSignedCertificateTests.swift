import FPSCrypto
import Foundation
import ServerCrypto
import Testing

@Suite("Self-signed certificates")
struct SelfSignedCertificateTests {
    @Test("A self-signed certificate contains its arguments")
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

    @Test("A self-signed certificate with an invalid subject or validity is not created")
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
