import FPSCrypto
import Foundation
import ServerCrypto
import Testing

/// crypto_mb, at the path in `KEYWAY_CRYPTO_MB`: not every machine has the processor and the library.
let multiBuffer: MultiBufferRSA? = ProcessInfo.processInfo.environment["KEYWAY_CRYPTO_MB"].flatMap {
    try? MultiBufferRSA(library: $0)
}

@Suite("Several RSA messages of one key at once")
struct MultiBufferRSATests {
    private func messages(_ count: Int) -> [SecretBytes] {
        var random = SystemRandomNumberGenerator()
        return (0..<count).map { SecretBytes(count: 16 + $0 % 3, randomFrom: &random) }
    }

    @Test("Without crypto_mb each message is decrypted separately", arguments: [0, 1, 3, 9])
    func withoutLibrary(count: Int) throws {
        try decrypts(count, by: RSAPrivateKey.generate(bits: 2048), nil)
    }

    @Test("A file that is not the library is reported")
    func noLibrary() {
        #expect(throws: CryptoError(.libraryFailure, operation: "")) { try MultiBufferRSA(library: "/nowhere/none.so") }
        #expect(throws: CryptoError(.libraryFailure, operation: "")) { try MultiBufferRSA(library: "libcrypto.so.3") }
    }

    @Test(
        "crypto_mb decrypts what libcrypto does, however many there are",
        .enabled(if: multiBuffer != nil, "KEYWAY_CRYPTO_MB names no crypto_mb that runs on this processor"),
        arguments: [1024, 2048, 3072, 4096, 2056],
        [0, 1, 2, 3, 4, 7, 8, 9, 11, 17]
    )
    func decrypts(bits: Int, count: Int) throws {
        try decrypts(count, by: RSAPrivateKey.generate(bits: bits), multiBuffer)
    }

    /// Example 10.1 of RSA Laboratories' "Test vectors for RSA-OAEP", which FPSCryptoTests has among others.
    @Test(
        "RSA Laboratories' message is decrypted",
        .enabled(if: multiBuffer != nil, "KEYWAY_CRYPTO_MB names no crypto_mb that runs on this processor")
    )
    func known() throws {
        let key = try RSAPrivateKey(fixture("oaep-vect-example-10.der"))
        let ciphertext = hex(
            """
            53ea5dc08cd260fb3b858567287fa91552c30b2febfba213f0ae87702d068d19bab07fe574523dfb42139d68c3c5afee
            e0bfe4cb7969cbf382b804d6e61396144e2d0e60741f8993c3014b58b9b1957a8babcd23af854f4c356fb1662aa72bfc
            c7e586559dc4280d160c126785a723ebeebeff71f11594440aaef87d10793a8774a239d4a04c87fe1467b9daf85208ec
            6c7255794a96cc29142f9a8bd418e3c1fd67344b0cd0829df3b2bec60253196293c6b34d3f75d32f213dd45c6273d505
            adf4cced1057cb758fc26aeefa441255ed4e64c199ee075e7f16646182fdb464739b68ab5daff0e63e9552016824f054
            bf4d3c8c90a97bb6b6553284eb429fcc
            """
        )
        for result in key.decryptOAEP([[UInt8]](repeating: ciphertext, count: 3), with: multiBuffer) {
            #expect(try result.get() == secret("8bba6bf82a6c0f86d5f1756e97956870b08953b06b4eb205bc1694ee"))
        }
    }

    @Test(
        "An invalid message fails alone, in the same way as separately",
        .enabled(if: multiBuffer != nil, "KEYWAY_CRYPTO_MB names no crypto_mb that runs on this processor")
    )
    func wrongOnes() throws {
        let key = try RSAPrivateKey.generate(bits: 2048)
        let publicKey = try key.publicKey
        let messages = messages(16)
        var ciphertexts = try messages.map { try publicKey.encryptOAEP($0) }
        ciphertexts[1][100] ^= 1
        ciphertexts[3].removeLast()
        ciphertexts[4] = []
        ciphertexts[6] = [UInt8](repeating: 0xFF, count: 256)
        ciphertexts[9] = [UInt8](repeating: 0, count: 256)
        ciphertexts[10].append(0)
        // The first byte of an encrypted block must be zero: the bare block of another message is not an OAEP block.
        ciphertexts[12] = try RSAPrivateKey.generate(bits: 2048).publicKey.encryptOAEP(messages[12])
        ciphertexts[13] = try modulus(of: key, plus: 1)
        ciphertexts[14] = try modulus(of: key, plus: 0)
        let wrong: Set = [1, 3, 4, 6, 9, 10, 12, 13, 14]
        for (index, result) in key.decryptOAEP(ciphertexts, with: multiBuffer).enumerated() {
            if wrong.contains(index) {
                #expect(throws: CryptoError(.decryptionFailed, operation: "")) { try result.get() }
                #expect(throws: CryptoError(.decryptionFailed, operation: "")) {
                    try key.decryptOAEP(ciphertexts[index])
                }
            } else {
                #expect(try result.get() == messages[index])
            }
        }
    }

    @Test(
        "Several threads can decrypt with one key at the same time",
        .enabled(if: multiBuffer != nil, "KEYWAY_CRYPTO_MB names no crypto_mb that runs on this processor")
    )
    func threads() async throws {
        let key = try RSAPrivateKey.generate(bits: 2048)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { try decrypts(20, by: key, multiBuffer) } }
            try await group.waitForAll()
        }
    }

    private func decrypts(_ count: Int, by key: RSAPrivateKey, _ multiBuffer: MultiBufferRSA?) throws {
        let (messages, publicKey) = (messages(count), try key.publicKey)
        let ciphertexts = try messages.map { try publicKey.encryptOAEP($0) }
        let decrypted = key.decryptOAEP(ciphertexts, with: multiBuffer)
        #expect(try decrypted.map { try $0.get() } == messages)
    }

    /// The modulus, or a slightly larger number: the smallest numbers that are not ciphertexts.
    private func modulus(of key: RSAPrivateKey, plus little: UInt8) throws -> [UInt8] {
        // In PKCS#8, the first integer of 257 bytes, whose first byte is zero.
        let encoding = try key.encodedPKCS8().reveal()
        let start = try #require(
            encoding.indices.first { encoding[$0...].starts(with: [0x02, 0x82, 0x01, 0x01, 0x00]) }
        )
        var bytes = Array(encoding[(start + 5)..<(start + 261)])
        bytes[255] += little
        return bytes
    }
}
