import HLSPlaylist
import Testing

@testable import StreamValidation

@Suite("Rules of single targets and of CMAF about media")
struct TargetMediaRulesTests {
    private static func format(
        _ kind: TrackFormat.Kind,
        _ container: TrackFormat.Container,
        _ entry: String,
        codecs: String? = nil,
        scheme: String? = nil
    ) -> TrackFormat {
        var format = TrackFormat(kind: kind, container: container, sampleEntry: entry, codecs: codecs)
        format.protection = scheme.map { .init(scheme: $0) }
        return format
    }

    /// A presentation with one variant, whose only segment has tracks with these formats.
    private static func findings(
        _ formats: [TrackFormat],
        bandwidth: Int = 150_000,
        keyFrames: [Double] = [],
        tags: String = "",
        segments: Int = 1,
        end: String = "#EXT-X-ENDLIST\n"
    ) throws -> [RuleID: ValidationFinding] {
        let text = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=\(bandwidth)\nmedia.m3u8\n"
        let main = try LintFile(name: "main.m3u8", bytes: Array(text.utf8))
        let list = (0..<segments).map { "#EXTINF:6,\n\($0).ts\n" }.joined()
        let media = "#EXTM3U\n#EXT-X-TARGETDURATION:6\n\(tags)\(list)\(end)"
        let file = try LintFile(name: "media.m3u8", bytes: Array(media.utf8))
        guard case .media(let playlist) = file.playlist else { throw ResourceFailure(reason: "not a Media Playlist") }
        var measured = try playlist.resolvedSegments().map { MeasuredSegment($0, line: 4) }
        var measurement = SegmentMeasurement(container: formats.first?.container ?? .mp4, byteCount: 1000)
        measurement.tracks = formats.enumerated().map { index, format in
            var track = TrackMeasurement(id: UInt32(index + 1), format: format)
            if format.kind == .video { track.keyFrames = keyFrames }
            return track
        }
        for index in measured.indices { measured[index].outcome = .measured(measurement) }
        let rendition = MeasuredRendition(
            name: "media.m3u8",
            file: file,
            playlist: playlist,
            roles: PlaylistReferences(main).references[0].roles,
            segments: measured
        )
        let report = ValidationReport(MeasuredPresentation(multivariant: main, renditions: [rendition]))
        return Dictionary(report.optionalFindings.map { ($0.rule, $0) }, uniquingKeysWith: { first, _ in first })
    }

    @Test("The variant for cellular networks is H.264 in transport streams")
    func cellularFormat() throws {
        let rule: RuleID = "ios-cellular-variant-format"
        let movie = Self.format(.video, .mp4, "avc1")
        #expect(try Self.findings([movie])[rule]?.measured == "avc1 in mp4")
        #expect(try Self.findings([movie], bandwidth: 192_001)[rule] == nil)
        #expect(try Self.findings([Self.format(.video, .transportStream, "avc1")])[rule] == nil)
        #expect(try Self.findings([Self.format(.audio, .mp4, "mp4a")])[rule] == nil)
    }

    @Test("Subtitles for AirPlay 2 are WebVTT")
    func subtitles() throws {
        let rule: RuleID = "airplay2-subtitle-format"
        #expect(try Self.findings([Self.format(.subtitles, .mp4, "stpp")])[rule]?.measured == "stpp")
        #expect(try Self.findings([Self.format(.subtitles, .mp4, "wvtt")])[rule] == nil)
        #expect(try Self.findings([Self.format(.subtitles, .webVTT, "wvtt")])[rule] == nil)
    }

    @Test("Live playlists for tvOS have two hours")
    func liveWindow() throws {
        let rule: RuleID = "tvos-live-window"
        let video = [Self.format(.video, .mp4, "avc1")]
        let tags = "#EXT-X-MEDIA-SEQUENCE:100\n"
        #expect(try Self.findings(video, tags: tags, segments: 1199, end: "")[rule]?.measured == "7194.000 s")
        #expect(try Self.findings(video, tags: tags, segments: 1200, end: "")[rule] == nil)
        #expect(try Self.findings(video, tags: tags)[rule] == nil, "ended")
        #expect(try Self.findings(video, end: "")[rule] == nil, "no segment was removed yet")
    }

    @Test(
        "Podcasts have key frames each 2 to 6 seconds",
        arguments: [([0, 2], true), ([0, 6], true), ([0, 1], false), ([0, 7], false)]
    )
    func podcastKeyFrames(times: [Double], isValid: Bool) throws {
        let found = try Self.findings([Self.format(.video, .mp4, "avc1")], keyFrames: times)["podcasts-key-frames"]
        #expect((found == nil) == isValid)
    }

    @Test("Podcasts have AAC-LC with 48 kHz")
    func podcastAudio() throws {
        let rule: RuleID = "podcasts-audio-format"
        var format = Self.format(.audio, .mp4, "mp4a", codecs: "mp4a.40.2")
        format.sampleRate = 48_000
        #expect(try Self.findings([format])[rule] == nil)
        format.sampleRate = 44_100
        #expect(try Self.findings([format])[rule]?.measured == "mp4a.40.2, 44100 Hz")
        #expect(try Self.findings([Self.format(.audio, .mp4, "mp4a", codecs: "mp4a.40.5")])[rule] != nil)
    }

    @Test("CMAF is fragmented MP4 with one track, clear or with cbcs, and has session keys")
    func cmaf() throws {
        let video = Self.format(.video, .mp4, "avc1")
        let clean = try Self.findings([video]).keys.filter { $0.rawValue.hasPrefix("cmaf-") }
        #expect(clean.isEmpty)
        #expect(
            try Self.findings([Self.format(.video, .transportStream, "avc1")])["cmaf-container"]?.measured == "mpeg-ts"
        )
        #expect(try Self.findings([video, Self.format(.audio, .mp4, "mp4a")])["cmaf-single-track"] != nil)
        let scheme: RuleID = "cmaf-encryption-scheme"
        #expect(try Self.findings([Self.format(.video, .mp4, "avc1", scheme: "cenc")])[scheme]?.measured == "cenc")
        #expect(try Self.findings([Self.format(.video, .mp4, "avc1", scheme: "cbcs")])[scheme] == nil)
        let key = "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://a\",KEYFORMAT=\"com.apple.streamingkeydelivery\"\n"
        #expect(try Self.findings([video], tags: key)["cmaf-session-key"] != nil)
    }

    @Test("These rules are not among the general findings")
    func separation() throws {
        let found = try Self.findings([Self.format(.video, .transportStream, "hvc1")])
        #expect(found.keys.allSatisfy { RuleCatalog.rule($0)?.isOptional == true } && !found.isEmpty)
        let rule = try #require(RuleCatalog.rule("default-variant-rate"))
        #expect(rule.isOptional && rule.number.target == .general)
    }
}
