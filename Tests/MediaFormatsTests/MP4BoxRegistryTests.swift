import ByteCoding
import MediaFormats
import Testing

@Suite("MP4 box registry")
struct MP4BoxRegistryTests {
    /// A box and what a listing displays of it.
    struct Sample: Sendable, CustomTestStringConvertible {
        var bytes: [UInt8]
        var shows: String
        var children: [FourCC]
        /// Whether the content has no fixed end, so that a truncated box is also valid.
        var isOpen: Bool

        var type: FourCC { FourCC(rawValue: bytes[4..<8].reduce(0) { $0 << 8 | UInt32($1) }) }
        var testDescription: String { "\(type)" }

        init<Kind: Box>(_ box: Kind, _ shows: String, isOpen: Bool = false) {
            bytes = written(box)
            self.shows = shows
            children = []
            self.isOpen = isOpen
        }

        /// - Parameter content: the content after the header, as hexadecimal digits and spaces.
        init(_ type: FourCC, _ content: String, _ shows: String, children: [FourCC] = [], isOpen: Bool = false) {
            let digits = content.filter { $0 != " " }.compactMap { $0.hexDigitValue.map(UInt8.init) }
            bytes = written { writer in
                writer.box(type) { writer in
                    for index in stride(from: 0, to: digits.count, by: 2) {
                        writer.write([digits[index] << 4 | digits[index + 1]])
                    }
                }
            }
            self.shows = shows
            self.children = children
            self.isOpen = isOpen || !children.isEmpty
        }
    }

    static let free = "00000008 66726565"
    static let key = MP4BoxTests.keyID
    static let hexKey = "000102030405060708090a0b0c0d0e0f"

    static let samples: [Sample] =
        ContainerBox.types.map { Sample($0, free, "", children: ["free"]) } + movie + codecs + dolbyVision + protection
        + tables
        + fragments

    static let movie: [Sample] = [
        Sample("meta", "00000000" + free, "", children: ["free"]),
        // QuickTime has no version and flags.
        Sample("meta", free, "", children: ["free"]),
        Sample(
            "ftyp",
            "69736F36 00000001 636D6663 69736F36",
            "major_brand=iso6 compatible_brands=cmfc,iso6",
            isOpen: true
        ),
        Sample("styp", "6D736468 00000000 6D736468", "major_brand=msdh compatible_brands=msdh", isOpen: true),
        Sample(MovieHeaderBox(timescale: 600, duration: 12, nextTrackID: 3), "timescale=600 duration=12"),
        Sample(
            TrackHeaderBox(trackID: 7, duration: 5, width: 64 << 16, height: 48 << 16),
            "track_ID=7 duration=5 flags=3 width=64.0 height=48.0"
        ),
        Sample(
            EditListBox(entries: [
                .init(segmentDuration: 5, mediaTime: nil), .init(segmentDuration: 6, mediaTime: 1024),
            ]),
            "edits=5@empty,6@1024"
        ),
        Sample(
            MediaHeaderBox(timescale: 90000, duration: 1, language: "deu"),
            "timescale=90000 duration=1 language=deu"
        ),
        Sample(ExtendedLanguageBox(language: "de-CH"), "extended_language=de-CH", isOpen: true),
        Sample(HandlerBox(handlerType: "vide", name: "Video"), "handler_type=vide name=Video", isOpen: true),
        Sample(VideoMediaHeaderBox(), ""), Sample(SoundMediaHeaderBox(), ""), Sample(NullMediaHeaderBox(), ""),
        Sample(SubtitleMediaHeaderBox(), ""),
        Sample("dref", "00000000 00000001 0000000C 75726C20 00000001", "entry_count=1", children: ["url "]),
        // As ffmpeg 5.1 writes it with -disposition hearing_impaired.
        Sample(
            "kind",
            "00000000 75726E3A6D7065673A646173683A726F6C653A3230313100 63617074696F6E00",
            "schemeURI=urn:mpeg:dash:role:2011 value=caption",
            isOpen: true
        ),
    ]

