import DRMSignaling
import Foundation
import HLSPlaylist
import MediaFormats
import Testing

@testable import Packager

@Suite("Start of a presentation")
struct PresentationStartTests {
    /// A track of film.mp4 (three seconds, 12 frames per second, a key frame each second), delayed.
    private static func delayed(_ kind: MediaTrack.Kind, by seconds: Double, in folder: ScratchFolder) throws -> String
    {
        let input = try MediaInputs.open(PipelineFixture.path("film.mp4"))
        let wanted = try #require(input.tracks.firstIndex { $0.kind == kind })
        var samples: [MediaSample] = []
        while case .sample(let index, let sample)? = try input.next() { if index == wanted { samples.append(sample) } }
        var track = input.tracks[wanted]
        track.timing = TrackTiming(
            timescale: track.timescale,
            mediaTime: track.timing.mediaTime,
            delay: UInt64(seconds * Double(track.timescale))
        )
        return try TestTrack(track: track, samples: samples).save("\(kind).mp4", in: folder)
    }

    private static func subtitles(in folder: ScratchFolder) throws -> String {
        let path = folder.path + "/sub.vtt"
        let cues = (0..<5).map { "00:00:0\($0).200 --> 00:00:0\($0).800\ncue \($0)\n" }
        try Data("WEBVTT\n\n\(cues.joined(separator: "\n"))".utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    private static func isClose(_ left: [Double], _ right: [Double]) -> Bool {
        left.count == right.count && zip(left, right).allSatisfy { abs($0 - $1) < 0.1 }
    }

    @Test("with audio that starts late has a gap in the audio playlist, and a warning")
    func lateAudio() throws {
        let folder = try ScratchFolder()
        let inputs = [
            try Self.delayed(.video, by: 0, in: folder), try Self.delayed(.audio, by: 1.5, in: folder),
        ]
        let packaged = try Packaged(inputs, in: folder)
        #expect(Self.isClose(try packaged.durations("video-64/media.m3u8"), [1, 1, 1]))
        // The gap follows the segments of the video, and the first audio segment is the rest of the second one.
        let audio = try packaged.durations("audio/media.m3u8")
        #expect(Self.isClose(audio, [-1, -0.5, 0.5, 1, 1, 0.5]))
        #expect(
            packaged.report.warnings.contains { $0.contains("audio starts 1.4") || $0.contains("audio starts 1.5") }
        )
        let text = try packaged.text("audio/media.m3u8")
        let order = try ["EXT-X-MAP", "EXT-X-GAP", "gap-1", "gap-2", "1.m4s"].map {
            try #require(text.firstRange(of: $0)).lowerBound
        }
        #expect(order == order.sorted())
        for name in ["video-64/media.m3u8", "video-64/iframes.m3u8", "audio/media.m3u8", "main.m3u8"] {
            let findings = Linter().check(try LintFile(name: name, bytes: folder.bytes("out/" + name)))
            #expect(findings.allSatisfy { $0.severity != .error }, "\(name): \(findings)")
        }
        // The bit rates are those of the media.
        let variant = try #require(packaged.main.variants.first)
        #expect(variant.averageBandwidth.map { $0 > 20_000 } == true)
    }

    @Test("with video that starts late has a gap in the video playlists, and audio is cut where the video starts")
    func lateVideo() throws {
        let folder = try ScratchFolder()
        let inputs = [
            try Self.delayed(.video, by: 2.5, in: folder), try Self.delayed(.audio, by: 0, in: folder),
            try Self.subtitles(in: folder),
        ]
        let packaged = try Packaged(inputs, in: folder)
        let audio = try packaged.durations("audio/media.m3u8")
        let video = try packaged.durations("video-64/media.m3u8")
        #expect(Self.isClose(audio, [0.5, 1, 1, 0.5]))
        #expect(Self.isClose(video, [-0.5, -1, -1, 1, 1, 1]))
        #expect(try packaged.durations("video-64/iframes.m3u8").filter { $0 < 0 } == video.filter { $0 < 0 })
        // All playlists cover the same time, so the first subtitle segment includes the time before the video.
        let subtitles = try packaged.durations("subtitles/media.m3u8")
        #expect(Self.isClose(subtitles, [3.5, 1, 1]))
        let first = try packaged.text("subtitles/1.vtt")
        #expect((0...3).allSatisfy { first.contains("cue \($0)") } && !first.contains("cue 4"))
    }

    @Test("has no gap where the IVs of AES-128 are the numbers of the segments", arguments: [false, true])
    func numberedIVs(hasIV: Bool) throws {
        let folder = try ScratchFolder()
        let inputs = [
            try Self.delayed(.video, by: 0, in: folder), try Self.delayed(.audio, by: 1.5, in: folder),
        ]
        let keys = try PipelineFixture.job([], to: folder.path, scheme: .aes128)
        let shared = try #require(keys.keys.shared)
        let packaged = try Packaged(inputs, in: folder) {
            ($0.scheme, $0.systems, $0.keyURI, $0.manifests) = (.aes128, keys.systems, keys.keyURI, [.hls])
            $0.keys = ContentKeys(
                shared: hasIV ? shared : try PackagingKey(keyID: shared.keyID, key: PipelineFixture.key, iv: nil)
            )
        }
        #expect(try packaged.durations("audio/media.m3u8").contains { $0 < 0 } == hasIV)
        #expect(packaged.report.warnings.contains { $0.contains("give an IV") } == !hasIV)
    }

    @Test("with a delay of less than half a second is unchanged")
    func shortDelay() throws {
        let folder = try ScratchFolder()
        let inputs = [
            try Self.delayed(.video, by: 0.3, in: folder), try Self.delayed(.audio, by: 0, in: folder),
        ]
        let packaged = try Packaged(inputs, in: folder)
        #expect(Self.isClose(try packaged.durations("video-64/media.m3u8"), [1, 1, 1]))
        #expect(try packaged.durations("audio/media.m3u8").allSatisfy { $0 > 0 })
        #expect(packaged.report.warnings == [])
    }

    /// The case of a recording that starts at 10 s: cue times count from its start.
    @Test(
        "after 0 is the start of the subtitles (RFC 8216bis, 3.1.4)",
        arguments: [(PackagingJob.Container.fmp4, 900_000), (.ts, 1_800_000)]
    )
    func subtitles(container: PackagingJob.Container, timestamp: Int) throws {
        let folder = try ScratchFolder()
        let inputs = [try Self.delayed(.video, by: 10, in: folder), try Self.subtitles(in: folder)]
        let packaged = try Packaged(inputs, in: folder) {
            $0.container = container
            if container == .ts { $0.manifests = [.hls] }
        }
        #expect(Self.isClose(try packaged.durations("video-64/media.m3u8"), [1, 1, 1]))
        for number in 1...3 {
            let text = try packaged.text("subtitles/\(number).vtt")
            #expect(text.contains("X-TIMESTAMP-MAP=MPEGTS:\(timestamp),LOCAL:00:00:00.000"))
            #expect(text.contains("cue \(number - 1)"))
        }
        guard container == .fmp4 else { return }
        // In DASH, cue times count from the start of the Period.
        let manifest = try packaged.text("main.mpd")
        #expect(manifest.contains(#"start="PT0S""#))
        #expect(manifest.contains(#"mediaPresentationDuration="PT3S""#))
        #expect(manifest.contains(#"presentationTimeOffset="\#(10 * 12_288)""#))
    }
}
