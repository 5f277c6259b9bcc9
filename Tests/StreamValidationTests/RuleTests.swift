import HLSPlaylist
import MediaFormats
import Testing

@testable import StreamValidation

@Suite("A fault violates exactly its rule")
struct RuleTests {
    /// Returns the findings after the format of the video is changed in both variants.
    private static func video(
        _ main: String = MadePresentation.main,
        _ change: @escaping (inout TrackFormat) -> Void
    ) throws -> [String] {
        var made = MadePresentation(main: main)
        made.change = { name, _, track in if name != "audio.m3u8" { change(&track.format) } }
        return try made.findings()
    }

    private static func tracks(_ change: @escaping (String, inout TrackMeasurement) -> Void) throws -> [String] {
        var made = MadePresentation()
        made.change = { name, _, track in change(name, &track) }
        return try made.findings()
    }

    private static func structure(_ change: @escaping (inout MovieStructure) -> Void) throws -> [String] {
        var made = MadePresentation()
        made.changeSegment = { _, _, segment in
            var structure = MovieStructure([UInt8]().span.bytes)
            structure.fragmentCount = 1
            change(&structure)
            segment.structure = structure
        }
        return try made.findings()
    }

    @Test("Nothing is found in a presentation without a fault")
    func clean() throws { #expect(try MadePresentation().findings() == []) }

    @Test("of containers")
    func containers() throws {
        #expect(try Self.structure { $0.hasMovie = false } == [])
        #expect(try Self.structure { $0.hasMovie = true } == ["should segment-with-movie"])
        #expect(try Self.structure { $0.hasFileOffsets = true } == ["must samples-located-by-file"])
        #expect(try Self.structure { $0.lacksDecodeTime = true } == ["must decode-time-missing"])
        #expect(try Self.structure { $0.lacksAuxiliaryInformation = true } == [])
        #expect(try Self.video { $0.details.isSelfContained = false } == ["must samples-in-other-file"])
        #expect(try Self.video { $0.details.hasParameterSets = false } == ["must parameter-sets-missing"])
        var made = MadePresentation()
        made.changeSegment = { _, _, segment in segment.damagedCues = 1 }
        #expect(try made.findings() == ["should webvtt-cue-damaged"])
    }

    @Test("of HDR10 and its metadata")
    func hdr10() throws {
        let main = MadePresentation.main.replacing("AUDIO=\"a\"\n", with: "VIDEO-RANGE=PQ,AUDIO=\"a\"\n")
        #expect(try Self.video(main) { $0.dynamicRange = .pq } == ["should hdr10-metadata-missing"])
        let complete: (inout TrackFormat) -> Void = { format in
            format.dynamicRange = .pq
            (format.details.hasMasteringDisplay, format.details.hasContentLightLevel) = (true, true)
        }
        #expect(try Self.video(main, complete) == [])
        var made = MadePresentation(main: main)
        made.change = { name, _, track in
            guard name != "audio.m3u8" else { return }
            (track.format.dynamicRange, track.hasStaticHDRMetadata) = (.pq, true)
        }
        #expect(try made.findings() == ["should hdr10-metadata-in-pictures"])
    }

    @Test("of Dolby Vision")
    func dolbyVision() throws {
        func main(_ supplemental: String) -> String {
            MadePresentation.main.replacing("avc1.64001e", with: "hvc1.2.4.L123.B0")
                .replacing("AUDIO=\"a\"\n", with: "VIDEO-RANGE=HLG,\(supplemental)AUDIO=\"a\"\n")
        }
        func format(_ profile: Int, _ level: Int, _ supplemental: String?) -> (inout TrackFormat) -> Void {
            { format in
                (format.sampleEntry, format.codecs, format.dynamicRange) = ("hvc1", "hvc1.2.4.L123.B0", .hlg)
                format.details.dolbyVision = .init(profile: profile, level: level, supplementalCodecs: supplemental)
            }
        }
        let declared = #"SUPPLEMENTAL-CODECS="dvh1.08.04/db4h","#
        #expect(try Self.video(main(declared), format(8, 4, "dvh1.08.04/db4h")) == [])
        #expect(try Self.video(main(""), format(8, 4, "dvh1.08.04/db4h")) == ["should supplemental-codecs-differ"])
        #expect(try Self.video(main(declared), format(8, 4, "dvh1.08.04/db1p")) == ["must supplemental-codecs-differ"])
        #expect(try Self.video(main(""), format(7, 4, nil)) == ["must dolby-vision-profile"])
        #expect(try Self.video(main(""), format(5, 8, nil)) == ["should dolby-vision-profile"])
        #expect(try Self.video(main(""), format(5, 10, nil)) == ["must dolby-vision-profile"])
    }

    @Test("of color spaces, stereo video and levels")
    func video() throws {
        var made = MadePresentation()
        made.change = { name, _, track in
            guard name != "audio.m3u8" else { return }
            let primaries: UInt8 = name == "high.m3u8" ? 1 : 9
            track.format.details.color = ColorDescription(primaries: primaries, transfer: 1, matrix: 1)
        }
        #expect(try made.findings() == ["should color-spaces-differ"])
        let mixed = MadePresentation.main.replacing(
            "AUDIO=\"a\"\n",
            with: "REQ-VIDEO-LAYOUT=\"CH-STEREO\",AUDIO=\"a\"\n"
        )
        func partlyStereo(_ main: String) throws -> [String] {
            var made = MadePresentation(main: main)
            made.change = { name, index, track in
                guard name != "audio.m3u8", index > 1 else { return }
                (track.format.details.isStereo, track.format.details.hasExtendedUsage) = (true, true)
            }
            return try made.findings()
        }
        #expect(try partlyStereo(mixed) == ["must video-layout-mono-undeclared"])
        #expect(try partlyStereo(mixed.replacing("CH-STEREO", with: "CH-STEREO,CH-MONO")) == [])
        let stereo = try Self.video { $0.details.isStereo = true }
        #expect(stereo == ["must stereo-without-vexu", "must video-layout-undeclared"])
        // The linter judges the levels that a Multivariant Playlist declares.
        func alone(_ codecs: String) throws -> [String] {
            var made = MadePresentation()
            made.change = { _, _, track in track.format.codecs = codecs }
            let rendition = try made.rendition("high.m3u8", MeasuredRendition.Roles())
            return MadePresentation.findings(of: MeasuredPresentation(multivariant: nil, renditions: [rendition]))
        }
        #expect(try alone("avc1.640034") == [] && alone("avc1.64003c") == ["must level-too-high"])
    }

    @Test("of the signaling of HE-AAC, which is not taken for AAC-LC")
    func highEfficiencyAAC() throws {
        func audio(_ main: String, _ change: @escaping (inout TrackMeasurement) -> Void) throws -> [String] {
            var made = MadePresentation(main: main)
            made.change = { name, _, track in if name == "audio.m3u8" { change(&track) } }
            return try made.findings()
        }
        let declared = MadePresentation.main.replacing("mp4a.40.2", with: "mp4a.40.5")
        #expect(try audio(declared) { $0.byteCount = 30_000 } == ["must he-aac-signaling"])
        let packed = try audio(declared) { track in
            (track.format.container, track.format.details.bandReplication) = (.packedAudio, nil)
            track.byteCount = 30_000
        }
        #expect(packed == [])
        let explicit: (Int) -> (inout TrackMeasurement) -> Void = { bytes in
            { track in
                (track.format.codecs, track.format.details.bandReplication) = ("mp4a.40.5", .explicit)
                track.byteCount = bytes
            }
        }
        #expect(try audio(declared, explicit(45_000)) == [])
        #expect(try audio(declared, explicit(72_000)) == ["should he-aac-bit-rate"])
        let extended = try audio(MadePresentation.main) { $0.format.details.bandReplication = .backwardCompatible }
        #expect(extended == ["must he-aac-signaling"])
        let loud = try audio(MadePresentation.main) { $0.byteCount = 150_000 }
        #expect(loud == ["should audio-bit-rate-high"])
    }

    @Test("of formats that are declared and do not exist")
    func superfluous() throws {
        let main = MadePresentation.main.replacing("mp4a.40.2", with: "mp4a.40.2,ec-3")
        #expect(try MadePresentation(main: main).findings() == ["should codecs-superfluous"])
    }

    @Test("of codecs")
    func codecs() throws {
        func alone(_ kind: TrackFormat.Kind, _ entry: String) throws -> [String] {
            var made = MadePresentation()
            made.change = { _, _, track in
                (track.format.kind, track.format.sampleEntry, track.format.codecs) = (kind, entry, entry)
                track.format.details.loudness = LoudnessRuleTests.box
            }
            let rendition = try made.rendition("high.m3u8", MeasuredRendition.Roles())
            return MadePresentation.findings(of: MeasuredPresentation(multivariant: nil, renditions: [rendition]))
        }
        #expect(try alone(.video, "av01") == [] && alone(.audio, "fLaC") == [])
        #expect(try alone(.video, "vp09") == ["must video-codec"])
        #expect(try alone(.other, "stream type 2") == ["must video-codec"])
        #expect(try alone(.audio, "Opus") == ["should audio-codec"])
        var made = MadePresentation()
        made.playlists["high.m3u8"] = MadePresentation.media("", segments: ["", "", "#EXT-X-DISCONTINUITY\n", ""])
        made.change = { name, index, track in
            guard name == "high.m3u8", index > 1 else { return }
            (track.format.sampleEntry, track.format.codecs) = ("hvc1", "hvc1.1.6.L60.90")
        }
        #expect(try made.findings().contains("should codec-changes"))
    }

    @Test("of multichannel audio beside video")
    func multichannel() throws {
        var made = MadePresentation()
        var format = MadePresentation.audioFormat
        made.changeSegment = { name, index, segment in
            guard name == "high.m3u8" else { return }
            var audio = segment.tracks[0]
            audio.format = format
            audio.id = 2
            segment.tracks.append(audio)
        }
        #expect(try !made.findings().contains("must multichannel-audio-muxed"))
        format.channels = "6"
        #expect(try made.findings().contains("must multichannel-audio-muxed"))
    }

    @Test("of subtitles and captions")
    func subtitles() throws {
        let tag = "#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID=\"s\",NAME=\"English\",LANGUAGE=\"en\",URI=\"text.m3u8\"\n"
        var made = MadePresentation(
            main: MadePresentation.main.replacing("#EXT-X-MEDIA:TYPE=AUDIO", with: tag + "#EXT-X-MEDIA:TYPE=AUDIO")
                .replacing("AUDIO=\"a\"\n", with: "AUDIO=\"a\",SUBTITLES=\"s\"\n")
        )
        var format = TrackFormat(kind: .subtitles, container: .webVTT, sampleEntry: "wvtt")
        made.changeSegment = { name, _, segment in
            guard name == "text.m3u8" else { return }
            segment.byteCount = 100
            segment.tracks = [TrackMeasurement(id: 0, format: format)]
        }
        #expect(try made.findings() == [])
        format = TrackFormat(kind: .subtitles, container: .mp4, sampleEntry: "tx3g")
        #expect(try made.findings() == ["must subtitle-format"])

        let captions =
            "#EXT-X-MEDIA:TYPE=CLOSED-CAPTIONS,GROUP-ID=\"c\",NAME=\"English\",LANGUAGE=\"en\",INSTREAM-ID=\"CC1\"\n"
        var captioned = MadePresentation(
            main: MadePresentation.main.replacing("#EXT-X-MEDIA", with: captions + "#EXT-X-MEDIA")
                .replacing("AUDIO=\"a\"\n", with: "AUDIO=\"a\",CLOSED-CAPTIONS=\"c\"\n")
        )
        #expect(try captioned.findings() == ["should captions-not-found"])
        captioned.change = { _, _, track in track.hasClosedCaptions = track.format.kind == .video }
        #expect(try captioned.findings() == [])
    }

    @Test("of starts and failover")
    func alignment() throws {
        func shifted(_ seconds: Double) throws -> [String] {
            try Self.tracks { name, track in
                guard name == "audio.m3u8", let start = track.start, let end = track.end else { return }
                track.start = MediaTime(start.value + Int64(seconds * 48000), timescale: 48000)
                track.end = MediaTime(end.value + Int64(seconds * 48000), timescale: 48000)
                (track.decodeStart, track.decodeEnd) = (track.start, track.end)
            }
        }
        #expect(
            try shifted(0.1) == [] && shifted(1) == ["should starts-differ"] && shifted(7) == ["must starts-differ"]
        )

        let main = MadePresentation.main.replacing("896001", with: "896000")
        #expect(try MadePresentation(main: main).findings() == [])
        var other = MadePresentation(main: main)
        other.changeSegment = { name, index, segment in
            if name == "low.m3u8", index == 2 { segment.byteCount -= 1 }
        }
        #expect(try other.findings() == ["should failover-differs"])
    }

