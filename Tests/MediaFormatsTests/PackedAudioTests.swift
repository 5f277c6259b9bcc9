import ByteCoding
import MediaFormats
import Testing

@Suite("Packed audio and audio setup")
struct PackedAudioTests {
    static func read(_ bytes: [UInt8]) throws(ParseError) -> ID3Tag {
        var reader = ByteReader(bytes.span.bytes)
        let tag = try ID3Tag(reading: &reader)
        try reader.finish("ID3 tag")
        return tag
    }

    static let config = AudioSpecificConfig(samplingFrequency: .init(hertz: 44100), channelConfiguration: 2)

    @Test("the tag of a segment has the bytes that HLS requires")
    func timestamp() throws {
        let tag = ID3Tag(timestamp: 0x1_2345_6789)
        let owner = Array("com.apple.streaming.transportStreamTimestamp".utf8)
        let expected =
            Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, 63] + Array("PRIV".utf8) + [0, 0, 0, 53, 0, 0] + owner
            + [0, 0, 0, 0, 1, 0x23, 0x45, 0x67, 0x89]
        #expect(tag.bytes == expected)
        let again = try Self.read(expected)
        #expect(again == tag)
        #expect(try again.timestamp() == 0x1_2345_6789)
        #expect(try again.audioSetup() == nil)
        // 33 bits.
        #expect(try ID3Tag(timestamp: 1 << 33 | 5).timestamp() == 5)
        #expect(try ID3Tag().timestamp() == nil)
        let short = ID3Tag(frames: [ID3Tag.privateFrame(owner: ID3Tag.timestampOwner, [1, 2])])
        #expect(throws: ParseError(.invalidLength, reading: "", offset: 0)) { try short.timestamp() }
        for count in 0..<expected.count {
            #expect(throws: ParseError(.truncated, reading: "", offset: 0)) {
                try Self.read(Array(expected[..<count]))
            }
        }
    }

    @Test("the example in Apple's specification, as a descriptor and in a tag")
    func example() throws {
        let specific: [UInt8] = [0x11, 0x88, 0x56, 0xE5, 0]
        let setup = try AudioSetupInformation(AudioSpecificConfig(specific.span.bytes))
        let descriptor = try TransportDescriptor(setup)
        let expected: [UInt8] = [
            0x61, 0x70, 0x61, 0x64, 0x7A, 0x61, 0x61, 0x63, 0, 0, 1, 5, 0x11, 0x88, 0x56, 0xE5, 0,
        ]
        #expect(descriptor.tag == 5)
        #expect(descriptor.content == expected)
        #expect(try descriptor.audioSetup() == setup)
        let tag = ID3Tag(timestamp: 1, audioSetup: setup)
        #expect(try Self.read(tag.bytes).audioSetup() == setup)
        #expect(tag.privateContent(owner: "com.apple.streaming.audioDescription") == Array(expected[4...]))
        for count in 4..<expected.count {
            let part = TransportDescriptor(tag: 5, content: Array(expected[..<count]))
            #expect(throws: ParseError(.truncated, reading: "", offset: 0)) { try part.audioSetup() }
        }
        let longer = TransportDescriptor(tag: 5, content: expected + [0])
        #expect(throws: ParseError(.trailingBytes, reading: "", offset: 0)) { try longer.audioSetup() }
        var newer = expected
        newer[10] = 2
        let other = TransportDescriptor(tag: 5, content: newer)
        #expect(throws: ParseError(.invalidValue, reading: "", offset: 0)) { try other.audioSetup() }
        #expect(try TransportDescriptor(tag: 5, content: Array("AC-3".utf8)).audioSetup() == nil)
        #expect(try TransportDescriptor(tag: 15, content: expected).audioSetup() == nil)
    }

    @Test("each type of audio has its audio type and its setup data")
    func kinds() throws {
        let twice = SamplingFrequency(hertz: 48000)
        var config = AudioSpecificConfig(samplingFrequency: .init(hertz: 24000), channelConfiguration: 1)
        #expect(AudioSetupInformation(config).audioType == "zaac")
        config.signaling = .backwardCompatible(.init(samplingFrequency: twice))
        #expect(AudioSetupInformation(config).audioType == "zach")
        config.signaling = .hierarchical(.init(samplingFrequency: twice, hasParametricStereo: true))
        #expect(AudioSetupInformation(config).audioType == "zacp")
        #expect(AudioSetupInformation(config).setupData == config.bytes)

        let ac3 = try AudioFixture(name: "surround.ac3").bytes()
        let setup = try AudioSetupInformation(ac3: ac3.span.bytes)
        #expect(setup.audioType == "zac3")
        #expect(setup.setupData == Array(ac3[..<10]))
        let eac3 = try AudioFixture(name: "surround.eac3").bytes()
        #expect(throws: ParseError(.notSupported, reading: "", offset: 0)) {
            try AudioSetupInformation(ac3: eac3.span.bytes)
        }
        #expect(throws: ParseError(.truncated, reading: "", offset: 0)) {
            try AudioSetupInformation(ac3: ac3.span.bytes.extracting(first: 9))
        }
        let unit = try AC3Result(eac3, pieces: 5000).units[0].bytes
        let box = try EnhancedAC3ConfigurationBox(accessUnit: unit.span.bytes)
        let enhanced = AudioSetupInformation(box)
        #expect(enhanced.audioType == "zec3")
        #expect(enhanced.setupData == [0x06, 0, 0x20, 0x0F, 0])

        var long = setup
        long.setupData = [UInt8](repeating: 1, count: 243)
        #expect(try TransportDescriptor(long).content.count == 255)
        long.setupData.append(1)
        #expect(throws: ParseError(.invalidLength, reading: "", offset: 0)) { try TransportDescriptor(long) }
    }

    static func syncsafe(_ number: Int) -> [UInt8] { [21, 14, 7, 0].map { UInt8(number >> $0 & 127) } }

    static func frame(_ id: String, flags: [UInt8] = [0, 0], isVersion4: Bool = true, _ content: [UInt8]) -> [UInt8] {
        let size = isVersion4 ? syncsafe(content.count) : [0, 0, UInt8(content.count >> 8), UInt8(content.count & 255)]
        return Array(id.utf8) + size + flags + content
    }

    static func tag(_ version: UInt8, flags: UInt8 = 0, _ content: [UInt8]) -> [UInt8] {
        Array("ID3".utf8) + [version, 0, flags] + syncsafe(content.count) + content
    }

    @Test("tags of other programs: both versions, padding, extended headers, unknown frames")
    func others() throws {
        let text = Self.frame("TIT2", [3] + Array("title".utf8))
        let big = Self.frame("APIC", [UInt8](repeating: 1, count: 200))
        let priv = Self.frame("PRIV", Array("me".utf8) + [0, 1, 2])
        let all = try Self.read(Self.tag(4, text + big + priv + [0, 0, 0]))
        #expect(all.frames.map(\.id) == ["TIT2", "APIC", "PRIV"])
        #expect(all.frames[1].content.count == 200)
        #expect(all.privateContent(owner: "me") == [1, 2])
        #expect(all.privateContent(owner: "m") == nil)
        #expect(try Self.read(all.bytes) == all)

        let old = Self.frame("APIC", isVersion4: false, [UInt8](repeating: 1, count: 300))
        let oldPriv = Self.frame("PRIV", isVersion4: false, Array("me".utf8) + [0, 7])
        #expect(try Self.read(Self.tag(3, old + oldPriv)).privateContent(owner: "me") == [7])
        #expect(try Self.read(Self.tag(3, flags: 0x40, [0, 0, 0, 6, 0, 0, 0, 0, 0, 0] + oldPriv)).frames.count == 1)
        #expect(try Self.read(Self.tag(4, flags: 0x40, [0, 0, 0, 6, 1, 0] + priv)).frames.count == 1)
        #expect(try Self.read(Self.tag(4, flags: 0x10, priv) + [UInt8](repeating: 0, count: 10)).frames.count == 1)
        // Version 2.2 has frames in another format.
        #expect(try Self.read(Self.tag(2, [1, 2, 3])).frames.isEmpty)
        // Compressed and encrypted frames are skipped; a group and a data length are skipped, too.
        for (version, flag): (UInt8, UInt8) in [(4, 8), (4, 4), (3, 0x80), (3, 0x40)] {
            let frame = Self.frame("PRIV", flags: [0, flag], isVersion4: version == 4, [1, 2, 3])
            #expect(try Self.read(Self.tag(version, frame)).frames.isEmpty)
        }
        let grouped = Self.frame("PRIV", flags: [0, 0x41], [9, 0, 0, 0, 3] + [0x6D, 0, 5])
        #expect(try Self.read(Self.tag(4, grouped)).privateContent(owner: "m") == [5])
        let oldGroup = Self.frame("PRIV", flags: [0, 0x20], isVersion4: false, [9, 0x6D, 0, 5])
        #expect(try Self.read(Self.tag(3, oldGroup)).privateContent(owner: "m") == [5])
        // Unsynchronized: a zero follows each 0xFF.
        let unsynchronized = Self.frame("PRIV", flags: [0, 2], [0x6D, 0, 0xFF, 0, 0xE0, 0xFF, 0, 0])
        #expect(try Self.read(Self.tag(4, unsynchronized)).privateContent(owner: "m") == [0xFF, 0xE0, 0xFF, 0])
        let whole = Self.frame("PRIV", isVersion4: false, [0x6D, 0, 0xFF, 0xFF]).flatMap { $0 == 255 ? [$0, 0] : [$0] }
        #expect(try Self.read(Self.tag(3, flags: 0x80, whole)).privateContent(owner: "m") == [0xFF, 0xFF])
    }

    @Test("wrong sizes are rejected")
    func hostile() {
        for bytes: [UInt8] in [
            Self.tag(4, Array("PRIV".utf8) + [0, 0, 1, 0, 0, 0] + [1, 2, 3]),
            Self.tag(3, Array("PRIV".utf8) + [0xFF, 0xFF, 0xFF, 0xFF, 0, 0] + [1, 2, 3]),
            Self.tag(3, flags: 0x40, [0xFF, 0xFF, 0xFF, 0xFF, 0]),
            Array("ID3".utf8) + [4, 0, 0, 127, 127, 127, 127],
            Self.tag(4, Self.frame("PRIV", flags: [0, 0x40], [])),
        ] {
            #expect(throws: ParseError(.truncated, reading: "", offset: 0)) { try Self.read(bytes) }
        }
        #expect(throws: ParseError(.invalidLength, reading: "", offset: 0)) {
            try Self.read(Self.tag(4, Array("PRIV".utf8) + [0, 0, 0, 0x80, 0, 0] + [1, 2, 3]))
        }
        #expect(throws: ParseError(.invalidLength, reading: "", offset: 0)) {
            try Self.read(Self.tag(4, flags: 0x40, [0, 0, 0, 2, 0, 0]))
        }
        for bytes: [UInt8] in [
            Array("ID4".utf8) + [UInt8](repeating: 0, count: 10), Array("ID3".utf8) + [255, 0, 0, 0, 0, 0, 0],
            Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, 0x80],
        ] {
            #expect(throws: ParseError(.invalidValue, reading: "", offset: 0)) { try Self.read(bytes) }
        }
    }
}
