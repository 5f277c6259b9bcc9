import ByteCoding
import FPSCrypto
import MediaFormats
import Packager
import SampleEncryption
import Testing

@Suite("Segments encrypted with SAMPLE-AES")
struct SampleAESOutputTests {
    @Test("decrypt to the original NAL units, including escaped and short ones")
    func video() throws {
        var generator = TestGenerator(state: 3)
        let sizes = [1, 2, 47, 48, 49, 50, 64, 65, 66, 225, 226, 1000, 40_000, 70_000, 200_000]
        let input = try TestTrack.video(
            sizes.map { size in
                [
                    slice(5, size: size, zeros: true, &generator), slice(6, size: 100, zeros: false, &generator),
                    slice(1, size: size, zeros: false, &generator), slice(2, size: 200, zeros: true, &generator),
                ]
            }
        )
        let protection = try testProtection(.sampleAES)
        let writer = try TransportStreamWriter(input.track, protection: protection)
        let written = try write(input.segments(of: 6, isProtected: true), with: writer)
        let (packets, map, damage) = try demux(written.bytes)
        #expect(damage == 0)
        #expect(map?.streams.map(\.type) == [.encryptedH264])
        let indicator = TransportDescriptor(
            tag: TransportDescriptor.privateDataIndicator,
            content: Array("zavc".utf8)
        )
        #expect(map?.streams[0].descriptors == [indicator])
        let cipher = try SampleCipher(
            .sampleAES(.h264),
            .decrypt,
            key: protection.key,
            constantIV: protection.iv
        )
        #expect(packets.count == sizes.count)
        for (index, packet) in packets.enumerated() {
            let clear = nalUnits(try input.accessUnit(index))
            let encrypted = nalUnits(packet.payload)
            #expect(encrypted.count == clear.count)
            for (clear, encrypted) in zip(clear, encrypted) {
                let isEncrypted = [1, 5].contains(clear[0] & 31) && clear.count > 48
                let isChanged = encrypted != clear
                #expect(isChanged == isEncrypted)
                var decrypted: [UInt8] = []
                try cipher.appendNALUnit(encrypted.span.bytes, to: &decrypted)
                let isEqual = decrypted == clear
                #expect(isEqual, "\(clear.count) bytes of sample \(index)")
            }
        }
    }

    @Test("have other tables after a clear lead")
    func clearLead() throws {
        let protection = try testProtection(.sampleAES)
        for kind: FourCC in ["vide", "soun"] {
            let input = try TestTrack.fixture(kind)
            var segments = input.segments(of: 5)
            for index in segments.indices.dropFirst() { segments[index].isProtected = true }
            let writer = try TransportStreamWriter(input.track, protection: protection)
            let written = try write(segments, with: writer)
            let list = try PacketList(written.bytes)
            #expect(list.breaks == 0)
            let first = try demux(written.segments[0])
            #expect(first.map?.streams.map(\.type) == [kind == "vide" ? .h264 : .aac])
            #expect(first.map?.version == 0)
            let clear = try write([segments[0]], with: try TransportStreamWriter(input.track, protection: nil))
            #expect(written.segments[0] == clear.bytes)
            for segment in written.segments.dropFirst() {
                let second = try demux(segment)
                #expect(second.map?.streams.map(\.type) == [kind == "vide" ? .encryptedH264 : .encryptedAAC])
                #expect(second.map?.version == 1)
            }
        }
    }

