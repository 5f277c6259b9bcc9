import HLSPlaylist
import MediaFormats
import Testing

@testable import StreamValidation

@Suite("Rules of single targets about formats")
struct TargetFormatRulesTests {
    /// Returns the violated rules of single targets among these.
    private static func findings(_ made: MadePresentation) throws -> [String] {
        let rules: Set<RuleID> = [
            "airplay2-channels-change", "airplay2-frame-rates-differ", "tvos-atmos-rates", "visionos-stereo-format",
            "airplay2-bit-rate-range",
        ]
        return ValidationReport(try made.measured()).optionalFindings.filter { rules.contains($0.rule) }
            .map { "\($0.level.rawValue) \($0.rule) \($0.measured ?? "")" }
    }

    /// A presentation in which the third segment of each playlist follows a discontinuity.
    private static func spliced(_ change: @escaping (inout TrackMeasurement) -> Void) -> MadePresentation {
        var made = MadePresentation()
        for name in ["high.m3u8", "low.m3u8", "audio.m3u8"] {
            made.playlists[name] = MadePresentation.media("", segments: ["", "", "#EXT-X-DISCONTINUITY\n", ""])
        }
        made.change = { name, index, track in if name != "low.m3u8", index >= 2 { change(&track) } }
        return made
    }

    @Test("Channels do not change at a discontinuity")
    func channels() throws {
        #expect(try Self.findings(Self.spliced { _ in }) == [])
        let made = Self.spliced { if $0.format.kind == .audio { $0.format.channels = "6" } }
        #expect(try Self.findings(made) == ["should airplay2-channels-change 6 after 2"])
        #expect(try Self.findings(Self.spliced { $0.format.channels = nil }) == [], "unknown")
    }

    @Test(
        "Frame rates are similar",
        arguments: [(1000, true), (1600, false), (1920, false), (2000, true), (4000, true)]
    )
    func frameRates(duration: Int64, isValid: Bool) throws {
        let found = try Self.findings(
            Self.spliced { track in
                guard track.format.kind == .video else { return }
                track.sampleDurations = duration...duration
                track.sampleCount = Int(6 * 48_000 / duration)
            }
        )
        #expect(found.map { $0.hasPrefix("should airplay2-frame-rates-differ") } == (isValid ? [] : [true]))
    }

    @Test("Dolby Atmos has one bit rate")
    func atmos() throws {
        let other = "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"b\",NAME=\"English\",LANGUAGE=\"en\",URI=\"audio2.m3u8\"\n"
        func findings(_ channels: String, _ size: Int, _ tag: String = other) throws -> [String] {
            var made = MadePresentation(
                main: MadePresentation.main.replacing("#EXT-X-STREAM", with: tag + "#EXT-X-STREAM", maxReplacements: 1)
            )
            made.change = { _, _, track in
                guard track.format.kind == .audio else { return }
                (track.format.sampleEntry, track.format.codecs, track.format.channels) = ("ec-3", "ec-3", channels)
            }
            made.changeSegment = { name, _, segment in if name == "audio2.m3u8" { segment.byteCount = size } }
            return try Self.findings(made)
        }
        #expect(try findings("16/JOC", 144_000) == ["should tvos-atmos-rates 192 kbit/s"])
        #expect(try findings("16/JOC", 73_000) == [])
        #expect(try findings("6", 144_000) == [], "not Dolby Atmos")
        let german = other.replacing("English", with: "Deutsch").replacing("\"en\"", with: "\"de\"")
        #expect(try findings("16/JOC", 144_000, german) == [], "another language")
    }

    @Test("Stereo video is MV-HEVC")
    func stereo() throws {
        func findings(_ layout: String, isStereo: Bool) throws -> [String] {
            var made = MadePresentation(
                main: MadePresentation.main.replacing(
                    "FRAME-RATE=24.000",
                    with: "FRAME-RATE=24.000,REQ-VIDEO-LAYOUT=\"\(layout)\""
                )
            )
            made.change = { _, _, track in if track.format.kind == .video { track.format.details.isStereo = isStereo } }
            return try Self.findings(made)
        }
        let found = ["must visionos-stereo-format avc1.64001e", "must visionos-stereo-format avc1.64001e"]
        #expect(try findings("CH-STEREO", isStereo: false) == found)
        #expect(try findings("CH-STEREO/PROJ-RECT,CH-MONO", isStereo: false) == found)
        #expect(try findings("CH-STEREO", isStereo: true) == [])
        #expect(try findings("CH-MONO", isStereo: false) == [])
    }

    @Test("Each codec and frame rate has low bit rates")
    func ladders() throws {
        func findings(_ change: (String) -> String) throws -> [String] {
            let variant =
                "#EXT-X-STREAM-INF:BANDWIDTH=5000000,AVERAGE-BANDWIDTH=4000000,CODECS=\"avc1.64001e,mp4a.40.2\","
            let tag = variant + "RESOLUTION=640x360,FRAME-RATE=24.000,AUDIO=\"a\"\nbest.m3u8\n"
            return try Self.findings(MadePresentation(main: MadePresentation.main + change(tag)))
        }
        #expect(try findings { $0 } == [])
        let found = ["should airplay2-bit-rate-range 4000 kbit/s"]
        #expect(try findings { $0.replacing("24.000", with: "60.000") } == found)
        #expect(try findings { $0.replacing("avc1.64001e", with: "hvc1.2.4.L123.B0") } == found)
        #expect(try findings { $0.replacing("=4000000", with: "=2500000").replacing("24.000", with: "60.000") } == [])
        #expect(try findings { $0.replacing("FRAME-RATE=24.000,", with: "") } == [], "unknown")
    }
}
