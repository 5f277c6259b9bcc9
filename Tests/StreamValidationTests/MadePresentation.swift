import HLSPlaylist
import MediaFormats

@testable import StreamValidation

/// Presentations of two variants and audio, with measurements that a fault is put into.
struct MadePresentation {
    static let main = """
        #EXTM3U
        #EXT-X-INDEPENDENT-SEGMENTS
        #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="English",LANGUAGE="en",CHANNELS="2",URI="audio.m3u8"
        #EXT-X-STREAM-INF:BANDWIDTH=896000,AVERAGE-BANDWIDTH=896000,CODECS="avc1.64001e,mp4a.40.2",RESOLUTION=640x360,FRAME-RATE=24.000,AUDIO="a"
        high.m3u8
        #EXT-X-STREAM-INF:BANDWIDTH=896001,AVERAGE-BANDWIDTH=896001,CODECS="avc1.64001e,mp4a.40.2",RESOLUTION=640x360,FRAME-RATE=24.000,AUDIO="a"
        low.m3u8

        """
    static let media = media("")

    /// A playlist of four segments of six seconds, with text before its first segment.
    static func media(_ head: String, segments: [String] = ["", "", "", ""]) -> String {
        let list = segments.enumerated().map { "\($1)#EXTINF:6,\n\($0).m4s\n" }.joined()
        return
            "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-PLAYLIST-TYPE:VOD\n#EXT-X-MAP:URI=\"i.mp4\"\n\(head)\(list)#EXT-X-ENDLIST\n"
    }

    var main = Self.main
    var playlists = ["high.m3u8": Self.media, "low.m3u8": Self.media, "audio.m3u8": Self.media]
    /// Changes the measurement of a segment: the playlist, the index of the segment, and its only track.
    var change: (String, Int, inout TrackMeasurement) -> Void = { _, _, _ in }
    /// Changes the measurement of a segment.
    var changeSegment: (String, Int, inout SegmentMeasurement) -> Void = { _, _, _ in }

    static let videoFormat: TrackFormat = {
        var format = TrackFormat(kind: .video, container: .mp4, sampleEntry: "avc1", codecs: "avc1.64001e")
        format.size = PictureSize(width: 640, height: 360)
        format.dynamicRange = .sdr
        return format
    }()
    static let audioFormat: TrackFormat = {
        var format = TrackFormat(kind: .audio, container: .mp4, sampleEntry: "mp4a", codecs: "mp4a.40.2")
        (format.channels, format.sampleRate, format.frameLength) = ("2", 48000, 1000)
        format.details.bandReplication = .implicit
        format.details.loudness = LoudnessRuleTests.box
        return format
    }()

    private func measurement(_ name: String, _ index: Int) -> SegmentMeasurement {
        let isAudio = name.hasPrefix("audio")
        var segment = SegmentMeasurement(container: .mp4, byteCount: isAudio ? 72_000 : 600_000)
        var track = TrackMeasurement(id: 1, format: isAudio ? Self.audioFormat : Self.videoFormat)
        let start = Int64(index) * 6 * 48000
        (track.sampleCount, track.byteCount) = (isAudio ? 288 : 144, segment.byteCount)
        track.sampleDurations = isAudio ? 1000...1000 : 2000...2000
        track.start = MediaTime(start, timescale: 48000)
        track.end = MediaTime(start + 6 * 48000, timescale: 48000)
        (track.decodeStart, track.decodeEnd) = (track.start, track.end)
        track.firstPicture = isAudio ? .unknown : .idr
        track.keyFrames = isAudio ? [] : [0, 2, 4].map { Double(index * 6 + $0) }
        change(name, index, &track)
        segment.tracks = [track]
        changeSegment(name, index, &segment)
        return segment
    }

    func rendition(_ name: String, _ roles: MeasuredRendition.Roles) throws -> MeasuredRendition {
        let file = try LintFile(name: name, bytes: Array((playlists[name] ?? Self.media).utf8))
        guard case .media(let playlist) = file.playlist else { throw PlaylistKindError() }
        let segments = try playlist.resolvedSegments().map { segment in
            var measured = MeasuredSegment(segment, line: 5 + 2 * segment.index)
            measured.outcome = .measured(measurement(name, segment.index))
            return measured
        }
        return MeasuredRendition(name: name, file: file, playlist: playlist, roles: roles, segments: segments)
    }

    struct PlaylistKindError: Error {}

    func measured() throws -> MeasuredPresentation {
        let file = try LintFile(name: "main.m3u8", bytes: Array(main.utf8))
        let renditions = try PlaylistReferences(file).references.map { try rendition($0.uri, $0.roles) }
        return MeasuredPresentation(multivariant: file, renditions: renditions)
    }

    /// The violated rules with their levels, such as `must enc-scheme`.
    func findings() throws -> [String] { Self.findings(of: try measured()) }

    /// Returns the violations of rules about encryption that only one target has.
    func encryptionFindingsOfTargets() throws -> [String] {
        let found = ValidationReport(try measured()).optionalFindings
        return Self.texts(found.filter { $0.rule.rawValue.hasPrefix("enc-") })
    }

    static func findings(of presentation: MeasuredPresentation) -> [String] {
        texts(ValidationReport(presentation).findings)
    }

    private static func texts(_ findings: [ValidationFinding]) -> [String] {
        var seen: [String] = []
        for finding in findings {
            let text = "\(finding.level.rawValue) \(finding.rule)"
            if !seen.contains(text) { seen.append(text) }
        }
        return seen
    }
}
