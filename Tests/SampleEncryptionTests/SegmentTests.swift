import FPSCrypto
import SampleEncryption
import Testing

@Suite("Whole segments")
struct SegmentTests {
    @Test("Segments of random sizes equal the same segments one by one, and are restored", arguments: UInt64(0)..<10)
    func together(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let clear = (0..<Int.random(in: 0...80, using: &random)).map { _ in
            random.bytes(Int.random(in: 0...5000, using: &random))
        }
        let ivs = try clear.map { _ in try CipherIV(random.bytes(16)) }
        let cipher = try SegmentCipher(key: testKey)
        var segments = clear
        try cipher.encrypt(&segments, ivs: ivs)
        #expect(segments.count == clear.count)
        for index in segments.indices {
            #expect(segments[index] == (try stream(.encrypt, clear[index], ivs[index], part: 777)))
            #expect(try stream(.decrypt, segments[index], ivs[index], part: 777) == clear[index])
            try cipher.decrypt(&segments[index], iv: ivs[index])
        }
        #expect(segments == clear)
    }

    @Test("The chain continues in segments that are written in parts")
    func parts() throws {
        var random = SeededRandom(seed: 5)
        let clear = (0..<3).map { random.bytes(1600 * ($0 + 1)) }
        let first = try (0..<3).map { _ in try CipherIV(random.bytes(16)) }
        let cipher = try SegmentCipher(key: testKey)
        var (ivs, output) = (first, [[UInt8]](repeating: [], count: 3))
        for part in 0..<10 {
            let memory = clear.map { UnsafeMutableRawBufferPointer.allocate(byteCount: $0.count / 10, alignment: 1) }
            defer { for buffer in memory { buffer.deallocate() } }
            for (index, buffer) in memory.enumerated() {
                buffer.copyBytes(from: clear[index][part * buffer.count..<(part + 1) * buffer.count])
            }
            try cipher.encrypt(unsafeWholeBlocks: memory, ivs: &ivs)
            for (index, buffer) in memory.enumerated() { output[index] += buffer }
        }
        var whole = clear
        try cipher.encrypt(&whole, ivs: first)
        for index in 0..<3 {
            #expect(output[index] == Array(whole[index].dropLast(16)))
            #expect(ivs[index].bytes == Array(output[index].suffix(16)))
        }
        var empty = [UnsafeMutableRawBufferPointer(start: nil, count: 0)]
        var kept = [first[0]]
        try cipher.encrypt(unsafeWholeBlocks: empty, ivs: &kept)
        #expect(kept == [first[0]])
        empty = [.allocate(byteCount: 17, alignment: 1)]
        defer { empty[0].deallocate() }
        #expect(throws: SampleEncryptionError(.partialBlock)) {
            try cipher.encrypt(unsafeWholeBlocks: empty, ivs: &kept)
        }
    }

    @Test("Wrong sizes, invalid padding and wrong IVs are rejected")
    func refusals() throws {
        let iv = CipherIV(mediaSequenceNumber: 7)
        let short = try CipherIV([UInt8](repeating: 0, count: 8))
        let cipher = try SegmentCipher(key: testKey)
        for size in [0, 1, 15, 17, 31] {
            var segment = [UInt8](repeating: 0, count: size)
            #expect(throws: SampleEncryptionError(.damagedSegment)) { try cipher.decrypt(&segment, iv: iv) }
            #expect(throws: SampleEncryptionError(.damagedSegment)) { try stream(.decrypt, segment, iv, part: 99) }
        }
        for ending in [[0], [17], [1, 2], [3, 2, 3]] as [[UInt8]] {
            var segment = try AES128.encryptCBC(
                [UInt8](repeating: 9, count: 32 - ending.count) + ending,
                key: testKey,
                iv: iv.bytes
            )
            let copy = segment
            #expect(throws: SampleEncryptionError(.damagedSegment)) { try cipher.decrypt(&segment, iv: iv) }
            #expect(throws: SampleEncryptionError(.damagedSegment)) { try stream(.decrypt, copy, iv, part: 99) }
        }
        var segments: [[UInt8]] = [[1], [2]]
        for ivs in [[], [iv], [iv, iv, iv], [iv, short]] {
            #expect(throws: SampleEncryptionError(.invalidIV)) { try cipher.encrypt(&segments, ivs: ivs) }
        }
        #expect(segments == [[1], [2]])
        var segment = [UInt8](repeating: 0, count: 16)
        #expect(throws: SampleEncryptionError(.invalidIV)) { try cipher.decrypt(&segment, iv: short) }
        #expect(throws: SampleEncryptionError(.invalidIV)) { try stream(.encrypt, [], short, part: 1) }
        let wrongKey = SecretBytes(copying: [1, 2, 3])
        #expect(code { () throws(SampleEncryptionError) in _ = try SegmentCipher(key: wrongKey) } == .invalidKey)
        #expect(
            code { () throws(SampleEncryptionError) in _ = try SegmentStreamCipher(.encrypt, key: wrongKey, iv: iv) }
                == .invalidKey
        )
    }

    private func stream(
        _ direction: SampleCipher.Direction,
        _ bytes: [UInt8],
        _ iv: CipherIV,
        part: Int
    ) throws -> [UInt8] {
        var stream = try SegmentStreamCipher(direction, key: testKey, iv: iv)
        var output: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: part) {
            let end = min(start + part, bytes.count)
            try stream.append(bytes.span.bytes.extracting(start..<end), to: &output)
        }
        try stream.finish(to: &output)
        return output
    }
}
