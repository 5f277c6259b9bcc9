import BulkAES
import FPSCrypto
import Testing

@Suite("CBC of many chains")
struct BulkCBCTests {
    /// SP 800-38A, F.2.1.
    @Test("Every chain matches SP 800-38A, F.2.1, for any number of chains", arguments: [1, 2, 3, 15, 16, 17, 40])
    func published(chains: Int) throws {
        let key = SecretBytes(copying: hex("2b7e151628aed2a6abf7158809cf4f3c"))
        let iv = SIMD16<UInt8>(hex("000102030405060708090a0b0c0d0e0f"))
        let plaintext = hex(
            """
            6bc1bee22e409f96e93d7e117393172a ae2d8a571e03ac9c9eb76fac45af8e51
            30c81c46a35ce411e5fbc1191a0a52ef f69f2445df4f9b17ad2b417be66c3710
            """
        )
        let ciphertext = hex(
            """
            7649abac8119b246cee98e9b12e9197d 5086cb9b507219ee95db113a917678b2
            73bed6b8e3c1743b7116e69e22229516 3ff1caa1681fac09120eca307586e1a7
            """
        )
        let runs = (0..<chains).map { BlockRun(offset: 64 * $0, blocks: 4, iv: iv) }
        var bytes = Array(repeatElement(plaintext, count: chains).joined())
        try process(.encrypt, runs, &bytes, key: key)
        #expect(bytes == Array(repeatElement(ciphertext, count: chains).joined()))
        try process(.decrypt, runs, &bytes, key: key)
        #expect(bytes == Array(repeatElement(plaintext, count: chains).joined()))
    }

    @Test("Random chains of random runs have the same result as separate encryption", arguments: UInt64(0)..<60)
    func randomRuns(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var (runs, size) = ([BlockRun](), 0)
        for number in 0..<Int.random(in: 0...70, using: &random) {
            size += Int.random(in: 0...40, using: &random)
            let crypt = Int.random(in: 1...3, using: &random)
            let skip = Bool.random(using: &random) ? 0 : Int.random(in: 1...9, using: &random)
            // Some runs are long enough for the cipher's CBC mode.
            let blocks = Int.random(in: 0...(Int.random(in: 0..<8, using: &random) == 0 ? 700 : 20), using: &random)
            let continues = number > 0 && Int.random(in: 0..<4, using: &random) == 0
            let iv = SIMD16<UInt8>(random.bytes(16))
            let run = BlockRun(
                offset: size,
                blocks: blocks,
                cryptBlocks: crypt,
                skipBlocks: skip,
                continuesChain: continues,
                iv: iv
            )
            runs.append(run)
            size = max(size, (places(run).last ?? size - 16) + 16)
        }
        let plaintext = random.bytes(size)
        var expected = plaintext
        try reference(runs, &expected)
        var bytes = plaintext
        try process(.encrypt, runs, &bytes)
        #expect(bytes == expected)
        try process(.decrypt, runs, &bytes)
        #expect(bytes == plaintext)
    }

    @Test("Several buffers are processed together")
    func buffers() throws {
        var random = SeededRandom(seed: 1)
        let plaintext = (0..<5).map { random.bytes(16 * ($0 * 40 + 1) + 3) }
        let ivs = (0..<5).map { _ in SIMD16<UInt8>(random.bytes(16)) }
        var bytes = plaintext
        let runs = (0..<5).map { BlockRun(buffer: $0, offset: 2, blocks: bytes[$0].count / 16, iv: ivs[$0]) }
        let cipher = try BulkCBC(.encrypt, key: testKey)
        let memory = bytes.map { UnsafeMutableRawBufferPointer.allocate(byteCount: $0.count, alignment: 1) }
        defer { for part in memory { part.deallocate() } }
        for number in 0..<5 { memory[number].copyBytes(from: plaintext[number]) }
        try cipher.process(runs, unsafeBuffers: memory)
        for number in 0..<5 {
            bytes[number].replaceSubrange(0..., with: memory[number])
            var expected = plaintext[number]
            let range = 2..<expected.count - 1
            try AES128.encryptCBC(inPlace: &expected, range: range, key: testKey, iv: array(ivs[number]))
            #expect(bytes[number] == expected)
        }
    }

