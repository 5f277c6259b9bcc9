import ByteCoding
import MediaFormats
import Testing

@Suite("Video descriptions: codec strings, colors and sizes")
struct VideoDescriptionTests {
    static func h264(_ name: String) throws -> H264SequenceParameterSet {
        let unit = try #require(try VideoFixture(name: name).units().first { $0[0] & 31 == 7 })
        return try H264SequenceParameterSet(unit.span.bytes)
    }

    static func hevc(_ name: String) throws -> HEVCSequenceParameterSet {
        let unit = try #require(try VideoFixture(name: name).units().first { $0[0] >> 1 == 33 })
        return try HEVCSequenceParameterSet(unit.span.bytes)
    }

    @Test("CODECS of H.264")
    func h264Codecs() throws {
        let units = try VideoFixture(name: "cavlc.h264").units()
        let sps = try #require(units.first { $0[0] & 31 == 7 })
        #expect(try H264SequenceParameterSet(sps.span.bytes).codecs() == "avc1.42c00a")
        #expect(try Self.h264("slices.h264").codecs(sampleEntry: "avc3") == "avc3.64000a")
        let box = try AVCConfigurationBox(sequenceParameterSets: [sps], pictureParameterSets: [])
        #expect(box.codecs() == "avc1.42c00a")
    }

    @Test("CODECS of HEVC: compatibility in reverse order, without trailing zeros")
    func hevcCodecs() throws {
        let main = HEVCProfileTierLevel(
            profile: 1,
            compatibility: 0x6000_0000,
            constraints: 0xB000_0000_0000,
            level: 93
        )
        #expect(main.codecs() == "hvc1.1.6.L93.B0")
        let main10 = HEVCProfileTierLevel(
            profile: 2,
            compatibility: 0x2000_0000,
            constraints: 0x9000_0000_0000,
            level: 120
        )
        #expect(main10.codecs(sampleEntry: "hev1") == "hev1.2.4.L120.90")
        let odd = HEVCProfileTierLevel(
            profileSpace: 1,
            isHighTier: true,
            profile: 1,
            compatibility: 0xDDDD_0000,
            constraints: 0x9000_0000_0100,
            level: 186
        )
        #expect(odd.codecs() == "hvc1.A1.BBBB.H186.90.0.0.0.1")
        let bare = HEVCProfileTierLevel(profile: 1, compatibility: 0, constraints: 0, level: 30)
        #expect(bare.codecs() == "hvc1.1.0.L30")
        #expect(try Self.hevc("hevc-hdr.hevc").profileTierLevel.codecs().hasPrefix("hvc1.2.4.L"))
    }