    @Test("of interlaced video and I-frames")
    func pictures() throws {
        #expect(try Self.tracks { _, track in track.hasFields = track.format.kind == .video } == ["must interlaced"])
        #expect(try Self.video { $0.details.mayBeInterlaced = true } == ["should interlaced"])
        let tag =
            "#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=16000,CODECS=\"avc1.64001e\",RESOLUTION=640x360,URI=\"i.m3u8\"\n"
        var made = MadePresentation(main: MadePresentation.main + tag)
        made.playlists["i.m3u8"] = MadePresentation.media("#EXT-X-I-FRAMES-ONLY\n")
        made.changeSegment = { name, _, segment in if name == "i.m3u8" { segment.byteCount = 12_000 } }
        #expect(try made.findings() == [])
        made.change = { name, _, track in if name == "i.m3u8" { track.firstPicture = .other } }
        #expect(try made.findings() == ["must i-frame-not-key-frame"])
        made.change = { _, _, _ in }
        made.changeSegment = { name, _, segment in
            guard name == "i.m3u8" else { return }
            (segment.byteCount, segment.structure) = (12_000, MovieStructure([UInt8]().span.bytes))
        }
        #expect(try made.findings() == ["must i-frame-without-fragment"])
    }

    @Test("of the bit rate of I-frames")
    func iFrameRate() throws {
        let tag =
            "#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=800000,CODECS=\"avc1.64001e\",RESOLUTION=640x360,URI=\"i.m3u8\"\n"
        var made = MadePresentation(main: MadePresentation.main + tag)
        made.playlists["i.m3u8"] = MadePresentation.media("#EXT-X-I-FRAMES-ONLY\n")
        // One I-frame each six seconds of variants with 800 kbit/s: 17 kbit/s.
        made.changeSegment = { name, _, segment in if name == "i.m3u8" { segment.byteCount = 12_000 } }
        made.main = made.main.replacing("BANDWIDTH=800000,CODECS", with: "BANDWIDTH=16000,CODECS")
        #expect(try made.findings() == [])
        made.changeSegment = { name, _, segment in if name == "i.m3u8" { segment.byteCount = 48_000 } }
        made.main = made.main.replacing("BANDWIDTH=16000,CODECS", with: "BANDWIDTH=64000,CODECS")
        #expect(try made.findings() == ["should i-frame-rate-high"])
    }

