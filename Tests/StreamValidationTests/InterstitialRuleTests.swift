import HLSPlaylist
import MediaFormats
import Testing

@testable import StreamValidation

@Suite("The media of interstitials are compared with the content")
struct InterstitialRuleTests {
    /// Returns the violated rules about interstitials of the content with an asset that has the same media, in which a
    /// fault is put.
    private static func findings(
        video: @escaping (inout TrackMeasurement) -> Void = { _ in },
        segment: @escaping (inout SegmentMeasurement) -> Void = { _ in }
    ) throws -> [String] {
        let text = """
            #EXTM3U
            #EXT-X-TARGETDURATION:6
            #EXT-X-PROGRAM-DATE-TIME:2026-01-01T00:00:00Z
            #EXT-X-DATERANGE:ID="ad",CLASS="com.apple.hls.interstitial",START-DATE="2026-01-01T00:00:00Z",\
            X-ASSET-URI="https://films.example/ad.m3u8"
            #EXTINF:6,
            0.m4s
            #EXT-X-ENDLIST

            """
        let tag = try #require(try MediaPlaylist(parsing: Array(text.utf8)).dateRanges.first)
        var asset = MadePresentation()
        asset.change = { _, _, track in if track.format.kind == .video { video(&track) } }
        asset.changeSegment = { name, _, measured in if name != "audio.m3u8" { segment(&measured) } }
        var interstitial = MeasuredInterstitial(tag: tag, place: .init("high.m3u8", line: 4))
        interstitial.assets = [.init(uri: "ad.m3u8", presentation: try asset.measured())]
        var content = try MadePresentation().measured()
        content.interstitials = [interstitial]
        let report = ValidationReport(content)
        return (report.findings + report.optionalFindings).map { "\($0.level.rawValue) \($0.rule)" }
            .filter { $0.contains("interstitial-") }
    }

    @Test("without a finding if they are the same")
    func clean() throws {
        #expect(try Self.findings() == [])
    }

    @Test("by their video codecs")
    func codecs() throws {
        #expect(
            try Self.findings { track in
                track.format = TrackFormat(
                    kind: .video,
                    container: .mp4,
                    sampleEntry: "hvc1",
                    codecs: "hvc1.1.6.L93.B0"
                )
                track.format.size = MadePresentation.videoFormat.size
            } == ["should interstitial-codecs-differ"]
        )
        #expect(try Self.findings { $0.format.codecs = "avc1.4d401e" } == [], "another profile has the same decoder")
    }

    @Test("by their aspect ratios")
    func aspect() throws {
        func findings(_ width: Int, _ height: Int) throws -> [String] {
            try Self.findings { $0.format.size = PictureSize(width: width, height: height) }
        }
        #expect(try findings(640, 480) == ["should interstitial-aspect-differs"])
        #expect(try findings(1280, 720) == [])
        #expect(try findings(426, 240) == [], "rounded to whole pixels")
    }

    @Test("by their lowest bit rate")
    func bitRate() throws {
        // The lowest BANDWIDTH of the content is 896 kbit/s.
        #expect(try Self.findings(segment: { $0.byteCount = 800_000 }) == ["should interstitial-bit-rate"])
        #expect(try Self.findings(segment: { $0.byteCount = 730_000 }) == [])
    }

    @Test("by their frame rates", arguments: [(1000, true), (1600, false), (1920, false), (2000, true), (4000, true)])
    func frameRate(duration: Int64, isValid: Bool) throws {
        // The content has 24 frames per second: 2000 units each. 1600 units are 30 frames per second.
        let found = try Self.findings { track in
            track.sampleDurations = duration...duration
            track.sampleCount = Int(6 * 48_000 / duration)
        }
        #expect(found == (isValid ? [] : ["should interstitial-frame-rate"]))
    }
}
