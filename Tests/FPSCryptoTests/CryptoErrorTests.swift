import FPSCrypto
import Testing

@Suite("CryptoError")
struct CryptoErrorTests {
    @Test("Errors are equal if their codes are equal")
    func equality() {
        let one = CryptoError(.invalidLength, operation: "a", reason: "b")
        #expect(one == CryptoError(.invalidLength, operation: "c"))
        #expect(one != CryptoError(.decryptionFailed, operation: "a", reason: "b"))
        #expect(one.code == CryptoError.Code(rawValue: "invalid-length"))
    }

    @Test("The description contains the operation, the code and the reason on one line")
    func description() {
        let key = SecretBytes(copying: [1, 2, 3])
        do {
            _ = try AES128.encryptBlock([], key: key)
            Issue.record("a key of 3 bytes was accepted")
        } catch {
            #expect("\(error)" == "AES-128 block encryption: invalid-length (key: 3 bytes, must be 16)")
        }
        #expect("\(CryptoError(.decryptionFailed, operation: "opening"))" == "opening: decryption-failed")
    }
}
