import ByteCoding
import MediaFormats
import Testing

@Suite("AC-3 and E-AC-3 in MP4")
struct AC3ConfigurationTests {
    /// Bit stream information with every optional field.
    static let frames: [TestSyncframe] = (0...3).flatMap { mixdef in
        (0...7).flatMap { mode in
            [
                TestSyncframe(size: 128, mode: mode, hasMixing: true, mixdef: mixdef, service: 5),
                TestSyncframe(size: 128, blocks: mixdef, mode: mode, hasMixing: true, mixdef: mixdef, service: 2),
                TestSyncframe(type: 1, size: 128, mode: mode, map: 0x8421, hasMixing: true, service: 7),
                TestSyncframe(type: 2, size: 128, blocks: mixdef, mode: mode, hasMixing: mode > 3, service: 1),
                TestSyncframe(size: 128, frequency: 3, blocks: 1, mode: mode, hasLowFrequency: false, service: 6),
            ]
        }
    }

    @Test("bit stream information with any optional fields is read to its end", arguments: frames)
    func information(frame: TestSyncframe) throws {
        for additional in [[], TestSyncframe.joc(11), [0, 9], [1], [UInt8](repeating: 1, count: 64)] {
            var frame = frame
            frame.additional = additional
            frame.size = 256
            let bytes = frame.bytes
            let information = try EnhancedAC3Information(bytes.span.bytes)
            #expect(information.bitStreamMode == UInt8(frame.service ?? 0))
            #expect(information.channelMap == frame.map.map { UInt16($0) })
            #expect(information.additional == additional)
            #expect(
                information.objectCount == (additional == TestSyncframe.joc(11) ? 11 : additional.count == 64 ? 1 : nil)
            )
        }
    }

    @Test("truncated bit stream information is an error")
    func truncated() throws {
        let bytes = TestSyncframe(hasMixing: true, mixdef: 3, service: 1, additional: TestSyncframe.joc(16)).bytes
        for count in 0..<22 {
            #expect(throws: ParseError(.truncated, reading: "", offset: 0)) {
                try EnhancedAC3Information(bytes.span.bytes.extracting(first: count))
            }
        }
        let ac3: [UInt8] = [0x0B, 0x77, 0, 0, 28, 0x40, 0xE1]
        #expect(throws: ParseError(.notSupported, reading: "", offset: 0)) {
            try EnhancedAC3Information(ac3.span.bytes)
        }
    }

    @Test("dac3 and dec3 of a stream equal those in ffmpeg's file of the stream", arguments: ["ac3", "eac3"])
    func likeOthers(codec: String) throws {
        let file = try AudioFixture(name: codec + ".mp4").bytes()
        let movie = try MovieFile(reading: file.span.bytes).movie
        let entry = try #require(movie.tracks.first?.descriptions.first)
        let first = try #require(try samples(of: file).first)
        let unit = Array(file[first.range])
        let expected = try #require(try entry.audioDescription())
        #expect(expected.channels == "6" && expected.sampleRate == 48000 && expected.frameLength == 1536)
        let made: SampleEntry
        if codec == "ac3" {
            let box = try AC3ConfigurationBox(AC3Syncframe(unit.span.bytes))
            #expect(box.bitRate == 192_000)
            made = .ac3(box)
            #expect(expected.codecs == "ac-3")
            #expect(try made.ac3Configuration() == box)
            #expect(try made.enhancedAC3Configuration() == nil)
        } else {
            let box = try EnhancedAC3ConfigurationBox(accessUnit: unit.span.bytes)
            #expect(box.dataRate == 192)
            made = .ec3(box)
            #expect(expected.codecs == "ec-3")
            #expect(try made.enhancedAC3Configuration() == box)
            #expect(try made.ac3Configuration() == nil)
        }
        #expect(made.format == entry.format)
        #expect(made.fields == .audio(AudioSampleFields(channelCount: 6, sampleRate: 48000)))
        #expect(made.boxes[0] == entry.boxes[0])
        #expect(try made.audioDescription() == expected)
        let bare = SampleEntry(format: made.format, fields: made.fields, boxes: [])
        #expect(throws: ParseError(.missingBox, reading: "", offset: 0)) { try bare.audioDescription() }
        let tree = BoxTree(reading: file.span.bytes).description
        #expect(tree.contains(codec == "ac3" ? "bit_rate=192000 channels=6" : "num_ind_sub=1 num_dep_sub=0 channels=6"))
    }

    @Test("dec3 of an access unit with dependent substreams and objects")
    func dependent() throws {
        let unit = Array(AC3Tests.unit(1, blocks: 2).joined())
        let box = try EnhancedAC3ConfigurationBox(accessUnit: unit.span.bytes)
        #expect(box.substreams.count == 2)
        #expect(box.substreams[0].dependentCount == 1)
        // Left and right rear surround.
        #expect(box.substreams[0].channelLocations == 0b10)
        #expect(box.substreams[1].channelCount == 2)
        #expect(box.channelCount == 8)
        #expect(box.objectCount == 16)
        #expect(box.channelsAttribute == "16/JOC")
        #expect(Int(box.dataRate) == (unit.count * 8 * 48000 + 768_000) / 1_536_000)
        let bytes = written(box)
        #expect(try parsed(EnhancedAC3ConfigurationBox.self, bytes) == box)
        // Data rate and number of substreams; the first substream with its locations, the second without; extension.
        let rate = Int(box.dataRate) << 3 | 1
        #expect(
            Array(bytes[8...]) == [UInt8(rate >> 8), UInt8(rate & 255), 0x20, 0x0F, 0x02, 0x02, 0x20, 0x04, 0, 1, 16]
        )
        let late = Array(unit[64...])
        #expect(throws: ParseError(.invalidValue, reading: "", offset: 0)) {
            try EnhancedAC3ConfigurationBox(accessUnit: late.span.bytes)
        }
    }

    /// Each bit of chanmap, from the highest, with the bits of chan_loc and the channels that it adds.
    @Test(
        "locations of channels",
        arguments: [
            (0, 0, 0), (1, 0, 0), (2, 0, 0), (3, 0, 0), (4, 0, 0), (5, 1, 2), (6, 2, 2), (7, 4, 1), (8, 8, 1),
            (9, 16, 2),
            (10, 32, 2), (11, 64, 2), (12, 128, 1), (13, 0, 0), (14, 256, 1), (15, 0, 0),
        ]
    )
    func locations(bit: Int, location: Int, channels: Int) throws {
        let unit =
            TestSyncframe(mode: 2, hasLowFrequency: false).bytes
            + TestSyncframe(type: 1, mode: 1, hasLowFrequency: false, map: 0x8000 >> bit).bytes
        let box = try EnhancedAC3ConfigurationBox(accessUnit: unit.span.bytes)
        #expect(Int(box.substreams[0].channelLocations) == location)
        #expect(box.channelCount == 2 + channels)
        #expect(try parsed(EnhancedAC3ConfigurationBox.self, written(box)) == box)
    }

    @Test("boxes are written as they were read, and every truncation is an error")
    func boxes() throws {
        let dac3: [UInt8] = [0, 0, 0, 11, 0x64, 0x61, 0x63, 0x33, 0x52, 0xBF, 0xDF]
        #expect(written(try parsed(AC3ConfigurationBox.self, dac3)) == dac3)
        let contents: [[UInt8]] = [
            [0x06, 0, 0x20, 0x0F, 0], [0x06, 0, 0x20, 0x0F, 0x02, 0x02, 1, 16],
            [0x06, 1, 0x60, 0x8F, 3, 255, 0x20, 4, 0],
            [0x06, 0, 0x20, 0x0F, 0, 1], [0x06, 0, 0x20, 0x0F, 0, 0xFF, 16, 5, 6, 7],
        ]
        for content in contents {
            let bytes = written { writer in writer.box("dec3") { $0.write(content) } }
            let box = try parsed(EnhancedAC3ConfigurationBox.self, bytes)
            #expect(written(box) == bytes)
            for count in 0..<5 {
                #expect(throws: ParseError(.truncated, reading: "", offset: 0)) {
                    try read(Array(content[..<count])) { reader throws(ParseError) in
                        try EnhancedAC3ConfigurationBox(reading: &reader)
                    }
                }
            }
        }
        for count in 0..<3 {
            #expect(throws: ParseError(.truncated, reading: "", offset: 0)) {
                try read(Array(dac3[8..<8 + count])) { reader throws(ParseError) in
                    try AC3ConfigurationBox(reading: &reader)
                }
            }
        }
    }
}
