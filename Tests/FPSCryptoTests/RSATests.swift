import FPSCrypto
import Testing

@Suite("RSA-OAEP")
struct RSATests {
    @Test("What the public half encrypts the private half decrypts", arguments: [1024, 2048])
    func roundTrip(bits: Int) throws {
        let key = try RSAPrivateKey.generate(bits: bits)
        var random = SecureRandom()
        let message = SecretBytes(count: 16, randomFrom: &random)
        let ciphertext = try key.publicKey.encryptOAEP(message)
        #expect(ciphertext.count == bits / 8)
        #expect(try key.decryptOAEP(ciphertext) == message)
        let p = SecretBytes(copying: Array("pass".utf8))
        for pass in [nil, p] {
            let a = try RSAPrivateKey(key.encodedPKCS8(passphrase: pass).reveal(), passphrase: pass)
            let b = try RSAPrivateKey(key.pem(passphrase: pass).reveal(), passphrase: pass)
            #expect(try a.decryptOAEP(ciphertext) == message)
            #expect(try b.decryptOAEP(ciphertext) == message)
        }
        #expect(try X509Certificate.selfSigned(subject: "A test", key: key, days: 2).matches(key))
    }
}
