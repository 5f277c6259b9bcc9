import ByteCoding
import FPSCrypto
import MediaFormats
import Packager
import SampleEncryption
import Testing

@Suite("Audio segments")
struct AudioOutputTests {
    /// Returns the samples as ADTS frames.
    private func adtsFrames(_ input: TestTrack) throws -> [[UInt8]] {
        guard case .aac(let bytes) = input.track.format else { return [] }
        let framing = try ADTSFraming(try AudioSpecificConfig(bytes.span.bytes))
        return try input.samples.indices.map { index in
            var frame: [UInt8] = []
            let sample = input.bytes(index)
            try framing.append(sample.span.bytes, to: &frame)
            return frame
        }
    }

    @Test("in transport streams have several frames in a packet, of at most 0.1 s")
    func transportStream() throws {
        let input = try TestTrack.fixture("soun")
        let writer = try TransportStreamWriter(input.track, protection: nil)
        let written = try write(input.segments(of: 9), with: writer)
        #expect(written.keyFrames.joined().isEmpty)
        let list = try PacketList(written.bytes)
        #expect(list.breaks == 0)
        #expect(list.headers.count { $0.pid == 0x1000 } == written.segments.count)
        let steps = zip(list.clocks, list.clocks.dropFirst()).map { $1 &- $0 }
        #expect(steps.allSatisfy { (1...2_700_000).contains($0) })
        let (packets, map, damage) = try demux(written.bytes)
        #expect(damage == 0)
        #expect(map?.streams.map(\.type) == [.aac])
        #expect(map?.pcrPID == 0x101)
        // 1024 samples at 22,050 Hz last 46 ms: two fit, and in segments of nine one remains.
        let frames = try adtsFrames(input)
        var expected: [(first: Int, frames: [UInt8])] = []
        for start in stride(from: 0, to: frames.count, by: 9) {
            for first in stride(from: start, to: min(start + 9, frames.count), by: 2) {
                let end = min(first + 2, start + 9, frames.count)
                expected.append((first, frames[first..<end].flatMap { $0 }))
            }
        }
        #expect(packets.map(\.payload) == expected.map(\.frames))
        let times = expected.map { input.timestamp(input.samples[$0.first].presentationTime) }
        #expect(packets.compactMap(\.presentationTime) == times)
    }

    @Test("as packed audio start with a tag that contains the timestamp")
    func packed() throws {
        var input = try TestTrack.fixture("soun")
        // Priming removed by the edit list is before the start of the presentation.
        input.track.timing = TrackTiming(timescale: 22_050, mediaTime: 1024, delay: 0)
        let writer = try PackedAudioWriter(input.track, protection: nil)
        #expect(writer.fileExtension == "aac")
        let written = try write(input.segments(of: 9), with: writer)
        let frames = try adtsFrames(input)
        for (index, segment) in written.segments.enumerated() {
            var reader = ByteReader(segment.span.bytes)
            let tag = try ID3Tag(reading: &reader)
            let time = input.timestamp(input.samples[index * 9].presentationTime)
            #expect(try tag.timestamp() == UInt64(time))
            #expect(try tag.audioSetup() == nil)
            let expected: [UInt8] = frames[(index * 9)...].prefix(9).flatMap { $0 }
            #expect(Array(segment[reader.offset...]) == expected)
        }
        let start = written.segments[0]
        var reader = ByteReader(start.span.bytes)
        let first = try ID3Tag(reading: &reader).timestamp()
        #expect(first == 900_000 - 4180)
    }

    /// An E-AC-3 syncframe of six blocks of stereo at 48 kHz, with the type and number of its substream.
    private func syncframe(size: Int, type: UInt8, _ generator: inout TestGenerator) -> [UInt8] {
        let words = UInt16(size / 2 - 1)
        let header: [UInt8] = [0x0B, 0x77, type << 6 | UInt8(words >> 8), UInt8(words & 255), 0x34, 0x86, 0x40]
        // Zeros: there is nothing more to parse.
        return header + [UInt8](repeating: 0, count: 25)
            + (header.count + 25..<size).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }

