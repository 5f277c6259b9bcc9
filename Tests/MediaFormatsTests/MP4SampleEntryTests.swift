import ByteCoding
import MediaFormats
import Testing

@Suite("MP4 sample entries")
struct MP4SampleEntryTests {
    static let avcC = RawBox(type: "avcC", content: [1, 100, 0, 30, 255])
    static let video = SampleEntry(
        format: "avc1",
        fields: .visual(VisualSampleFields(width: 1920, height: 1080)),
        boxes: [
            avcC, RawBox(type: "zzzz", content: [7]), RawBox(type: "uuid", userType: MP4BoxTests.keyID, content: [8]),
        ]
    )
    static let audio = SampleEntry(
        format: "mp4a",
        fields: .audio(AudioSampleFields(channelCount: 2, sampleRate: 44100)),
        boxes: [RawBox(type: "esds", content: [0, 0, 0, 0])]
    )
    static let tenc = TrackEncryptionBox(
        cryptByteBlock: 1,
        skipByteBlock: 9,
        keyID: MP4BoxTests.keyID,
        constantIV: MP4BoxTests.keyID
    )

    func read(_ bytes: [UInt8], _ handler: FourCC) throws(ParseError) -> SampleDescriptionBox {
        var reader = ByteReader(bytes.span.bytes.extracting(8..<bytes.count))
        let box = try SampleDescriptionBox(reading: &reader, handler: handler)
        try reader.finish("stsd box")
        return box
    }

    static let entries: [(SampleEntry, FourCC)] = [
        (video, "vide"), (audio, "soun"), (video.protected(scheme: "cbcs", trackEncryption: tenc), "vide"),
        (SampleEntry(format: "wvtt", fields: .text(.webVTT), boxes: [RawBox(type: "vttC", content: [65])]), "text"),
        (
            SampleEntry(
                format: "stpp",
                fields: .text(.xmlSubtitle(namespace: "a b", schemaLocation: "", auxiliaryMIMETypes: "c")),
                boxes: []
            ), "subt"
        ),
        (SampleEntry(format: "tx3g", fields: .text(.timedText([UInt8](repeating: 3, count: 30))), boxes: []), "sbtl"),
        (SampleEntry(format: "tmcd", fields: .other([1, 2, 3, 4, 5, 6, 7, 8]), boxes: []), "tmcd"),
    ]

    @Test("are restored with unknown boxes", arguments: entries)
    func roundTrip(entry: SampleEntry, handler: FourCC) throws {
        let box = SampleDescriptionBox(entries: [entry])
        let bytes = written { box.write(to: &$0) }
        let result = try read(bytes, handler)
        #expect(result == box)
        #expect(written { result.write(to: &$0) } == bytes)
        for length in 8..<bytes.count {
            #expect(throws: ParseError.self) { try read(Array(bytes[..<length]), handler) }
        }
    }

    @Test("protection is added to an entry and removed again")
    func protect() throws {
        let protected = Self.video.protected(scheme: "cbcs", trackEncryption: Self.tenc)
        #expect(protected.format == "encv")
        #expect(protected.boxes == Self.video.boxes)
        #expect(protected.originalFormat == "avc1")
        #expect(protected.commonEncryption?.trackEncryption == Self.tenc)
        #expect(protected.unprotected() == Self.video)
        #expect(Self.audio.protected(scheme: "cenc", trackEncryption: Self.tenc).format == "enca")
        #expect(protected.protected(scheme: "cenc", trackEncryption: Self.tenc).originalFormat == "avc1")
    }

    @Test("of several sinf boxes, the one with Common Encryption is used")
    func severalSchemes() throws {
        var entry = Self.video.protected(scheme: "cenc", trackEncryption: Self.tenc)
        let other = ProtectionSchemeInfoBox(originalFormat: "avc1", schemeType: "piff", trackEncryption: Self.tenc)
        entry.protections.insert(other, at: 0)
        let result = try read(written { SampleDescriptionBox(entries: [entry]).write(to: &$0) }, "vide")
        #expect(result.entries[0].protections.count == 2)
        #expect(result.entries[0].commonEncryption?.schemeType == "cenc")
    }

    /// A QuickTime sound description with the fields after the 20 bytes of version 0.
    private func sound(version: UInt16, stsdVersion: UInt8 = 0, _ body: (inout BoxWriter) -> Void) -> [UInt8] {
        written { writer in
            writer.fullBox("stsd", version: stsdVersion) { writer in
                writer.write(UInt32(1))
                writer.box("mp4a") { writer in
                    writer.zeros(6)
                    writer.write(UInt16(1))
                    writer.write(version)
                    writer.zeros(6)
                    writer.write(UInt16(2))
                    writer.write(UInt16(16))
                    writer.zeros(4)
                    writer.write(UInt32(44100) << 16)
                    body(&writer)
                }
            }
        }
    }

