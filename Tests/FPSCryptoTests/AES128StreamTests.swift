import FPSCrypto
import Testing

@Suite("AES-128 streams")
struct AES128StreamTests {
    static let key = secret("2b7e151628aed2a6abf7158809cf4f3c")
    /// The common plaintext of the examples in SP 800-38A, appendix F.
    static let plaintext = AES128Tests.plaintext
    static let zeros = SIMD16<UInt8>()

    /// The mode, the IV or counter block, and the ciphertext of SP 800-38A, F.1.1, F.2.1 and F.5.1.
    static let vectors: [(AES128Stream.Mode, SIMD16<UInt8>, [UInt8])] = [
        (
            .ecb, zeros,
            hex(
                """
                3ad77bb40d7a3660a89ecaf32466ef97 f5d3d58503b9699de785895a96fdbaaf
                43b1cd7f598ece23881b00e3ed030688 7b0c785e27e8ad3f8223207104725dd4
                """
            )
        ),
        (.cbc, SIMD16(hex("000102030405060708090a0b0c0d0e0f")), AES128Tests.chained),
        (
            .ctr, SIMD16(hex("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff")),
            hex(
                """
                874d6191b620e3261bef6864990db6ce 9806f66b7970fdff8617187bb9fffdff
                5ae4df3edbd5d35e5b4f09020db03eab 1e031dda2fbe03d1792170a0f3009cee
                """
            )
        ),
    ]

    @Test("All modes match SP 800-38A, in place and split at every block", arguments: 0..<3, 0...4)
    func published(vector: Int, cut: Int) throws {
        let (mode, iv, expected) = Self.vectors[vector]
        for direction in [AES128Stream.Direction.encrypt, .decrypt] {
            var stream = try AES128Stream(mode, direction, key: Self.key)
            let (input, output) = direction == .encrypt ? (Self.plaintext, expected) : (expected, Self.plaintext)
            // The test runs twice to check that a reset discards the previous state.
            for _ in 0..<2 {
                try stream.reset(iv: iv)
                var (first, second) = (Array(input[..<(16 * cut)]), Array(input[(16 * cut)...]))
                try update(&stream, &first)
                try update(&stream, &second)
                #expect(first + second == output)
            }
        }
    }

    @Test("Counter mode can be split at any byte")
    func counterAtAnyByte() throws {
        let (mode, iv, expected) = Self.vectors[2]
        var stream = try AES128Stream(mode, .encrypt, key: Self.key)
        for cut in 0...64 {
            try stream.reset(iv: iv)
            var (first, second) = (Array(Self.plaintext[..<cut]), Array(Self.plaintext[cut...]))
            try update(&stream, &first)
            try update(&stream, &second)
            #expect(first + second == expected)
        }
    }

    @Test("The IV is all zeros until it is set")
    func zeroIV() throws {
        var stream = try AES128Stream(.cbc, .encrypt, key: Self.key)
        var bytes = Self.plaintext
        try update(&stream, &bytes)
        let zeros = [UInt8](repeating: 0, count: 16)
        #expect(try AES128.encryptCBC(Self.plaintext, key: Self.key, iv: zeros) == bytes)
    }

    @Test("Wrong sizes are refused")
    func sizes() throws {
        for size in [0, 15, 17, 32] {
            let wrongKey = SecretBytes(copying: [UInt8](repeating: 0, count: size))
            #expect(throws: CryptoError(.invalidLength, operation: "")) {
                _ = try AES128Stream(.cbc, .encrypt, key: wrongKey)
            }
            #expect(throws: CryptoError(.invalidLength, operation: "")) {
                _ = try AES128PaddedStream(.encrypt, key: wrongKey, iv: Self.zeros)
            }
        }
        for mode in [AES128Stream.Mode.ecb, .cbc] {
            var stream = try AES128Stream(mode, .encrypt, key: Self.key)
            for size in [1, 15, 17] {
                var bytes = [UInt8](repeating: 0, count: size)
                #expect(code { () throws(CryptoError) in try update(&stream, &bytes) } == .invalidLength)
                #expect(bytes == [UInt8](repeating: 0, count: size))
            }
        }
    }

    @Test(
        "Padding matches RFC 5652 and is removed by decryption, for parts of any size",
        arguments: [1, 7, 16, 33, 100]
    )
    func padding(part: Int) throws {
        let iv = SIMD16<UInt8>(Self.plaintext[..<16])
        for size in 0...66 {
            let message = (0..<size).map { UInt8($0) }
            let padding = 16 - size % 16
            let padded = message + [UInt8](repeating: UInt8(padding), count: padding)
            let expected = try AES128.encryptCBC(padded, key: Self.key, iv: Self.plaintext[..<16])
            let sealed = try run(.encrypt, message, iv: iv, part: part)
            #expect(sealed == expected)
            #expect(try run(.decrypt, sealed, iv: iv, part: part) == message)
        }
    }

    @Test("Missing and wrong padding is refused")
    func wrongPadding() throws {
        let iv = [UInt8](repeating: 0, count: 16)
        for ending in [[0], [17], [1, 2], [3, 2, 3], [255]] as [[UInt8]] {
            let message = [UInt8](repeating: 9, count: 32 - ending.count) + ending
            let sealed = try AES128.encryptCBC(message, key: Self.key, iv: iv)
            #expect(throws: CryptoError(.decryptionFailed, operation: "")) {
                try run(.decrypt, sealed, iv: Self.zeros, part: 100)
            }
        }
        for size in [0, 1, 15, 17, 31] {
            #expect(throws: CryptoError(.decryptionFailed, operation: "")) {
                try run(.decrypt, [UInt8](repeating: 0, count: size), iv: Self.zeros, part: 100)
            }
        }
    }

    private func update(_ stream: inout AES128Stream, _ bytes: inout [UInt8]) throws(CryptoError) {
        var span = bytes.mutableSpan
        var raw = span.mutableBytes
        try stream.update(inPlace: &raw)
    }

    private func run(
        _ direction: AES128Stream.Direction,
        _ message: [UInt8],
        iv: SIMD16<UInt8>,
        part: Int
    ) throws -> [UInt8] {
        var stream = try AES128PaddedStream(direction, key: Self.key, iv: iv)
        var output: [UInt8] = []
        for start in stride(from: 0, to: message.count, by: part) {
            let end = min(start + part, message.count)
            try stream.update(message.span.bytes.extracting(start..<end), appendingTo: &output)
        }
        try stream.finish(appendingTo: &output)
        return output
    }
}
