import FPSCrypto
import SampleEncryption
import Testing

@Suite("Sample encryption: rejected input")
struct RefusalTests {
    static let iv = CipherIV(mediaSequenceNumber: 1)

    /// Samples of 100 bytes, as offset and size.
    static let wrongSamples: [([(Int, Int)], SampleEncryptionError.Code)] = [
        ([(0, 101)], .outOfBounds), ([(101, 0)], .outOfBounds), ([(-1, 1)], .outOfBounds), ([(0, -1)], .outOfBounds),
        ([(.max, 1)], .outOfBounds), ([(1, .max)], .outOfBounds), ([(.min, .max)], .outOfBounds),
        ([(0, 50), (49, 10)], .overlap), ([(50, 50), (0, 50)], .overlap), ([(0, 50), (0, 50)], .overlap),
    ]

    /// Subsamples of a sample of 100 bytes in a buffer of 300 bytes.
    static let wrongSubsamples: [[(Int, Int)]] = [
        [(0, 101)], [(101, 0)], [(1, 100)], [(-1, 10)], [(10, -1)], [(.max, 1)], [(1, .max)], [(.max, .max)],
        [(.min, .max)], [(50, 40), (10, 1)], [(-100, 150)], [(0, 100), (0, 0), (1, 0)], [(0, -16), (0, 32)],
    ]

    @Test("Samples that overlap, are out of order or exceed the buffer", arguments: allSchemes)
    func samples(scheme: ProtectionScheme) throws {
        let cipher = try SampleCipher(scheme, .decrypt, key: testKey, constantIV: Self.iv)
        for (samples, expected) in Self.wrongSamples {
            var (batch, bytes) = (SampleBatch(), [UInt8](repeating: 1, count: 100))
            for (offset, size) in samples { batch.append(offset: offset, size: size) }
            #expect(code { () throws(SampleEncryptionError) in try cipher.process(batch, in: &bytes) } == expected)
            #expect(bytes == [UInt8](repeating: 1, count: 100))
        }
    }

    @Test("Samples that exceed the input buffer", arguments: allSchemes)
    func sources(scheme: ProtectionScheme) throws {
        let cipher = try SampleCipher(scheme, .encrypt, key: testKey, constantIV: Self.iv)
        let input = [UInt8](repeating: 2, count: 100)
        for (source, size) in [(0, 101), (1, 100), (101, 0), (-1, 1), (.max, 1), (.min, 1), (100, 1)] {
            var (batch, bytes) = (SampleBatch(), [UInt8](repeating: 1, count: 300))
            batch.append(offset: 0, size: 50)
            batch.append(offset: 50, source: source, size: size)
            var span = bytes.mutableSpan
            var output = span.mutableBytes
            let refused = code { () throws(SampleEncryptionError) in
                try cipher.process(batch, from: input.span.bytes, to: &output)
            }
            #expect(refused == .outOfBounds)
            #expect(bytes == [UInt8](repeating: 1, count: 300))
        }
    }

    @Test("Subsamples that exceed their sample", arguments: allSchemes)
    func subsamples(scheme: ProtectionScheme) throws {
        let cipher = try SampleCipher(scheme, .encrypt, key: testKey, constantIV: Self.iv)
        for list in Self.wrongSubsamples {
            var (batch, bytes) = (SampleBatch(), [UInt8](repeating: 1, count: 300))
            batch.append(offset: 0, size: 100)
            let list = list.map { Subsample(clear: $0.0, protected: $0.1) }
            batch.append(offset: 100, size: 100, subsamples: list)
            // cbc1 also rejects partial blocks; either error can be first.
            let refused = code { () throws(SampleEncryptionError) in try cipher.process(batch, in: &bytes) }
            #expect(refused == .outOfBounds || (scheme == .cbc1 && refused == .partialBlock))
            #expect(bytes == [UInt8](repeating: 1, count: 300))
        }
    }