    @Test("QuickTime version 1: esds is moved out of wave")
    func version1() throws {
        let bytes = sound(version: 1) { writer in
            for number: UInt32 in [1024, 2, 4, 2] { writer.write(number) }
            writer.box("wave") { writer in
                writer.box("frma") { $0.write("mp4a" as FourCC) }
                writer.box("mp4a") { $0.zeros(4) }
                writer.box("esds") { $0.write([UInt8]([1, 2, 3])) }
                writer.box(FourCC(rawValue: 0)) { _ in }
            }
            writer.box("chan") { $0.zeros(12) }
        }
        let entry = try read(bytes, "soun").entries[0]
        #expect(entry.boxes.map(\.type) == ["esds", "chan"])
        #expect(entry.boxes.first("esds")?.content == [1, 2, 3])
        #expect(entry.fields == .audio(AudioSampleFields(channelCount: 2, sampleRate: 44100)))
        // ISO's version 1 has no such fields.
        let iso = sound(version: 1, stsdVersion: 1) { $0.box("esds") { $0.write([UInt8]([9])) } }
        #expect(try read(iso, "soun").entries[0].boxes.first("esds")?.content == [9])
    }

    @Test("QuickTime version 2: sample rate and channels are read from its fields")
    func version2() throws {
        func bytes(size: UInt32, rate: Double) -> [UInt8] {
            sound(version: 2) { writer in
                writer.write(size)
                writer.write(rate.bitPattern)
                for number: UInt32 in [6, 0x7F00_0000, 24, 0, 0, 0] { writer.write(number) }
                writer.box("esds") { $0.zeros(4) }
            }
        }
        let entry = try read(bytes(size: 72, rate: 96000), "soun").entries[0]
        #expect(entry.fields == .audio(AudioSampleFields(channelCount: 6, sampleSize: 24, sampleRate: 96000)))
        #expect(entry.boxes.map(\.type) == ["esds"])
        #expect(throws: ParseError.self) { try read(bytes(size: 71, rate: 96000), "soun") }
        for rate in [Double.nan, .infinity, -1] {
            #expect(throws: ParseError.self) { try read(bytes(size: 72, rate: rate), "soun") }
        }
    }

    static func esds(_ bytes: [UInt8]) throws(ParseError) -> ElementaryStreamDescriptorBox {
        var reader = ByteReader(bytes.span.bytes)
        return try ElementaryStreamDescriptorBox(reading: &reader)
    }

    @Test("esds contains the object type and the AudioSpecificConfig", arguments: [1, 4])
    func esds(sizeBytes: Int) throws {
        func descriptor(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
            let size = [UInt8](repeating: 0x80, count: sizeBytes - 1) + [UInt8(content.count)]
            return [tag] + size + content
        }
        let config: [UInt8] = [4, 0x40, 0x15, 0, 0, 0, 0, 1, 0xF4, 0, 0, 1, 0xF3, 0]
        let decoder = descriptor(4, Array(config.dropFirst()) + descriptor(5, [0x12, 0x10]))
        let content = [0, 0, 0, 0] + descriptor(3, [0, 1, 0] + decoder + descriptor(6, [2]))
        let box = try Self.esds(content)
        #expect(box.objectType == 0x40)
        #expect(box.maximumBitRate == 128000)
        #expect(box.averageBitRate == 127744)
        #expect(box.decoderSpecificInfo == [0x12, 0x10])
        for length in 0..<content.count {
            #expect(throws: ParseError.self) { try Self.esds(Array(content[..<length])) }
        }
        #expect(throws: ParseError.self) { try Self.esds([0, 0, 0, 0] + descriptor(4, [])) }
    }

    @Test("esds of a clip")
    func clip() throws {
        let bytes = try MP4Fixture.progressive.bytes
        let movie = try MovieFile(reading: bytes.span.bytes).movie
        let entry = try #require(movie.tracks.last?.descriptions.first)
        let content = try #require(entry.boxes.first("esds")?.content)
        let box = try Self.esds(content)
        #expect(box.objectType == 0x40)
        #expect(box.decoderSpecificInfo.prefix(2) == [0x13, 0x88])
    }

    @Test("groups: seig is restored, roll and rap are read")
    func groups() throws {
        let entry = SampleEncryptionGroupEntry(Self.tenc)
        let same = try MediaFormatsTests.read(entry.bytes) { reader throws(ParseError) in
            try SampleEncryptionGroupEntry(reading: &reader)
        }
        #expect(same == entry)
        let roll = try MediaFormatsTests.read([0xFF, 0xFE]) { reader throws(ParseError) in
            try RollGroupEntry(reading: &reader)
        }
        #expect(roll.distance == -2)
        for (byte, leading) in [(0x83, 3), (0x03, nil)] as [(UInt8, UInt8?)] {
            let entry = try MediaFormatsTests.read([byte]) { reader throws(ParseError) in
                try RandomAccessGroupEntry(reading: &reader)
            }
            #expect(entry.leadingSamples == leading)
        }
    }
}