    @Test(
        "of the recommended bit rate of I-frames: twice 45 kbit/s for H.264 with a width of 640, 200 for HEVC with 960"
    )
    func recommendedIFrameRate() throws {
        let tag =
            "#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=96000,CODECS=\"avc1.64001e\",RESOLUTION=640x360,URI=\"i.m3u8\"\n"
        var made = MadePresentation(main: MadePresentation.main + tag)
        made.playlists["i.m3u8"] = MadePresentation.media("#EXT-X-I-FRAMES-ONLY\n")
        func has(_ kilobits: Int, variant: Int = 8000) throws -> [String] {
            made.changeSegment = { name, _, segment in
                if name == "i.m3u8" { segment.byteCount = kilobits * 750 }
                if name.hasSuffix("h.m3u8") || name == "low.m3u8" { segment.byteCount = variant * 750 }
            }
            return try made.findings().filter { $0.contains("i-frame-rate") }
        }
        #expect(try has(90) == [])
        #expect(try has(91) == ["advice i-frame-rate-not-recommended"])
        // What is too much for the variants is one finding.
        #expect(try has(91, variant: 800) == ["should i-frame-rate-high"])
        made.change = { name, _, track in
            guard name != "audio.m3u8" else { return }
            (track.format.codecs, track.format.size) = ("hvc1.2.4.L93.B0", PictureSize(width: 960, height: 540))
        }
        #expect(try has(400, variant: 80_000) == [])
        #expect(try has(401, variant: 80_000) == ["advice i-frame-rate-not-recommended"])
        made.change = { name, _, track in
            if name != "audio.m3u8" { track.format.size = PictureSize(width: 641, height: 360) }
        }
        #expect(try has(1000, variant: 80_000) == [])
    }

