import ByteCoding
import MediaFormats
import Testing

@Suite("AudioSpecificConfig")
struct AudioSpecificConfigTests {
    /// The expected properties of a configuration, in addition to its bytes.
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var bytes: [UInt8]
        var codecs: String
        var core: UInt32
        var output: UInt32
        var channels: Int?
        var frame: Int?

        init(
            _ description: String,
            _ bytes: [UInt8],
            _ codecs: String,
            _ core: UInt32,
            _ output: UInt32,
            _ channels: Int?,
            _ frame: Int?
        ) {
            testDescription = description
            self.bytes = bytes
            (self.codecs, self.core, self.output, self.channels, self.frame) = (codecs, core, output, channels, frame)
        }
    }

    static func bits(_ fields: [(Int, Int)]) -> [UInt8] {
        var bits = TestBits()
        for (value, width) in fields { bits.put(value, width) }
        return bits.bytes()
    }

    // The first two are what ffmpeg writes. No encoder here makes the others: they were put together from the tables
    // of the standard.
    static let cases = [
        Case("AAC-LC, stereo", [0x12, 0x10], "mp4a.40.2", 44100, 44100, 2, 1024),
        Case("AAC-LC, told not to have SBR", [0x11, 0x88, 0x56, 0xE5, 0], "mp4a.40.2", 48000, 48000, 1, 1024),
        Case("HE-AAC, hierarchical", [0x2B, 0x11, 0x88, 0], "mp4a.40.5", 24000, 48000, 2, 2048),
        Case("HE-AAC v2, hierarchical", [0xEB, 0x09, 0x88, 0], "mp4a.40.29", 24000, 48000, 2, 2048),
        Case(
            "HE-AAC, backward compatible",
            bits([(2, 5), (7, 4), (2, 4), (0, 3), (0x2B7, 11), (5, 5), (1, 1), (4, 4)]),
            "mp4a.40.5",
            22050,
            44100,
            2,
            2048
        ),
        Case(
            "HE-AAC v2, backward compatible",
            bits([(2, 5), (7, 4), (1, 4), (0, 3), (0x2B7, 11), (5, 5), (1, 1), (4, 4), (0x548, 11), (1, 1)]),
            "mp4a.40.29",
            22050,
            44100,
            2,
            2048
        ),
        Case(
            "HE-AAC without parametric stereo",
            bits([(2, 5), (7, 4), (1, 4), (0, 3), (0x2B7, 11), (5, 5), (1, 1), (4, 4), (0x548, 11), (0, 1)]),
            "mp4a.40.5",
            22050,
            44100,
            1,
            2048
        ),
        Case(
            "AAC-LC with a sample rate without an index",
            bits([(2, 5), (15, 4), (37800, 24), (6, 4), (0, 3)]),
            "mp4a.40.2",
            37800,
            37800,
            6,
            1024
        ),
        Case(
            "HE-AAC with both sample rates explicit",
            bits([(5, 5), (15, 4), (18900, 24), (3, 4), (15, 4), (37800, 24), (2, 5), (0, 3)]),
            "mp4a.40.5",
            18900,
            37800,
            3,
            2048
        ),
        Case("AAC-LC, 960 samples, 7.1", bits([(2, 5), (3, 4), (7, 4), (4, 3)]), "mp4a.40.2", 48000, 48000, 8, 960),
        Case("6.1", bits([(2, 5), (3, 4), (11, 4), (0, 3)]), "mp4a.40.2", 48000, 48000, 7, 1024),
        Case("22.2", bits([(2, 5), (3, 4), (13, 4), (0, 3)]), "mp4a.40.2", 48000, 48000, 24, 1024),
        Case("reserved channels", bits([(2, 5), (3, 4), (9, 4), (0, 3)]), "mp4a.40.2", 48000, 48000, nil, 1024),
        Case(
            "AAC-LTP on a core coder",
            bits([(4, 5), (3, 4), (2, 4), (1, 2), (1234, 14), (0, 1)]),
            "mp4a.40.4",
            48000,
            48000,
            2,
            1024
        ),
        Case(
            "AAC Low Delay, error resilient",
            bits([(23, 5), (3, 4), (2, 4), (1, 3), (5, 3), (0, 1), (0, 2)]),
            "mp4a.40.23",
            48000,
            48000,
            2,
            512
        ),
        Case(
            "AAC Scalable, layer 2",
            bits([(20, 5), (3, 4), (1, 4), (0, 3), (2, 3), (1, 2)]),
            "mp4a.40.20",
            48000,
            48000,
            1,
            1024
        ),
        Case(
            "HE-AAC above BSAC",
            bits([(5, 5), (6, 4), (1, 4), (3, 4), (22, 5), (2, 4), (1, 3), (17, 5), (300, 11), (0, 1), (0, 2)]),
            "mp4a.40.5",
            24000,
            48000,
            1,
            2048
        ),
        Case("MP3", bits([(31, 5), (2, 6), (4, 4), (2, 4), (0, 1)]), "mp4a.40.34", 44100, 44100, 2, 1152),
        Case(
            "xHE-AAC, preserved without parsing",
            bits([(31, 5), (10, 6), (3, 4), (2, 4)]) + [1, 2, 3, 4, 255],
            "mp4a.40.42",
            48000,
            48000,
            2,
            nil
        ),
        Case("AAC-LC with bytes behind", [0x12, 0x10, 0x7F, 0x80, 0x11], "mp4a.40.2", 44100, 44100, 2, 1024),
        Case("AAC-LC with a zero behind", [0x12, 0x10, 0], "mp4a.40.2", 44100, 44100, 2, 1024),
        Case("AAC-LC with a bit behind", [0x12, 0x11, 0x01], "mp4a.40.2", 44100, 44100, 2, 1024),
    ]

    @Test("is read and written again without changing a bit", arguments: cases)
    func roundTrip(example: Case) throws {
        let config = try AudioSpecificConfig(example.bytes.span.bytes)
        #expect(config.bytes == example.bytes)
        #expect(config.codecs == example.codecs)
        #expect(config.samplingFrequency.hertz == example.core)
        #expect(config.outputSampleRate == example.output)
        #expect(config.outputChannelCount == example.channels)
        #expect(config.outputFrameLength == example.frame)
        let again = try AudioSpecificConfig(config.bytes.span.bytes)
        #expect(again == config)
    }

    /// 7.1 channels in the elements of an MPEG file, with every optional field.
    static let element: [(Int, Int)] = [
        (3, 4), (1, 2), (3, 4), (2, 4), (1, 4), (1, 4), (1, 2), (1, 3), (1, 4), (1, 1), (7, 4), (1, 1), (8, 4),
        (1, 1), (5, 3), (0, 1), (0, 4), (1, 1), (0, 4), (1, 1), (1, 4), (1, 1), (2, 4), (0, 4), (9, 4), (1, 1), (6, 4),
    ]

    @Test("gets its channels from a program_config_element")
    func programConfig() throws {
        var bits = TestBits()
        for (value, width) in [(2, 5), (3, 4), (0, 4), (0, 3)] + Self.element { bits.put(value, width) }
        bits.put(0, -bits.bits.count & 7)
        for byte in [3] + Array("5.1".utf8) { bits.put(Int(byte), 8) }
        let bytes = bits.bytes()
        let config = try AudioSpecificConfig(bytes.span.bytes)
        #expect(config.bytes == bytes)
        #expect(config.outputChannelCount == 8)
        let element = try #require(config.generalAudio?.programConfig)
        #expect(element.front.map(\.flag) == [false, true])
        #expect(element.side == [.init(flag: true, tag: 1)])
        #expect(element.back == [.init(flag: true, tag: 2)])
        #expect(element.lowFrequency == [0])
        #expect(element.associatedData == [9])
        #expect(element.coupling == [.init(flag: true, tag: 6)])
        #expect([element.monoMixdown, element.stereoMixdown, element.matrixMixdown] == [7, 8, 5])
        #expect(element.comment == Array("5.1".utf8))
        for count in 0..<bytes.count {
            let part = Array(bytes[..<count])
            #expect(throws: ParseError(.truncated, reading: "", offset: 0)) {
                try AudioSpecificConfig(part.span.bytes)
            }
        }
        // Before a raw data block, the alignment of the same element is relative to the block.
        let prefix = element.rawDataBlockPrefix
        #expect(try ProgramConfigElement(rawDataBlock: prefix.span.bytes)?.channelCount == 8)
        #expect(prefix[0] >> 5 == 5)
        let other: [UInt8] = [0x20]
        #expect(try ProgramConfigElement(rawDataBlock: other.span.bytes) == nil)
    }

    @Test("is created as other packagers create it")
    func made() {
        #expect(
            AudioSpecificConfig(samplingFrequency: .init(hertz: 44100), channelConfiguration: 2).bytes == [0x12, 0x10]
        )
        let twice = AudioSpecificConfig.SpectralBandReplication(samplingFrequency: .init(hertz: 48000))
        let he = AudioSpecificConfig(
            samplingFrequency: .init(hertz: 24000),
            channelConfiguration: 2,
            signaling: .hierarchical(twice)
        )
        #expect(he.bytes == [0x2B, 0x11, 0x88, 0])
    }

    @Test("is rejected if it is truncated or contains a reserved value")
    func refused() {
        for bytes: [UInt8] in [[], [0x12], [0x2B, 0x11], [0xF8], [0x17, 0x80, 0xAC]] {
            #expect(throws: ParseError(.truncated, reading: "", offset: 0)) {
                try AudioSpecificConfig(bytes.span.bytes)
            }
        }
        // Type 0; index 13; 0 Hz.
        for bytes: [UInt8] in [[0x02, 0x10], [0x16, 0x90], [0x17, 0x80, 0, 0, 0x10]] {
            #expect(throws: ParseError(.invalidValue, reading: "", offset: 0)) {
                try AudioSpecificConfig(bytes.span.bytes)
            }
        }
    }

    @Test("accepts any bits, and writes what it has read")
    func anything() {
        var generator = SeededGenerator(state: 4)
        var count = 0
        for _ in 0..<20_000 {
            let size = Int.random(in: 0..<40, using: &generator)
            var bytes = (0..<size).map { _ in UInt8.random(in: 0...255, using: &generator) }
            // Most of them are of the AAC family.
            if size > 1, Bool.random(using: &generator) { (bytes[0], bytes[1]) = (0x11, bytes[1] & 0x87) }
            guard let config = try? AudioSpecificConfig(bytes.span.bytes) else { continue }
            count += 1
            #expect(config.bytes == bytes)
        }
        #expect(count > 5000)
    }

    @Test("is read from an mp4a sample entry and written to one")
    func sampleEntry() throws {
        let clip = try AudioFixture(name: "aac.mp4").bytes()
        let movie = try MovieFile(reading: clip.span.bytes).movie
        let entry = try #require(movie.tracks.first?.descriptions.first)
        let config = try #require(try entry.audioSpecificConfig())
        #expect(config.codecs == "mp4a.40.2")
        #expect(config.outputSampleRate == 48000)
        #expect(config.outputChannelCount == 2)
        let descriptor = try #require(try entry.elementaryStreamDescriptor())
        #expect(try descriptor.codecs() == "mp4a.40.2")

        let made = SampleEntry.mp4a(config, maximumBitRate: 70_000, averageBitRate: 64_824)
        #expect(try made.audioSpecificConfig() == config)
        #expect(made.fields == entry.fields)
        let tenc = TrackEncryptionBox(cryptByteBlock: 0, skipByteBlock: 0, keyID: MP4BoxTests.keyID)
        #expect(try made.protected(scheme: "cbcs", trackEncryption: tenc).audioSpecificConfig() == config)
        let bare = SampleEntry(format: "mp4a", fields: made.fields, boxes: [])
        #expect(throws: ParseError(.missingBox, reading: "", offset: 0)) { try bare.audioSpecificConfig() }
        let other = SampleEntry(format: "alac", fields: made.fields, boxes: [])
        #expect(try other.audioSpecificConfig() == nil)
    }

    @Test("an esds box is read as it was written", arguments: [0, 2, 127, 128, 300, 20_000])
    func esds(size: Int) throws {
        let box = ElementaryStreamDescriptorBox(
            objectType: 0x40,
            decoderSpecificInfo: [UInt8](repeating: 7, count: size),
            bufferSize: 6144,
            maximumBitRate: 128_000,
            averageBitRate: 64_000
        )
        let bytes = written(box)
        #expect(try parsed(ElementaryStreamDescriptorBox.self, bytes) == box)
        // ES_Descriptor, its number and its flags.
        #expect(Array(bytes[12..<(size < 90 ? 17 : 13)]) == (size < 90 ? [3, bytes[13], 0, 0, 0] : [3]))
    }

    @Test("other object types have different CODECS values")
    func otherTypes() throws {
        for (type, codecs): (UInt8, String) in [
            (0x6B, "mp4a.6b"), (0x69, "mp4a.69"), (0x67, "mp4a.67"), (0xA5, "mp4a.a5"),
        ] {
            #expect(try ElementaryStreamDescriptorBox(objectType: type, decoderSpecificInfo: []).codecs() == codecs)
        }
    }
}
