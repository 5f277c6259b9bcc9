import FPSCrypto
import Testing

@Suite("RSA-OAEP")
struct RSAOAEPTests {
    struct Vector: Sendable {
        let key, message, ciphertext: String
    }

    /// RSA Laboratories, "Test vectors for RSA-OAEP" (oaep-vect.txt of pkcs-1v2-1d2-vec.zip), examples 1.1, 1.2 (1024
    /// bits) and 10.1 (2048 bits).
    static let vectors = [
        Vector(
            key: "oaep-vect-example-1.der",
            message: "6628194e12073db03ba94cda9ef9532397d50dba79b987004afefe34",
            ciphertext: """
                354fe67b4a126d5d35fe36c777791a3f7ba13def484e2d3908aff722fad468fb21696de95d0be911c2d3174f8afcc201
                035f7b6d8e69402de5451618c21a535fa9d7bfc5b8dd9fc243f8cf927db31322d6e881eaa91a996170e657a05a266426
                d98c88003f8477c1227094a0d9fa1e8c4024309ce1ecccb5210035d47ac72e8a
                """
        ),
        Vector(
            key: "oaep-vect-example-1.der",
            message: "750c4047f547e8e41411856523298ac9bae245efaf1397fbe56f9dd5",
            ciphertext: """
                640db1acc58e0568fe5407e5f9b701dff8c3c91e716c536fc7fcec6cb5b71c1165988d4a279e1577d730fc7a29932e3f
                00c81515236d8d8e31017a7a09df4352d904cdeb79aa583adcc31ea698a4c05283daba9089be5491f67c1a4ee48dc74b
                bbe6643aef846679b4cb395a352d5ed115912df696ffe0702932946d71492b44
                """
        ),
        Vector(
            key: "oaep-vect-example-10.der",
            message: "8bba6bf82a6c0f86d5f1756e97956870b08953b06b4eb205bc1694ee",
            ciphertext: """
                53ea5dc08cd260fb3b858567287fa91552c30b2febfba213f0ae87702d068d19bab07fe574523dfb42139d68c3c5afee
                e0bfe4cb7969cbf382b804d6e61396144e2d0e60741f8993c3014b58b9b1957a8babcd23af854f4c356fb1662aa72bfc
                c7e586559dc4280d160c126785a723ebeebeff71f11594440aaef87d10793a8774a239d4a04c87fe1467b9daf85208ec
                6c7255794a96cc29142f9a8bd418e3c1fd67344b0cd0829df3b2bec60253196293c6b34d3f75d32f213dd45c6273d505
                adf4cced1057cb758fc26aeefa441255ed4e64c199ee075e7f16646182fdb464739b68ab5daff0e63e9552016824f054
                bf4d3c8c90a97bb6b6553284eb429fcc
                """
        ),
    ]

    @Test("RSA Laboratories' messages are decrypted", arguments: vectors)
    func known(vector: Vector) throws {
        let key = try RSAPrivateKey(fixture(vector.key))
        #expect(try key.decryptOAEP(hex(vector.ciphertext)) == secret(vector.message))
    }

