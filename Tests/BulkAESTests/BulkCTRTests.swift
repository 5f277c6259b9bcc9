import BulkAES
import FPSCrypto
import Testing

@Suite("CTR of many streams")
struct BulkCTRTests {
    @Test("The result matches SP 800-38A, F.5.1, split at any byte")
    func published() throws {
        let key = SecretBytes(copying: hex("2b7e151628aed2a6abf7158809cf4f3c"))
        let counter = SIMD16<UInt8>(hex("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"))
        let plaintext = hex(
            """
            6bc1bee22e409f96e93d7e117393172a ae2d8a571e03ac9c9eb76fac45af8e51
            30c81c46a35ce411e5fbc1191a0a52ef f69f2445df4f9b17ad2b417be66c3710
            """
        )
        let ciphertext = hex(
            """
            874d6191b620e3261bef6864990db6ce 9806f66b7970fdff8617187bb9fffdff
            5ae4df3edbd5d35e5b4f09020db03eab 1e031dda2fbe03d1792170a0f3009cee
            """
        )
        for cut in 0...64 {
            var bytes = Array(plaintext[..<cut]) + [1, 2, 3] + Array(plaintext[cut...])
            let runs = [
                CounterRun(offset: 0, count: cut, counter: counter),
                CounterRun(offset: cut + 3, count: 64 - cut, continuesStream: true),
            ]
            try process(runs, &bytes, key: key)
            #expect(bytes == Array(ciphertext[..<cut]) + [1, 2, 3] + Array(ciphertext[cut...]))
        }
    }

    @Test("Random streams of random runs have the same result as encryption block by block", arguments: UInt64(0)..<60)
    func randomRuns(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var (runs, size) = ([CounterRun](), 0)
        for number in 0..<Int.random(in: 0...400, using: &random) {
            size += Int.random(in: 0...20, using: &random)
            let isLong = Int.random(in: 0..<40, using: &random) == 0
            let count = Int.random(in: 0...(isLong ? 6000 : 60), using: &random)
            var counter = random.bytes(16)
            // Every second counter wraps around soon.
            if Bool.random(using: &random) { counter.replaceSubrange(8..<15, with: repeatElement(255, count: 7)) }
            let continues = number > 0 && Bool.random(using: &random)
            runs.append(
                CounterRun(offset: size, count: count, continuesStream: continues, counter: SIMD16(counter))
            )
            size += count
        }
        let plaintext = random.bytes(size)
        var expected = plaintext
        try reference(runs, &expected)
        var bytes = plaintext
        try process(runs, &bytes)
        #expect(bytes == expected)
        try process(runs, &bytes)
        #expect(bytes == plaintext)
        // The input is another buffer with the runs in reverse order.
        var (moved, input) = (runs, [UInt8]())
        for index in runs.indices.reversed() {
            moved[index].source = input.count
            input += plaintext[runs[index].offset..<runs[index].offset + runs[index].count]
        }
        var span = bytes.mutableSpan
        var output = span.mutableBytes
        try BulkCTR(key: testKey).process(moved, from: input.span.bytes, to: &output)
        #expect(bytes == expected)
    }

    @Test("The counter wraps in 64 bits, in long runs as in short ones", arguments: [64, 8192])
    func wrap(size: Int) throws {
        let counter = SIMD16<UInt8>(hex("0011223344556677ffffffffffffffff"))
        var bytes = [UInt8](repeating: 0, count: size)
        try process([CounterRun(offset: 0, count: size, counter: counter)], &bytes)
        let wrapped = hex("00112233445566770000000000000000")
        #expect(Array(bytes[16..<32]) == (try AES128.encryptBlock(wrapped, key: testKey)))
    }

    @Test("A run that does not fit is refused and nothing changes")
    func outside() {
        let fitting = CounterRun(offset: 0, count: 9)
        let wrong = [
            (0, 65), (1, 64), (64, 1), (65, 0), (-1, 1), (0, -1), (.max, 1), (1, .max), (.min, .max), (.max, .max),
        ]
        for (offset, count) in wrong {
            var bytes = [UInt8](repeating: 0, count: 64)
            #expect(throws: CryptoError(.invalidLength, operation: "")) {
                try process([fitting, CounterRun(offset: offset, count: count)], &bytes)
            }
            #expect(bytes == [UInt8](repeating: 0, count: 64))
        }
        for (source, count) in wrong {
            var bytes = [UInt8](repeating: 0, count: 2000)
            var span = bytes.mutableSpan
            var output = span.mutableBytes
            #expect(throws: CryptoError(.invalidLength, operation: "")) {
                let run = CounterRun(offset: 9, source: source, count: count)
                try BulkCTR(key: testKey).process([fitting, run], from: [UInt8](0..<64).span.bytes, to: &output)
            }
            #expect(bytes == [UInt8](repeating: 0, count: 2000))
        }
        var bytes = [UInt8](repeating: 0, count: 64)
        #expect(throws: CryptoError(.invalidArgument, operation: "")) {
            try process([CounterRun(offset: 0, count: 1, continuesStream: true)], &bytes)
        }
    }

    /// Generates the keystream block by block and applies it byte by byte.
    private func reference(_ runs: [CounterRun], _ bytes: inout [UInt8]) throws {
        var (counter, position, mates) = ([UInt8](), 0, [UInt8]())
        for run in runs {
            if !run.continuesStream { (counter, position) = ((0..<16).map { run.counter[$0] }, 0) }
            for place in run.offset..<run.offset + run.count {
                if position % 16 == 0 {
                    mates = try AES128.encryptBlock(counter, key: testKey)
                    for index in (8..<16).reversed() {
                        counter[index] &+= 1
                        if counter[index] != 0 { break }
                    }
                }
                bytes[place] ^= mates[position % 16]
                position += 1
            }
        }
    }

    private func process(_ runs: [CounterRun], _ bytes: inout [UInt8], key: SecretBytes = testKey) throws {
        let cipher = try BulkCTR(key: key)
        var span = bytes.mutableSpan
        var raw = span.mutableBytes
        try cipher.process(runs, in: &raw)
    }
}