    @Test("of HTTP responses")
    func delivery() throws {
        var presentation = try MadePresentation().measured()
        var http = HTTPObservation()
        (http.status, http.isSecure, http.contentType) = (200, true, "video/mp4")
        for index in presentation.renditions.indices {
            for segment in presentation.renditions[index].segments.indices {
                presentation.renditions[index].segments[segment].http = http
            }
        }
        #expect(MadePresentation.findings(of: presentation) == [])
        presentation.renditions[0].segments[1].byteRange = 0..<600_000
        #expect(MadePresentation.findings(of: presentation) == ["must range-ignored"])
        presentation.renditions[0].segments[1].http?.status = 206
        #expect(MadePresentation.findings(of: presentation) == [])
        presentation.renditions[0].segments[1].http?.contentType = "application/octet-stream"
        #expect(MadePresentation.findings(of: presentation) == ["should segment-media-type"])

        let live = MadePresentation.media.replacing("#EXT-X-PLAYLIST-TYPE:VOD\n", with: "")
            .replacing("#EXT-X-ENDLIST\n", with: "")
        var made = MadePresentation()
        for name in ["high.m3u8", "low.m3u8", "audio.m3u8"] { made.playlists[name] = live }
        var watched = try made.measured()
        (http.contentType, http.contentEncoding) = ("application/vnd.apple.mpegurl", "gzip")
        http.secondsSinceModification = 18
        watched.renditions[0].http = http
        #expect(MadePresentation.findings(of: watched) == [])
        watched.renditions[0].http?.secondsSinceModification = 19
        #expect(MadePresentation.findings(of: watched) == ["should playlist-stale"])
    }
}
