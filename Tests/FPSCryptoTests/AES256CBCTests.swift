import FPSCrypto
import Testing

@Suite("AES-256-CBC with padding, and HMAC-SHA-512")
struct AES256CBCTests {
    private let key = secret("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4")
    private let iv = hex("000102030405060708090a0b0c0d0e0f")

    @Test("Encryption matches SP 800-38A, F.2.5, with an additional block of padding")
    func vector() throws {
        let plaintext = secret("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51")
        let ciphertext = try AES256CBC.encryptPadded(plaintext, key: key, iv: iv)
        #expect(
            Array(ciphertext.prefix(32)) == hex("f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d")
        )
        #expect(ciphertext.count == 48)
        #expect(try AES256CBC.decryptPadded(ciphertext, key: key, iv: iv) == plaintext)
    }

    @Test("Every length round-trips", arguments: 0...33)
    func lengths(_ count: Int) throws {
        let plaintext = SecretBytes(copying: (0..<count).map { UInt8($0) })
        let ciphertext = try AES256CBC.encryptPadded(plaintext, key: key, iv: iv)
        #expect(ciphertext.count == count / 16 * 16 + 16)
        #expect(try AES256CBC.decryptPadded(ciphertext, key: key, iv: iv) == plaintext)
    }

    @Test("Wrong sizes are refused")
    func sizes() throws {
        let block = [UInt8](repeating: 0, count: 16)
        let short = SecretBytes(count: 16) { _ in }
        #expect(throws: CryptoError(.invalidLength, operation: "")) {
            try AES256CBC.encryptPadded(key, key: short, iv: iv)
        }
        #expect(throws: CryptoError(.invalidLength, operation: "")) {
            try AES256CBC.encryptPadded(key, key: key, iv: iv.dropLast())
        }
        for count in [0, 1, 15, 17] {
            #expect(throws: CryptoError(.invalidLength, operation: "")) {
                try AES256CBC.decryptPadded([UInt8](repeating: 0, count: count), key: key, iv: iv)
            }
        }
        #expect(throws: CryptoError(.invalidLength, operation: "")) {
            try AES256CBC.decryptPadded(block, key: key, iv: block + [0])
        }
    }

    /// The test sets the last byte of the plaintext to every value by changing the IV, which CBC XORs with the first block.
    @Test("Only the last byte of the padding is checked, 1 to 16")
    func padding() throws {
        let ciphertext = try AES256CBC.encryptPadded(SecretBytes(copying: []), key: key, iv: iv)
        for last in UInt8.min...UInt8.max {
            var changed = iv
            changed[15] ^= 16 ^ last
            let opened = try? AES256CBC.decryptPadded(ciphertext, key: key, iv: changed)
            #expect(opened?.count == ((1...16).contains(last) ? 16 - Int(last) : nil))
        }
    }

    @Test("HMAC-SHA-512 matches RFC 4231")
    func hmac() {
        let code = HMACSHA512.authenticate(
            Array("what do ya want for nothing?".utf8),
            key: SecretBytes(copying: Array("Jefe".utf8))
        )
        #expect(
            code
                == hex(
                    "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737"
                )
        )
    }
}