    @Test("A run that does not fit is refused and nothing changes")
    func outside() throws {
        let fitting = BlockRun(offset: 0, blocks: 1)
        let wrong: [BlockRun] = [
            BlockRun(offset: 1, blocks: 4), BlockRun(offset: 64, blocks: 1), BlockRun(offset: -1, blocks: 1),
            BlockRun(offset: 0, blocks: -1), BlockRun(offset: 65, blocks: 0), BlockRun(offset: 0, blocks: .max),
            BlockRun(offset: .max, blocks: 1), BlockRun(offset: .min, blocks: 1),
            BlockRun(buffer: 1, offset: 0, blocks: 1), BlockRun(buffer: -1, offset: 0, blocks: 1),
            BlockRun(offset: 0, blocks: 2, cryptBlocks: 1, skipBlocks: 3),
            BlockRun(offset: 0, blocks: 1, cryptBlocks: 0, skipBlocks: 3),
            BlockRun(offset: 0, blocks: 1, cryptBlocks: 1, skipBlocks: -1),
            BlockRun(offset: 0, blocks: 1, cryptBlocks: .max, skipBlocks: .max),
        ]
        for run in wrong {
            var bytes = [UInt8](repeating: 0, count: 64)
            #expect(throws: CryptoError(.invalidLength, operation: "")) {
                try process(.encrypt, [fitting, run], &bytes)
            }
            #expect(bytes == [UInt8](repeating: 0, count: 64))
        }
        var bytes = [UInt8](repeating: 0, count: 64)
        #expect(throws: CryptoError(.invalidArgument, operation: "")) {
            try process(.encrypt, [BlockRun(offset: 0, blocks: 1, continuesChain: true)], &bytes)
        }
        try process(.encrypt, [BlockRun(offset: 0, blocks: 2, cryptBlocks: 1, skipBlocks: 2)], &bytes)
        #expect(bytes[16..<48].allSatisfy { $0 == 0 })
    }

    @Test("A key of another size is refused", arguments: [0, 15, 17, 32])
    func keySize(size: Int) {
        let key = SecretBytes(copying: [UInt8](repeating: 0, count: size))
        #expect(code { () throws(CryptoError) in _ = try BulkCBC(.encrypt, key: key) } == .invalidLength)
        #expect(code { () throws(CryptoError) in _ = try BulkCTR(key: key) } == .invalidLength)
    }

    private func array(_ block: SIMD16<UInt8>) -> [UInt8] { (0..<16).map { block[$0] } }

    /// Returns the offsets of the blocks of a run.
    private func places(_ run: BlockRun) -> [Int] {
        (0..<run.blocks).map { run.offset + 16 * ($0 + $0 / run.cryptBlocks * run.skipBlocks) }
    }

    /// Encrypts the chains one after the other, each as one message.
    private func reference(_ runs: [BlockRun], _ bytes: inout [UInt8]) throws {
        var first = 0
        while first < runs.count {
            let rest = runs[(first + 1)...]
            let end = rest.firstIndex { !$0.continuesChain } ?? runs.count
            let blocks = runs[first..<end].flatMap(places)
            let message = blocks.flatMap { bytes[$0..<$0 + 16] }
            let sealed = try AES128.encryptCBC(message, key: testKey, iv: array(runs[first].iv))
            for (number, place) in blocks.enumerated() {
                bytes.replaceSubrange(place..<place + 16, with: sealed[number * 16..<number * 16 + 16])
            }
            first = end
        }
    }

    private func process(
        _ direction: AES128Stream.Direction,
        _ runs: [BlockRun],
        _ bytes: inout [UInt8],
        key: SecretBytes = testKey
    ) throws {
        let cipher = try BulkCBC(direction, key: key)
        var span = bytes.mutableSpan
        var raw = span.mutableBytes
        try cipher.process(runs, in: &raw)
    }
}
