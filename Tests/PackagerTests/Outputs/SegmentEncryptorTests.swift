import FPSCrypto
import MediaFormats
import Packager
import SampleEncryption
import Testing

@Suite("Segments encrypted with AES-128")
struct SegmentEncryptorTests {
    /// 40 segments of one to three samples of up to 200 kB each.
    private func input() throws -> (TestTrack, [TrackSegment]) {
        var generator = TestGenerator(state: 6)
        let input = try TestTrack.video(
            (0..<80).map { index in
                [
                    slice(
                        index % 2 == 0 ? 5 : 1,
                        size: index == 30 ? 200_000 : index * index * 37 % 30_000 + 1,
                        zeros: false,
                        &generator
                    )
                ]
            }
        )
        var segments: [TrackSegment] = []
        var start = 0
        while start < input.samples.count {
            let end = min(start + 1 + segments.count % 3, input.samples.count)
            segments.append(input.segment(segments.count, start..<end, isProtected: true))
            start = end
        }
        return (input, segments)
    }

    private func encrypt(
        _ segments: [TrackSegment],
        _ writer: any SegmentWriter,
        iv: [UInt8]?
    ) throws -> (outputs: [MemoryOutput], written: [Int], keyFrames: [[KeyFrame]]) {
        let encryptor = try SegmentEncryptor(writer, protection: try testProtection(.aes128, iv: iv))
        let outputs = segments.map { _ in MemoryOutput() }
        var (written, keyFrames): ([Int], [[KeyFrame]]) = ([], [])
        for (segment, output) in zip(segments, outputs) {
            try encryptor.add(segment, to: output) {
                written.append(segment.index)
                keyFrames.append($0)
            }
            #expect(segment.index - written.count < SegmentEncryptor.maximumConcurrentSegments)
        }
        try encryptor.flush()
        return (outputs, written, keyFrames)
    }

    /// A wrapper of another writer that does not support incremental segments.
    private final class PlainWriter: SegmentWriter {
        let writer: any SegmentWriter
        init(_ writer: any SegmentWriter) { self.writer = writer }
        var encryptionCount: EncryptionCount { writer.encryptionCount }
        var fileExtension: String { writer.fileExtension }
        func change(to protection: TrackProtection, systems: [ProtectionSystemHeaderBox]) {}

        func initialization(isProtected: Bool, first: TrackSegment) throws -> [UInt8]? { nil }
        func write(_ segment: TrackSegment, to output: any SegmentOutput) throws -> [KeyFrame] {
            try writer.write(segment, to: output)
        }
    }

    @Test("are identical to the padded and encrypted output, each with its IV", arguments: [true, false])
    func decrypts(isStepped: Bool) throws {
        let (input, segments) = try input()
        let clear = try write(segments, with: try TransportStreamWriter(input.track, protection: nil))
        for iv in [nil, testIV] {
            let protection = try testProtection(.aes128)
            let writer = try TransportStreamWriter(input.track, protection: protection)
            let result = try encrypt(segments, isStepped ? writer : PlainWriter(writer), iv: iv)
            #expect(result.written == Array(segments.indices))
            #expect(result.keyFrames == clear.keyFrames)
            for (index, output) in result.outputs.enumerated() {
                let number: [UInt8] = [UInt8](repeating: 0, count: 15) + [UInt8(index)]
                let padding = 16 - clear.segments[index].count % 16
                let padded = clear.segments[index] + [UInt8](repeating: UInt8(padding), count: padding)
                let expected = try AES128.encryptCBC(
                    padded,
                    key: protection.key,
                    iv: iv ?? number
                )
                let isEqual = output.bytes == expected
                #expect(isEqual, "segment \(index)")
            }
        }
    }

    @Test("of packed audio are too, whose sizes are not multiples of packets")
    func audio() throws {
        let input = try TestTrack.fixture("soun")
        let segments = input.segments(of: 1, isProtected: true)
        let clear = try write(segments, with: try PackedAudioWriter(input.track, protection: nil)).segments
        let protection = try testProtection(.aes128)
        let outputs = try encrypt(segments, try PackedAudioWriter(input.track, protection: protection), iv: testIV)
            .outputs
        let cipher = try SegmentCipher(key: protection.key)
        for (output, clear) in zip(outputs, clear) {
            var bytes = output.bytes
            try cipher.decrypt(&bytes, iv: try CipherIV(testIV))
            #expect(bytes == clear)
        }
        #expect(Set(clear.map { $0.count % 16 }).count > 3)
    }

    @Test("leave a clear lead clear")
    func clearLead() throws {
        let (input, segments) = try input()
        var lead = segments
        for index in 0..<2 { lead[index].isProtected = false }
        let clear = try write(segments, with: try TransportStreamWriter(input.track, protection: nil)).segments
        let protection = try testProtection(.aes128)
        let result = try encrypt(lead, try TransportStreamWriter(input.track, protection: protection), iv: nil)
        #expect(result.outputs.prefix(2).map(\.bytes) == Array(clear[..<2]))
        #expect(result.outputs[2].bytes.count == SegmentCipher.encryptedSize(of: clear[2].count))
        #expect(result.written == Array(segments.indices))
    }

    @Test("buffer no more bytes than the limit")
    func gathered() throws {
        var (input, _) = try input()
        let unit: [UInt8] = [0, 0x9F, 0xFF, 0xFC, 0x41] + [UInt8](repeating: 7, count: 0x9FFFFB)
        let large = MediaSample(
            bytes: BufferedBytes(unit),
            offset: 0,
            size: 0xA00000,
            decodeTime: 0,
            duration: 1
        )
        input.samples = [large, large, large]
        let protection = try testProtection(.aes128)
        let writer = try TransportStreamWriter(input.track, protection: protection)
        let encryptor = try SegmentEncryptor(writer, protection: protection)
        var written: [Int] = []
        // 10 MiB each: the second would exceed 16 MiB, so the first is written before it is added.
        let expectations: [[Int]] = [[], [0], [0, 1]]
        for (index, expected) in expectations.enumerated() {
            try encryptor.add(input.segment(index, index..<index + 1, isProtected: true), to: MemoryOutput()) { _ in
                written.append(index)
            }
            #expect(written == expected)
        }
        try encryptor.flush()
        #expect(written == [0, 1, 2])
    }
}