    @Test("of E-AC-3 are encrypted by syncframes, whose chain continues within a sample")
    func enhancedAC3() throws {
        var generator = TestGenerator(state: 5)
        var input = try TestTrack.fixture("soun")
        let samples = (0..<4).map { _ in
            [syncframe(size: 250, type: 0, &generator), syncframe(size: 132, type: 1, &generator)]
        }
        let first = samples[0].flatMap { $0 }
        let configuration = try EnhancedAC3ConfigurationBox(accessUnit: first.span.bytes)
        input.track.format = .enhancedAC3
        input.track.sampleEntry = SampleEntry.ec3(configuration)
        input.track.timescale = 48_000
        input.track.timing = TrackTiming(timescale: 48_000)
        input.samples = samples.enumerated().map { index, frames in
            let bytes = frames.flatMap { $0 }
            return MediaSample(
                bytes: BufferedBytes(bytes),
                offset: 0,
                size: bytes.count,
                decodeTime: Int64(index) * 1536,
                duration: 1536
            )
        }
        let protection = try testProtection(.sampleAES)
        let segment = input.segment(0, 0..<4, isProtected: true)
        let packed = try PackedAudioWriter(input.track, protection: protection)
        #expect(packed.fileExtension == "ec3")
        let bytes = try write([segment], with: packed).bytes
        var reader = ByteReader(bytes.span.bytes)
        let setup = try ID3Tag(reading: &reader).audioSetup()
        #expect(setup == AudioSetupInformation(configuration))

        // Computed manually: 16 bytes of each syncframe clear, whole blocks in one chain for each sample.
        var expected: [UInt8] = []
        for sample in samples {
            let blocks: [ArraySlice<UInt8>] = sample.map { $0[16...].prefix(($0.count - 16) / 16 * 16) }
            let joined: [UInt8] = blocks.flatMap { $0 }
            let chain = try AES128.encryptCBC(joined, key: protection.key, iv: testIV)
            var taken = 0
            for (frame, block) in zip(sample, blocks) {
                expected += frame[..<16]
                expected += chain[taken..<taken + block.count]
                expected += frame[(16 + block.count)...]
                taken += block.count
            }
        }
        #expect(Array(bytes[reader.offset...]) == expected)

        let writer = try TransportStreamWriter(input.track, protection: protection)
        let (packets, map, _) = try demux(try write([segment], with: writer).bytes)
        #expect(map?.streams.map(\.type) == [.encryptedEAC3])
        #expect(packets.flatMap(\.payload) == expected)
        // 32 ms each: three per packet.
        #expect(packets.count == 2)
    }

    @Test("are rejected if a sample is too large, or the track is not audio")
    func refusals() throws {
        var input = try TestTrack.fixture("soun")
        let video = try TestTrack.fixture("vide").track
        #expect(throws: OutputFailure.self) { try PackedAudioWriter(video, protection: nil) }
        input.track.format = .ac3
        input.samples = [
            MediaSample(
                bytes: BufferedBytes([UInt8](repeating: 1, count: 70_000)),
                offset: 0,
                size: 70_000,
                decodeTime: 0,
                duration: 1536
            )
        ]
        let writer = try TransportStreamWriter(input.track, protection: nil)
        #expect(throws: OutputFailure.self) { try writer.write(input.segment(0, 0..<1), to: MemoryOutput()) }
        // Without a syncword, a frame cannot be encrypted.
        input.samples[0].size = 100
        let encrypting = try PackedAudioWriter(input.track, protection: testProtection(.sampleAES))
        #expect(throws: ParseError.self) {
            try encrypting.write(input.segment(0, 0..<1, isProtected: true), to: MemoryOutput())
        }
    }
}
