import CLibcrypto
import FPSCrypto
import ServerCrypto
import Testing

@Suite("libcrypto's error queue")
struct ErrorQueueTests {
    @Test("Success and failure leave libcrypto's error queue empty")
    func errorQueue() throws {
        let key = try RSAPrivateKey(fixture("rsa2048-pkcs8.der"))
        let (certificate, other) = try (fixture("certificate.der"), fixture("certificate-ec.der"))
        let encrypted = try fixture("rsa2048-pkcs8-encrypted.pem")
        let file = try fixtureURI("rsa2048-pkcs1.pem")
        let gcmKey = SecretBytes(count: 32) { _ in }
        let succeeding: [() throws -> Void] = [
            { _ = try key.decryptOAEP(key.publicKey.encryptOAEP(gcmKey)) },
            { _ = try RSAPrivateKey(encrypted, passphrase: fixturePassphrase) },
            { _ = try RSAPrivateKey(storeURI: file) },
            { _ = try RSAPrivateKey(key.pem(passphrase: gcmKey), passphrase: gcmKey) },
            { _ = try X509Certificate(certificate).matches(key) },
            { _ = try X509Certificate(other).matches(key) },
            { _ = try X509Certificate.selfSigned(subject: "a", key: key, days: 1) },
            { _ = try AES256GCM.open(AES256GCM.seal(gcmKey, key: gcmKey), key: gcmKey) },
        ]
        let failing: [() throws -> Void] = [
            { _ = try key.decryptOAEP([UInt8](repeating: 3, count: 256)) },
            { _ = try RSAPrivateKey([0x30, 0x03, 0x02, 0x01, 0x00]) },
            { _ = try RSAPrivateKey(encrypted, passphrase: gcmKey) },
            { _ = try RSAPrivateKey(storeURI: "file:///nowhere") },
            { _ = try X509Certificate([0x30, 0x03, 0x02, 0x01, 0x00]) },
            { _ = try X509Certificate(other).publicKey },
            { _ = try X509Certificate.selfSigned(subject: "a", key: key, days: 1, notBefore: .max) },
            { _ = try AES256GCM.open([UInt8](repeating: 0, count: 40), key: gcmKey) },
        ]
        ERR_clear_error()
        for (index, operation) in succeeding.enumerated() {
            try operation()
            #expect(ERR_get_error() == 0, "operation \(index)")
        }
        for (index, operation) in failing.enumerated() {
            #expect(throws: CryptoError.self) { try operation() }
            #expect(ERR_get_error() == 0, "operation \(index)")
        }
    }
}
