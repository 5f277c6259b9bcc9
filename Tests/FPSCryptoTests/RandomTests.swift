import FPSCrypto
import Testing

@Suite("Random numbers")
struct RandomTests {
    /// The keystreams, created with the openssl command: AES-128-CTR of zeros with an all-zero IV. The key is the first
    /// 16 bytes of the SHA-256 of the seed's 8 bytes.
    static let streams: [(seed: UInt64, start: String)] = [
        (0, "8094c7f78da16b7b6d2139fbec0f3fea764a92ed69a76136226f7ef34d9461dd"),
        (1, "68b52a4cc88be618de6b4bd5cdc2afb92097537928fbf763967a0e3f01d5a8af"),
        (0x0123_4567_89ab_cdef, "69d96bd912dc4d7907a8933ba70794c7085827300e9545b84a1a863e265fd9f3"),
    ]

    @Test("SeededRandom returns the keystream that its documentation defines", arguments: streams)
    func keystream(seed: UInt64, start: String) {
        let start = hex(start)
        var random = SeededRandom(seed: seed)
        #expect(random.bytes(start.count) == start)

        random = SeededRandom(seed: seed)
        let first = start[..<8].reduce(0) { $0 << 8 | UInt64($1) }
        #expect(random.next() == first)
        #expect(random.bytes(8) == Array(start[8..<16]))

        random = SeededRandom(seed: seed)
        #expect(random.bytes(5) == Array(start[..<5]))
        #expect(random.bytes(1) == [start[8]], "5 bytes use up a whole number of 8")
        #expect(random.bytes(0) == [])
        #expect(random.bytes(2) == Array(start[16..<18]))
    }

    /// Bytes 1,048,576 to 1,048,591 of the keystream for seed 1.
    @Test("The keystream continues correctly after the first refill")
    func farKeystream() {
        var random = SeededRandom(seed: 1)
        _ = random.bytes(1 << 20)
        #expect(random.bytes(16) == hex("37cea96a00748cbbbee3607573a7a9e7"))
    }

    @Test("A copy of a SeededRandom returns the same numbers, another seed returns others")
    func copies() {
        var one = SeededRandom(seed: 9)
        _ = one.next()
        var two = one
        var three = SeededRandom(seed: 10)
        let bytes = one.bytes(1000)
        #expect(two.bytes(1000) == bytes)
        #expect(three.bytes(1000) != bytes)
        #expect(SeededRandom(seed: 3).shuffled(100) == SeededRandom(seed: 3).shuffled(100))
    }

    @Test("SecureRandom never returns the same block twice, not even in copies")
    func secure() {
        let original = SecureRandom()
        var copies = [original, original, SecureRandom()]
        var seen: Set<UInt64> = []
        for _ in 0..<1000 {
            for index in copies.indices { seen.insert(copies[index].next()) }
        }
        #expect(seen.count == 3000)
    }

    @Test("SecureRandom's bits are balanced")
    func balance() {
        var random = SecureRandom()
        let ones = random.bytes(100_000).reduce(0) { $0 + $1.nonzeroBitCount }
        // 800,000 fair bits have a standard deviation of 447, so the limit is eleven standard deviations.
        #expect((395_000...405_000).contains(ones))
    }

    @Test("Any number of bytes can be requested", arguments: [0, 1, 7, 8, 9, 255, 256, 257, 4096])
    func counts(count: Int) {
        var random = SecureRandom()
        #expect(random.bytes(count).count == count)
    }
}

extension SeededRandom {
    fileprivate func shuffled(_ count: Int) -> [Int] {
        var copy = self
        return (0..<count).shuffled(using: &copy)
    }
}