    // swift-crypto generates the OAEP seed.
    #if !SwiftCrypto
    @Test("With RSA Laboratories' seed, encryption yields their ciphertext")
    func seeded() throws {
        struct Feed: RandomNumberGenerator {
            var bytes: [UInt8]
            mutating func next() -> UInt64 {
                defer { bytes.removeFirst(8) }
                return bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }
            }
        }
        let vector = Self.vectors[0]
        var random = Feed(bytes: hex("18b776ea21069d69776a33e96bad48e1dda0a5ef") + [0, 0, 0, 0])
        let key = try RSAPrivateKey(fixture(vector.key))
        #expect(try key.publicKey.encryptOAEP(secret(vector.message), using: &random) == hex(vector.ciphertext))
        for count in [0, 1, 86] {
            let message = SecretBytes(copying: [UInt8](repeating: 7, count: count))
            var seeded = SeededRandom(seed: 1)
            #expect(try key.decryptOAEP(key.publicKey.encryptOAEP(message, using: &seeded)) == message)
        }
        var unused = SeededRandom(seed: 1)
        let tooLong = SecretBytes(copying: [UInt8](repeating: 7, count: 87))
        #expect(throws: CryptoError(.invalidLength, operation: "")) {
            try key.publicKey.encryptOAEP(tooLong, using: &unused)
        }
    }
    #endif

    #if SwiftCrypto
    private static let keySizes = [1024, 1152, 1536, 2048]

    @Test("A size that the library would round down is rejected")
    func roundedSize() {
        #expect(throws: CryptoError(.unsupportedKeySize, operation: "")) { try RSAPrivateKey.generate(bits: 1032) }
    }
    #else
    private static let keySizes = [1024, 1032, 1536, 2048]
    #endif

    @Test("The private half decrypts messages that the public half has encrypted", arguments: keySizes)
    func roundTrip(bits: Int) throws {
        let key = try RSAPrivateKey.generate(bits: bits)
        #expect(key.bits == bits)
        let publicKey = try key.publicKey
        #expect(publicKey.bits == bits)
        for size in [0, 1, 16, bits / 8 - 42] {
            let message = SecretBytes(copying: (0..<size).map { UInt8(truncatingIfNeeded: $0) })
            let ciphertext = try publicKey.encryptOAEP(message)
            #expect(ciphertext.count == bits / 8)
            #expect(try ciphertext != publicKey.encryptOAEP(message), "OAEP must be randomized")
            #expect(try key.decryptOAEP(ciphertext) == message)
            #expect(try key.decryptOAEP(([0] + ciphertext + [0])[1...bits / 8]) == message)
        }
        let tooLong = SecretBytes(count: bits / 8 - 41) { _ in }
        #expect(throws: CryptoError(.invalidLength, operation: "")) { try publicKey.encryptOAEP(tooLong) }
    }

    @Test("All errors in a ciphertext cause the same error without a reason")
    func tampered() throws {
        let key = try RSAPrivateKey(fixture("oaep-vect-example-1.der"))
        let good = hex(Self.vectors[0].ciphertext)
        var wrong = (0..<good.count).map { index in
            var changed = good
            changed[index] ^= 1 << (index % 8)
            return changed
        }
        wrong += (0..<good.count).map { Array(good[..<$0]) }
        wrong += [good + [0], [0] + good, Array(good.dropFirst()), [UInt8](repeating: 0xff, count: 128)]
        wrong += [[UInt8](repeating: 0, count: 128), [UInt8](repeating: 0, count: 127) + [1]]
        for ciphertext in wrong {
            do {
                _ = try key.decryptOAEP(ciphertext)
                Issue.record("a changed ciphertext was accepted")
            } catch {
                #expect(error.code == .decryptionFailed)
                #expect(error.reason == nil)
                #expect(error.description == "RSA-OAEP decryption: decryption-failed")
            }
        }
    }

    @Test("A ciphertext must include its leading zeros")
    func leadingZero() throws {
        let key = try RSAPrivateKey(fixture("rsa1024-pkcs1.der"))
        let message = secret("00112233445566778899aabbccddeeff")
        var ciphertext = try key.publicKey.encryptOAEP(message)
        while ciphertext[0] != 0 { ciphertext = try key.publicKey.encryptOAEP(message) }
        #expect(try key.decryptOAEP(ciphertext) == message)
        #expect(throws: CryptoError(.decryptionFailed, operation: "")) { try key.decryptOAEP(ciphertext.dropFirst()) }
    }

    @Test("Many tasks decrypt with one key concurrently")
    func concurrency() async throws {
        let key = try RSAPrivateKey(fixture("rsa2048-pkcs1.der"))
        let publicKey = try key.publicKey
        let wrong = [UInt8](repeating: 1, count: 256)
        try await withThrowingTaskGroup(of: Int.self) { group in
            for task in 0..<32 {
                group.addTask {
                    var right = 0
                    for turn in 0..<10 {
                        let message = SecretBytes(copying: [UInt8(task), UInt8(turn)])
                        if try key.decryptOAEP(publicKey.encryptOAEP(message)) == message { right += 1 }
                        #expect(throws: CryptoError(.decryptionFailed, operation: "")) { try key.decryptOAEP(wrong) }
                    }
                    return right
                }
            }
            for try await right in group { #expect(right == 10) }
        }
    }

    @Test("Keys of other sizes than 1024 to 8192 bits are not generated", arguments: [-1, 0, 512, 1023, 8193, Int.max])
    func sizes(bits: Int) {
        #expect(throws: CryptoError(.unsupportedKeySize, operation: "")) { try RSAPrivateKey.generate(bits: bits) }
    }
}
