import SampleEncryption
import Testing

@Suite("Sample encryption: vectors of a second implementation")
struct VectorTests {
    @Test("All test vectors exist")
    func count() { #expect(SampleVector.all.count == 55) }

    @Test("Samples are encrypted and decrypted as in the test vectors", arguments: SampleVector.all)
    func samples(vector: SampleVector) throws {
        // NAL units change their size and segments are padded; see the tests below.
        guard let scheme = try vector.protectionScheme(), scheme != .sampleAES(.h264) else { return }
        // Three samples with different IVs and bytes between them that must not change; then one IV for all.
        let zero = try CipherIV([UInt8](repeating: 0, count: 16))
        for iv in [vector.iv, nil] {
            for (direction, input, output) in [
                (SampleCipher.Direction.encrypt, vector.clear, vector.protected),
                (.decrypt, vector.protected, vector.clear),
            ] {
                let cipher = try SampleCipher(
                    scheme,
                    direction,
                    key: vector.key,
                    constantIV: iv == nil ? vector.iv : zero
                )
                var (batch, bytes, expected) = (SampleBatch(), [UInt8](), [UInt8]())
                for gap in 1...3 {
                    let offset = bytes.count + gap
                    if vector.subsamples.isEmpty {
                        batch.append(offset: offset, size: input.count, iv: iv)
                    } else {
                        batch.append(offset: offset, size: input.count, subsamples: vector.subsamples, iv: iv)
                    }
                    bytes += [UInt8](repeating: 0xee, count: gap) + input
                    expected += [UInt8](repeating: 0xee, count: gap) + output
                }
                try cipher.process(batch, in: &bytes)
                #expect(bytes == expected)
            }
        }
    }

    @Test("NAL units are encrypted and escaped as in the test vectors", arguments: SampleVector.all)
    func nalUnits(vector: SampleVector) throws {
        guard try vector.protectionScheme() == .sampleAES(.h264) else { return }
        for (direction, input, output) in [
            (SampleCipher.Direction.encrypt, vector.clear, vector.protected),
            (.decrypt, vector.protected, vector.clear),
        ] {
            let cipher = try SampleCipher(.sampleAES(.h264), direction, key: vector.key, constantIV: vector.iv)
            var bytes: [UInt8] = [9]
            try cipher.appendNALUnit(input.span.bytes, to: &bytes)
            try cipher.appendNALUnit(input.span.bytes, to: &bytes)
            #expect(bytes == [9] + output + output)
        }
    }

    @Test("Segments are encrypted and decrypted as in the test vectors", arguments: SampleVector.all)
    func segments(vector: SampleVector) throws {
        guard try vector.protectionScheme() == nil else { return }
        let cipher = try SegmentCipher(key: vector.key)
        var segments = [[UInt8]](repeating: vector.clear, count: 70)
        try cipher.encrypt(&segments, ivs: [CipherIV](repeating: vector.iv, count: 70))
        #expect(segments == [[UInt8]](repeating: vector.protected, count: 70))
        var segment = vector.protected
        try cipher.decrypt(&segment, iv: vector.iv)
        #expect(segment == vector.clear)
        #expect(SegmentCipher.encryptedSize(of: vector.clear.count) == vector.protected.count)
    }
}