    @Test("of AAC decrypt to the original frames, and describe the audio")
    func audio() throws {
        let input = try TestTrack.fixture("soun")
        guard case .aac(let bytes) = input.track.format else { return }
        let setup = AudioSetupInformation(try AudioSpecificConfig(bytes.span.bytes))
        let protection = try testProtection(.sampleAES)
        let writer = try TransportStreamWriter(input.track, protection: protection)
        let (packets, map, damage) = try demux(try write(input.segments(of: 9, isProtected: true), with: writer).bytes)
        #expect(damage == 0)
        #expect(map?.streams.map(\.type) == [.encryptedAAC])
        let descriptors = [
            TransportDescriptor(tag: TransportDescriptor.privateDataIndicator, content: Array("aacd".utf8)),
            try TransportDescriptor(setup),
        ]
        #expect(map?.streams[0].descriptors == descriptors)
        let expected = input.samples.indices.map(input.bytes)
        let decrypted = try decrypt(packets.flatMap(\.payload), protection)
        #expect(decrypted == expected)

        let packed = try PackedAudioWriter(input.track, protection: protection)
        let segments = try write(input.segments(of: 9, isProtected: true), with: packed).segments
        var frames: [[UInt8]] = []
        for segment in segments {
            var reader = ByteReader(segment.span.bytes)
            let tag = try ID3Tag(reading: &reader)
            #expect(try tag.audioSetup() == setup)
            frames += try decrypt(Array(segment[reader.offset...]), protection)
        }
        #expect(frames == expected)
    }

    /// Returns the access units of encrypted ADTS frames. At least one must have been encrypted.
    private func decrypt(_ stream: [UInt8], _ protection: TrackProtection) throws -> [[UInt8]] {
        let cipher = try SampleCipher(.sampleAES(.aac), .decrypt, key: protection.key, constantIV: protection.iv)
        var (units, offset, changed): ([[UInt8]], Int, Int) = ([], 0, 0)
        while offset < stream.count {
            let rest = Array(stream[offset...])
            let header = try ADTSHeader(rest.span.bytes)
            var unit = Array(stream[offset + header.size..<offset + header.frameLength])
            let encrypted = unit
            var batch = SampleBatch()
            batch.append(offset: 0, size: unit.count)
            try cipher.process(batch, in: &unit)
            #expect(encrypted.prefix(16) == unit.prefix(16))
            if encrypted != unit { changed += 1 }
            units.append(unit)
            offset += header.frameLength
        }
        #expect(changed > 0)
        return units
    }

    @Test("are rejected for HEVC, which can be clear or AES-128")
    func hevc() throws {
        var input = try TestTrack.fixture("vide")
        var reader = ByteReader(Self.hevcConfiguration.span.bytes)
        let configuration = try HEVCConfigurationBox(reading: &reader)
        input.track.format = .hevc(configuration)
        var failure: OutputFailure?
        do {
            _ = try TransportStreamWriter(input.track, protection: testProtection(.sampleAES))
        } catch let error as OutputFailure {
            failure = error
        }
        #expect(failure?.description.contains("fragmented MP4") == true)
        // An IDR picture and a non-IDR picture, each a slice of some bytes.
        let units: [[[UInt8]]] = [[[0x26, 0x01, 0xAF, 7]], [[0x02, 0x01, 0xD0, 8]]]
        var other = try TestTrack.video(units)
        other.track.format = .hevc(configuration)
        other.samples[0].isSync = true
        for protection in [nil, try testProtection(.aes128)] {
            let writer = try TransportStreamWriter(other.track, protection: protection)
            let (packets, map, _) = try demux(try write(other.segments(of: 2), with: writer).bytes)
            #expect(map?.streams.map(\.type) == [.hevc])
            let found = packets.map { nalUnits($0.payload) }
            let first: [[UInt8]] = [HEVCAccessUnit.delimiter, [0x40, 1, 9], [0x42, 1, 9], [0x44, 1, 9], units[0][0]]
            let second: [[UInt8]] = [HEVCAccessUnit.delimiter, units[1][0]]
            #expect(found == [first, second])
        }
    }

    /// The content of an `hvcC` box with three parameter sets, which are not parsed.
    private static let hevcConfiguration: [UInt8] =
        [1, 1, 0x60, 0, 0, 0, 0x90, 0, 0, 0, 0, 0, 93, 0xF0, 0, 0xFC, 0xFD, 0xF8, 0xF8, 0, 0, 0x0F, 3]
        + [0xA0, 0, 1, 0, 3, 0x40, 1, 9] + [0xA1, 0, 1, 0, 3, 0x42, 1, 9] + [0xA2, 0, 1, 0, 3, 0x44, 1, 9]
}