    @Test("Random lists throw an error or do not change bytes outside of the sample", arguments: allSchemes)
    func randomLists(scheme: ProtectionScheme) throws {
        var random = SeededRandom(seed: 9)
        let cipher = try SampleCipher(scheme, .encrypt, key: testKey, constantIV: Self.iv)
        for _ in 0..<300 {
            var (batch, bytes) = (SampleBatch(), [UInt8](repeating: 1, count: 300))
            let list = (0..<Int.random(in: 0...6, using: &random)).map { _ in
                Subsample(
                    clear: Int.random(in: -2...40, using: &random),
                    protected: Int.random(in: -2...120, using: &random)
                )
            }
            batch.append(offset: 100, size: 100, subsamples: list)
            try? cipher.process(batch, in: &bytes)
            #expect(bytes[..<100].allSatisfy { $0 == 1 } && bytes[200...].allSatisfy { $0 == 1 })
        }
    }

    @Test("cbc1 accepts only whole blocks")
    func partialBlocks() throws {
        let cipher = try SampleCipher(.cbc1, .decrypt, key: testKey, constantIV: Self.iv)
        for size in [1, 15, 17, 31] {
            var (batch, bytes) = (SampleBatch(), [UInt8](repeating: 1, count: 100))
            batch.append(offset: 0, size: 100, subsamples: [Subsample(clear: 0, protected: size)])
            #expect(code { () throws(SampleEncryptionError) in try cipher.process(batch, in: &bytes) } == .partialBlock)
        }
    }

    @Test("Keys and IVs of wrong sizes, and samples without an IV", arguments: allSchemes)
    func keysAndIVs(scheme: ProtectionScheme) throws {
        let short = try CipherIV([UInt8](repeating: 0, count: 8))
        let counts = [.cenc, .cens(.video)].contains(scheme) || "\(scheme)".hasPrefix("cens")
        let expected: SampleEncryptionError.Code? = counts ? nil : .invalidIV
        #expect(
            code { () throws(SampleEncryptionError) in
                _ = try SampleCipher(scheme, .encrypt, key: testKey, constantIV: short)
            } == expected
        )
        for size in [0, 15, 17, 32] {
            let key = SecretBytes(copying: [UInt8](repeating: 0, count: size))
            #expect(
                code { () throws(SampleEncryptionError) in _ = try SampleCipher(scheme, .encrypt, key: key) }
                    == .invalidKey
            )
        }
        let cipher = try SampleCipher(scheme, .encrypt, key: testKey)
        for iv in [nil, short] {
            var (batch, bytes) = (SampleBatch(), [UInt8](repeating: 1, count: 100))
            batch.append(offset: 0, size: 100, iv: iv)
            let refused = code { () throws(SampleEncryptionError) in try cipher.process(batch, in: &bytes) }
            #expect(refused == (iv == nil ? .invalidIV : expected))
        }
        for size in [0, 1, 7, 9, 15, 17, 32] {
            #expect(throws: SampleEncryptionError(.invalidIV)) {
                try CipherIV([UInt8](repeating: 0, count: size))
            }
        }
    }

    @Test("Patterns that tenc cannot represent")
    func patterns() {
        for (crypt, skip) in [(16, 0), (0, 16), (-1, 9), (1, -9), (0, 1), (.max, .max)] {
            #expect(throws: SampleEncryptionError(.invalidPattern)) {
                try EncryptionPattern(cryptBlocks: crypt, skipBlocks: skip)
            }
        }
        #expect((try? EncryptionPattern(cryptBlocks: 1, skipBlocks: 9)) == .video)
        #expect((try? EncryptionPattern(cryptBlocks: 0, skipBlocks: 0)) == .wholeBlocks)
    }

    @Test("Single NAL units with a scheme other than SAMPLE-AES")
    func nalUnits() throws {
        let cipher = try SampleCipher(.cbcsVideo, .encrypt, key: testKey, constantIV: Self.iv)
        var output: [UInt8] = []
        let unit = [UInt8](repeating: 0x65, count: 100)
        #expect(throws: SampleEncryptionError(.unsupported)) { try cipher.appendNALUnit(unit.span.bytes, to: &output) }
        #expect(output.isEmpty)
    }

    @Test("Descriptions do not contain an IV")
    func printing() throws {
        let iv = try CipherIV([UInt8](repeating: 0xab, count: 16))
        var dumped = ""
        dump(iv, to: &dumped)
        for text in ["\(iv)", iv.debugDescription, dumped, "\(Optional(iv) as Any)"] {
            #expect(!text.contains("171") && !text.lowercased().contains("abab"))
        }
        #expect("\(iv)" == "CipherIV(16 bytes)")
        #expect(SampleEncryptionError(.overlap, index: 3, reason: "why").description == "overlap at 3: why")
    }
}
