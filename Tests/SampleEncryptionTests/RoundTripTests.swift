import FPSCrypto
import SampleEncryption
import Testing

@Suite("Sample encryption: properties of random samples")
struct RoundTripTests {
    /// A batch of random samples in a buffer, and the bytes that can change.
    struct Made {
        var batch = SampleBatch()
        var samples: [(offset: Int, size: Int, subsamples: [Subsample]?, iv: CipherIV)] = []
        var bytes: [UInt8] = []
        var isProtected: [Bool] = []

        init(_ scheme: ProtectionScheme, _ random: inout SeededRandom) throws {
            for _ in 0..<Int.random(in: 1...20, using: &random) {
                // Odd gaps, so that samples are not aligned.
                append(Int.random(in: 0...5, using: &random), false, &random)
                let (offset, size) = (bytes.count, Int.random(in: 0...5000, using: &random))
                let iv = try CipherIV(random.bytes(16))
                guard Int.random(in: 0..<3, using: &random) > 0 else {
                    append(size, true, &random)
                    batch.append(offset: offset, size: size, iv: iv)
                    samples.append((offset, size, nil, iv))
                    continue
                }
                var (left, list) = (size, [Subsample]())
                while left > 0, list.count < 12 {
                    let clear = Int.random(in: 0...min(left, 60), using: &random)
                    var protected = Int.random(in: 0...(left - clear), using: &random)
                    if scheme == .cbc1 { protected &= ~15 }
                    append(clear, false, &random)
                    append(protected, true, &random)
                    list.append(Subsample(clear: clear, protected: protected))
                    left -= clear + protected
                }
                append(left, false, &random)
                batch.append(offset: offset, size: size, subsamples: list, iv: iv)
                samples.append((offset, size, list, iv))
            }
        }

        private mutating func append(_ count: Int, _ mayChange: Bool, _ random: inout SeededRandom) {
            let start = bytes.count
            bytes += random.bytes(count)
            isProtected += repeatElement(mayChange, count: count)
            // Half of all units are slices.
            if count > 0, Bool.random(using: &random) { bytes[start] = 0x65 }
        }
    }

    @Test("Decryption reverses encryption, and clear bytes never change", arguments: allSchemes, UInt64(0)..<5)
    func roundTrip(scheme: ProtectionScheme, seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let made = try Made(scheme, &random)
        var bytes = made.bytes
        try SampleCipher(scheme, .encrypt, key: testKey).process(made.batch, in: &bytes)
        #expect(zip(zip(bytes, made.bytes), made.isProtected).allSatisfy { $1 || $0.0 == $0.1 })
        #expect(bytes != made.bytes)
        try SampleCipher(scheme, .decrypt, key: testKey).process(made.batch, in: &bytes)
        #expect(bytes == made.bytes)
    }

    @Test(
        "Encryption from one buffer to another equals a copy followed by encryption in place",
        arguments: allSchemes,
        0..<5
    )
    func intoAnotherBuffer(scheme: ProtectionScheme, seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let made = try Made(scheme, &random)
        var (input, moved) = (random.bytes(7), SampleBatch())
        for entry in made.samples {
            let source = input.count
            input += made.bytes[entry.offset..<entry.offset + entry.size] + random.bytes(3)
            if let list = entry.subsamples {
                moved.append(offset: entry.offset, source: source, size: entry.size, subsamples: list, iv: entry.iv)
            } else {
                moved.append(offset: entry.offset, source: source, size: entry.size, iv: entry.iv)
            }
        }
        // Bytes between samples must not change.
        var (expected, bytes) = (made.bytes, made.bytes)
        for entry in made.samples {
            bytes.replaceSubrange(entry.offset..<entry.offset + entry.size, with: random.bytes(entry.size))
        }
        let cipher = try SampleCipher(scheme, .encrypt, key: testKey)
        try cipher.process(made.batch, in: &expected)
        var span = bytes.mutableSpan
        var output = span.mutableBytes
        try cipher.process(moved, from: input.span.bytes, to: &output)
        #expect(bytes == expected)
    }

    @Test("A batch of samples equals the same samples one by one", arguments: allSchemes)
    func batches(scheme: ProtectionScheme) throws {
        var random = SeededRandom(seed: 3)
        let sizes = (0..<40).map { _ in Int.random(in: 0...900, using: &random) }
        let iv = try CipherIV(random.bytes(16))
        let cipher = try SampleCipher(scheme, .encrypt, key: testKey, constantIV: iv)
        let samples = sizes.map { [0x65] + random.bytes($0) }
        var (together, batch) = ([UInt8](), SampleBatch())
        var apart: [[UInt8]] = []
        for sample in samples {
            var one = SampleBatch()
            one.append(offset: 0, size: sample.count)
            var bytes = sample
            try cipher.process(one, in: &bytes)
            apart.append(bytes)
            batch.append(offset: together.count, size: sample.count)
            together += sample
        }
        try cipher.process(batch, in: &together)
        #expect(together == Array(apart.joined()))
        #expect(batch.count == 40)
        batch.removeAll()
        #expect(batch.isEmpty)
        let copy = together
        try cipher.process(batch, in: &together)
        #expect(together == copy)
    }

    @Test("NAL units with any bytes are restored", arguments: 0..<300)
    func nalUnits(size: Int) throws {
        var random = SeededRandom(seed: UInt64(size))
        let iv = try CipherIV(random.bytes(16))
        let encryption = try SampleCipher(.sampleAES(.h264), .encrypt, key: testKey, constantIV: iv)
        let decryption = try SampleCipher(.sampleAES(.h264), .decrypt, key: testKey, constantIV: iv)
        // Many zeros and bytes that require escaping; the last byte is never zero.
        var unit = (0..<size).map { _ in UInt8.random(in: 0...4, using: &random) }
        if size > 0 { (unit[0], unit[size - 1]) = (0x61, 0x80) }
        var (sealed, opened): ([UInt8], [UInt8]) = ([], [])
        try encryption.appendNALUnit(unit.span.bytes, to: &sealed)
        try decryption.appendNALUnit(sealed.span.bytes, to: &opened)
        #expect(opened == unit)
        guard size > 48 else {
            #expect(sealed == unit)
            return
        }
        // The NAL unit contains no start code, and no bytes that could be one.
        #expect(!(2..<sealed.count).contains { sealed[$0 - 2] == 0 && sealed[$0 - 1] == 0 && sealed[$0] < 3 })
    }
}