    @Test("CODECS and SUPPLEMENTAL-CODECS of Dolby Vision")
    func dolbyVision() throws {
        let five = DolbyVisionConfigurationBox(profile: 5, level: 6, baseLayerCompatibility: 0)
        #expect(five.codecs(sampleEntry: "hvc1") == "dvh1.05.06")
        #expect(five.codecs(sampleEntry: "dvhe") == "dvhe.05.06")
        #expect(five.supplementalCodecs(sampleEntry: "dvh1") == nil)
        #expect(five.dynamicRange == .pq)
        for (compatibility, brand, range) in [(1, "db1p", "PQ"), (2, "db2g", "SDR"), (4, "db4h", "HLG")]
            as [(UInt8, String, String)]
        {
            let box = DolbyVisionConfigurationBox(profile: 8, level: 12, baseLayerCompatibility: compatibility)
            #expect(box.supplementalCodecs(sampleEntry: "hvc1") == "dvh1.08.12/\(brand)")
            #expect(box.supplementalCodecs(sampleEntry: "hev1") == "dvhe.08.12/\(brand)")
            #expect(box.dynamicRange.rawValue == range)
            var writer = BoxWriter()
            box.write(to: &writer)
            #expect(Array(writer.bytes[4..<8]) == Array("dvvC".utf8))
            #expect(try Self.read(DolbyVisionConfigurationBox.self, writer.bytes) == box)
        }
        #expect(
            DolbyVisionConfigurationBox(profile: 10, level: 1, baseLayerCompatibility: 1).supplementalCodecs(
                sampleEntry: "av01"
            )
                == "dav1.10.01/db1p"
        )
    }

    @Test(
        "VIDEO-RANGE",
        arguments: zip(
            [1, 6, 13, 14, 15, 16, 18, 2, 4] as [UInt8],
            ["SDR", "SDR", "SDR", "SDR", "SDR", "PQ", "HLG", nil, nil]
        )
    )
    func ranges(transfer: UInt8, range: String?) {
        let color = ColorDescription(primaries: 9, transfer: transfer, matrix: 9)
        #expect(color.dynamicRange?.rawValue == range)
        #expect(DynamicRange(container: nil, codec: color).rawValue == range ?? "SDR")
        #expect(DynamicRange(container: color, codec: nil).rawValue == range ?? "SDR")
        #expect(DynamicRange(container: nil, codec: color, alternativeTransfer: 18) == .hlg)
    }

    @Test("HDR10 in HEVC: colors, mastering display, light levels, cropping, frame rate")
    func hdr() throws {
        let set = try Self.hevc("hevc-hdr.hevc")
        #expect(set.usability.color == ColorDescription(primaries: 9, transfer: 16, matrix: 9))
        #expect(set.lumaBitDepth == 10)
        #expect(set.croppedSize == PictureSize(width: 66, height: 50))
        #expect(set.codedSize.width > 66)
        #expect(set.nominalFrameRate?.value == 25)
        #expect(set.fixedFrameRate?.value == 25)
        let messages = try VideoFixture(name: "hevc-hdr.hevc").units().filter { $0[0] >> 1 == 39 }.flatMap {
            try SEIMessage.messages($0.span.bytes, headerSize: 2)
        }
        #expect(messages.contains(.contentLightLevel(ContentLightLevelBox(maximum: 1000, maximumAverage: 400))))
        let display = MasteringDisplayBox(
            primaries: (.init(x: 13250, y: 34500), .init(x: 7500, y: 3000), .init(x: 34000, y: 16000)),
            whitePoint: .init(x: 15635, y: 16450),
            maximumLuminance: 10_000_000,
            minimumLuminance: 50
        )
        #expect(messages.contains(.masteringDisplay(display)))
    }

    @Test("HLG with SDR in the VUI")
    func hlg() throws {
        let set = try Self.hevc("hevc-hlg.hevc")
        let messages = try VideoFixture(name: "hevc-hlg.hevc").units().filter { $0[0] >> 1 == 39 }.flatMap {
            try SEIMessage.messages($0.span.bytes, headerSize: 2)
        }
        #expect(set.usability.color?.dynamicRange == .sdr)
        #expect(messages.contains(.alternativeTransfer(18)))
    }

    @Test("H.264: cropping, sample aspect ratio, colors, frame rate")
    func h264() throws {
        let set = try Self.h264("vui.h264")
        #expect(set.codedSize == PictureSize(width: 64, height: 48))
        #expect(set.croppedSize == PictureSize(width: 50, height: 38))
        let ratio = try #require(set.usability.sampleAspectRatio)
        #expect(ratio.width * 50 * 9 == ratio.height * 38 * 16)
        #expect(set.displaySize == PictureSize(width: 68, height: 38))
        #expect(set.fixedFrameRate == FrameRate(frames: 50, seconds: 2))
        #expect(set.usability.color == ColorDescription(primaries: 1, transfer: 1, matrix: 1, isFullRange: true))
        let high = try Self.h264("high422.h264")
        #expect(high.chromaFormat == 2)
        #expect(high.lumaBitDepth == 10)
        #expect(high.usability.color?.dynamicRange == .hlg)
        #expect(high.fixedFrameRate == nil || high.fixedFrameRate?.value == 25)
        let field = try Self.h264("field.h264")
        #expect(!field.hasFramesOnly)
        #expect(field.codedSize == PictureSize(width: 64, height: 64))
    }

    static func read<Content: Box>(_: Content.Type, _ bytes: [UInt8]) throws -> Content {
        var reader = ByteReader(bytes.span.bytes)
        let header = try BoxHeader(reading: &reader)
        var content = try reader.split(header.contentSize(of: reader.remaining), "content")
        let box = try Content(reading: &content)
        try content.finish("box")
        return box
    }

    /// Writes and reads a box, and requires an error if it is truncated before `required` bytes of content.
    static func roundTrip<Content: Box & Equatable>(_ box: Content, required: Int) throws {
        var writer = BoxWriter()
        box.write(to: &writer)
        #expect(try read(Content.self, writer.bytes) == box)
        for count in 0..<required {
            let content = Array(writer.bytes[8..<8 + count])
            #expect(throws: ParseError(.truncated, reading: "", offset: 0), "\(Content.type) cut to \(count)") {
                var reader = ByteReader(content.span.bytes)
                _ = try Content(reading: &reader)
            }
        }
    }

    @Test("Boxes are restored")
    func boxes() throws {
        try Self.roundTrip(PixelAspectRatioBox(horizontal: 4, vertical: 3), required: 8)
        try Self.roundTrip(BitRateBox(bufferSize: 1, maximum: 2_000_000, average: 1_000_000), required: 12)
        try Self.roundTrip(ContentLightLevelBox(maximum: 1000, maximumAverage: 400), required: 4)
        let color = ColorDescription(primaries: 9, transfer: 16, matrix: 9, isFullRange: true)
        try Self.roundTrip(ColorInformationBox(.nclx(color)), required: 11)
        try Self.roundTrip(
            ColorInformationBox(.nclc(ColorDescription(primaries: 1, transfer: 1, matrix: 1))),
            required: 10
        )
        try Self.roundTrip(ColorInformationBox(.other(type: "prof", bytes: [1, 2, 3])), required: 4)
        let points = (
            MasteringDisplayBox.Point(x: 1, y: 2), MasteringDisplayBox.Point(x: 3, y: 4),
            MasteringDisplayBox.Point(x: 5, y: 6)
        )
        try Self.roundTrip(
            MasteringDisplayBox(
                primaries: points,
                whitePoint: .init(x: 7, y: 8),
                maximumLuminance: 9,
                minimumLuminance: 10
            ),
            required: 24
        )
    }

    @Test("avcC and hvcC are restored, and contain the parameter sets")
    func configurations() throws {
        let units = try VideoFixture(name: "high422.h264").units()
        let avc = try AVCConfigurationBox(
            sequenceParameterSets: units.filter { $0[0] & 31 == 7 },
            pictureParameterSets: units.filter { $0[0] & 31 == 8 }
        )
        #expect(avc.extensions == [0xFE, 0xFA, 0xFA, 0])
        var writer = BoxWriter()
        avc.write(to: &writer)
        try Self.roundTrip(avc, required: writer.count - 8 - 4)
        #expect(try H264ParameterSets(avc).latestSequence?.chromaFormat == 2)

        let others = try VideoFixture(name: "hevc-qp.hevc").units()
        let hevc = try HEVCConfigurationBox(
            videoParameterSets: others.filter { $0[0] >> 1 == 32 },
            sequenceParameterSets: others.filter { $0[0] >> 1 == 33 },
            pictureParameterSets: others.filter { $0[0] >> 1 == 34 }
        )
        writer.removeAll()
        hevc.write(to: &writer)
        try Self.roundTrip(hevc, required: writer.count - 8)
        #expect(hevc.chromaFormat == 2)
        #expect(hevc.lumaBitDepth == 10)
        let set = try #require(try HEVCParameterSets(hevc).latestSequence)
        #expect(set.profileTierLevel == hevc.profileTierLevel)
        let video = try #require(hevc.units(.videoParameterSet).first)
        #expect(try HEVCVideoParameterSet(video.span.bytes).profileTierLevel == set.profileTierLevel)
    }
}