    static let codecs: [Sample] = [
        Sample(
            "stsd",
            "00000000 00000001 00000010 77767474 000000000000 0001",
            "entry_count=1",
            children: ["wvtt"]
        ),
        Sample(
            "avcC",
            "01 4D400A FF E1 0002 6701 01 0001 68",
            "AVCProfileIndication=77 profile_compatibility=0x40 AVCLevelIndication=10 lengthSize=4 bytes"
                + " numOfSequenceParameterSets=1 numOfPictureParameterSets=1"
        ),
        Sample(
            "hvcC",
            "01 21 60000000 900000000000 5D F000 FC FD F8 F8 0000 0F 01 A0 0001 0002 4001",
            "general_profile_idc=1 general_tier_flag=1 general_level_idc=93 chromaFormat=1 bitDepthLuma=8 bits"
                + " bitDepthChroma=8 bits lengthSize=4 bytes numOfArrays=1"
        ),
        Sample(
            MasteringDisplayBox(
                primaries: (.init(x: 13250, y: 34500), .init(x: 7500, y: 3000), .init(x: 34000, y: 16000)),
                whitePoint: .init(x: 15635, y: 16450),
                maximumLuminance: 10_000_000,
                minimumLuminance: 50
            ),
            "display_primaries=G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)"
                + " max_display_mastering_luminance=1000.0 cd/m2 min_display_mastering_luminance=0.005 cd/m2"
        ),
        Sample(
            ContentLightLevelBox(maximum: 1000, maximumAverage: 400),
            "max_content_light_level=1000 cd/m2 max_pic_average_light_level=400 cd/m2"
        ),
        Sample(
            "colr",
            "6E636C78 0009 0010 0008 80",
            "colour_type=nclx colour_primaries=9 transfer_characteristics=16 matrix_coefficients=8 full_range_flag=1"
        ),
        Sample(
            "colr",
            "6E636C63 0001 0002 0003",
            "colour_type=nclc colour_primaries=1 transfer_characteristics=2 matrix_coefficients=3"
        ),
        Sample("colr", "70726F66 010203", "colour_type=prof profile_size=3 bytes", isOpen: true),
        Sample(PixelAspectRatioBox(horizontal: 4, vertical: 3), "hSpacing=4 vSpacing=3"),
        Sample(
            BitRateBox(bufferSize: 9, maximum: 256_000, average: 128_000),
            "bufferSizeDB=9 bytes maxBitrate=256000 bit/s avgBitrate=128000 bit/s"
        ),
        Sample(
            ElementaryStreamDescriptorBox(objectType: 0x40, decoderSpecificInfo: [0x12, 0x10]),
            "objectTypeIndication=0x40 decoderSpecificInfo=1210"
        ),
        // Program loudness -23 LKFS and anchor loudness -25 LKFS, true peak -1 dBTP.
        Sample(
            "tlou",
            "00000000 0000 0002A0 23 02 01 8B 23 02 83 23",
            "loudness_base_count=1 method_definition=1 method_value=-23.0 LKFS method_definition=2"
                + " method_value=-25.0 LKFS bs_true_peak_level=-1.0 dBTP"
        ),
        Sample(
            "alou",
            "01000000 01 00 0000 000000 00 01 07 05 23",
            "loudness_base_count=1 method_definition=7 method_value=5"
        ),
        Sample("dac3", "103DE0", "bsid=8 acmod=7 lfeon=1 bit_rate=448000 channels=6"),
        Sample("dec3", "0600 200400", "data_rate=192 num_ind_sub=1 num_dep_sub=0 channels=2"),
    ]

    static let dolbyVision: [Sample] = [5, 8, 20].map { (profile: UInt8) in
        Sample(
            DolbyVisionConfigurationBox(profile: profile, level: 6, baseLayerCompatibility: 4),
            "dv_profile=\(profile) dv_level=6 rpu_present_flag=1 el_present_flag=0 bl_present_flag=1"
                + " dv_bl_signal_compatibility_id=4",
            isOpen: true
        )
    }

    static let protection: [Sample] = [
        Sample("sinf", "0000000C 66726D61 61766331", "", children: ["frma"]),
        Sample(OriginalFormatBox(format: "avc1"), "data_format=avc1"),
        Sample(SchemeTypeBox(scheme: "cbcs", version: 0x10000), "scheme_type=cbcs"),
        Sample(
            TrackEncryptionBox(cryptByteBlock: 1, skipByteBlock: 9, keyID: key, constantIV: key),
            "isProtected=true pattern=1:9 Per_Sample_IV_Size=0 KID=\(hexKey) constant_IV=16 bytes, hidden"
        ),
        Sample(
            TrackEncryptionBox(cryptByteBlock: 0, skipByteBlock: 0, perSampleIVSize: 8, keyID: key),
            "isProtected=true pattern=0:0 Per_Sample_IV_Size=8 KID=\(hexKey) constant_IV=none"
        ), Sample(ProtectionSystemHeaderBox(systemID: key, data: [1, 2, 3]), "SystemID=\(hexKey) DataSize=3"),
        Sample(
            ProtectionSystemHeaderBox(systemID: key, keyIDs: [key], data: []),
            "SystemID=\(hexKey) DataSize=0 KID=\(hexKey)"
        ), Sample("senc", "00000002 00000000", "flags=2 sample_count=0"),
        Sample(AuxiliaryInformationSizesBox(sizes: [8, 8, 8]), "default_sample_info_size=8 sample_count=3"),
        Sample(AuxiliaryInformationOffsetsBox(offsets: [5, 7]), "offsets=5,7"),
    ]

    static let tables: [Sample] = [
        Sample("stts", "00000000 00000001 00000002 0000000A", "entry_count=1"),
        Sample("ctts", "00000000 00000001 00000002 0000000A", "entry_count=1"),
        Sample("stss", "00000000 00000001 00000001", "entry_count=1"),
        Sample("stsc", "00000000 00000001 00000001 00000002 00000001", "entry_count=1"),
        Sample("stsz", "00000000 00000000 00000002 00000005 00000006", "sample_count=2 sample_size=0"),
        Sample("stz2", "00000000 00000008 00000002 0506", "sample_count=2 sample_size=0"),
        Sample("stco", "00000000 00000002 00000030 00000040", "entry_count=2"),
        Sample("co64", "00000000 00000001 0000000000000030", "entry_count=1"),
        Sample("sbgp", "00000000 73656967 00000001 00000003 00000001", "grouping_type=seig entry_count=1"),
        Sample(
            SampleGroupDescriptionBox(groupingType: "seig", entries: [[1, 2], [3, 4]]),
            "grouping_type=seig entry_count=2"
        ),
    ]

    static let fragments: [Sample] = [
        Sample(MovieExtendsHeaderBox(fragmentDuration: 77), "fragment_duration=77"),
        Sample(
            TrackExtendsBox(trackID: 1, sampleDuration: 2, sampleSize: 3, sampleFlags: .nonSync),
            "track_ID=1 default_sample_duration=2"
        ),
        Sample(
            SegmentIndexBox(
                referenceID: 1,
                timescale: 90000,
                earliestPresentationTime: 5,
                firstOffset: 8,
                references: [.init(size: 99, duration: 4)]
            ),
            "timescale=90000 earliest_presentation_time=5 reference_count=1"
        ),
        Sample(
            EventMessageBox(
                schemeIDURI: "urn:x",
                value: "1",
                timescale: 1000,
                time: .delta(3),
                id: 4,
                messageData: [9]
            ),
            "scheme_id_uri=urn:x value=1 id=4",
            isOpen: true
        ),
        Sample(
            ProducerReferenceTimeBox(flags: 2, trackID: 1, ntpTimestamp: 5 << 31, mediaTime: 9),
            "reference_track_ID=1 ntp_timestamp=2.5 s media_time=9"
        ), Sample(MovieFragmentHeaderBox(sequenceNumber: 9), "sequence_number=9"),
        Sample(
            "tfhd",
            "00020009 00000001 0000000000000064 00000002",
            "track_ID=1 base_data_offset=100 default_sample_duration=2 default_base_is_moof=1"
        ), Sample(TrackFragmentDecodeTimeBox(baseMediaDecodeTime: 1 << 40), "baseMediaDecodeTime=1099511627776"),
        // A listing does not read the samples of a run.
        Sample("trun", "01000001 00000000 FFFFFFF8", "version=1 flags=0x1 sample_count=0 data_offset=-8"),
        Sample(
            TrackFragmentRandomAccessBox(trackID: 1, entries: [.init(time: 4, moofOffset: 1 << 33)]),
            "track_ID=1 number_of_entry=1"
        ), Sample(MovieFragmentRandomAccessOffsetBox(size: 100), "size=100"),
    ]

    @Test("contains each type once, and each type has a sample")
    func complete() {
        let types = BoxRegistry.boxes.flatMap { $0.types }
        #expect(Set(types).count == types.count)
        #expect(Set(Self.samples.map(\.type)).symmetricDifference(types).map(\.description).sorted() == [])
    }

    @Test("shows the fields and the child boxes of each box", arguments: samples)
    func shows(_ sample: Sample) throws {
        let tree = BoxTree(reading: sample.bytes.span.bytes)
        let box = try #require(tree.boxes.first)
        #expect(box.fields.map(\.description).joined(separator: " ") == sample.shows)
        #expect(box.children.map(\.type) == sample.children)
        #expect(tree.problem == nil && box.problem == nil)
    }

    @Test("reads boxes that are written as they were", arguments: samples)
    func roundTrip(_ sample: Sample) throws {
        func check<Kind: Box>(_: Kind.Type) throws {
            let box = try parsed(Kind.self, sample.bytes)
            // styp is read as the same type as ftyp, and written as it by another function.
            #expect(written(box).dropFirst(8) == sample.bytes.dropFirst(8))
            let shown = BoxTree(reading: sample.bytes.span.bytes).boxes.first?.fields ?? []
            // A listing may display more than the value contains, from the bytes.
            #expect(box.fields.allSatisfy { shown.contains($0) })
        }
        guard let kind = BoxRegistry.box(sample.type) as? any Box.Type else { return }
        try check(kind)
    }

    @Test("reports every truncation of a box with a fixed end", arguments: samples.filter { !$0.isOpen })
    func truncation(_ sample: Sample) throws {
        for length in 8..<sample.bytes.count {
            let short = written { $0.box(sample.type) { $0.write(sample.bytes[8..<length]) } }
            let box = try #require(BoxTree(reading: short.span.bytes).boxes.first)
            #expect(box.problem != nil, "\(length) of \(sample.bytes.count) bytes")
        }
    }

    @Test("does not contain an unknown box, which is shown with its type, size and offset")
    func unknown() {
        let bytes = written { $0.box("zzzz") { $0.write([1, 2, 3]) } }
        #expect(BoxRegistry.box("zzzz") == nil)
        #expect(BoxTree(reading: bytes.span.bytes).description == "zzzz @0 +11")
    }
}
