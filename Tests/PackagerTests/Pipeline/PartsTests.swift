import DASHManifest
import DRMSignaling
import Foundation
import HLSPlaylist
import MediaFormats
import Testing

@testable import Packager

@Suite("A film whose input has several parts")
struct PartsTests {
    /// A movie that is played twice, with a discontinuity in between.
    private final class RepeatedInput: MediaInput {
        let name = "film.mp4"
        private(set) var tracks: [MediaTrack]
        let warnings: [String] = []
        let byteCount: Int? = nil
        let position = 0
        private var movie: (any MediaInput)?
        private var second: (any MediaInput)?

        /// - Parameter hasAudio: Whether the second part has audio.
        init(hasAudio: Bool) throws {
            let path = try PipelineFixture.path("film.mp4")
            let (first, again) = (try MediaInputs.open(path), try MediaInputs.open(path))
            (movie, second, tracks) = (first, again, first.tracks)
            secondTracks = again.tracks.filter { hasAudio || $0.kind == .video }
        }

        private let secondTracks: [MediaTrack]

        func next() throws -> InputEvent? {
            while let event = try movie?.next() {
                if case .sample(let track, _) = event, track >= tracks.count { continue }
                return event
            }
            guard let second else { return nil }
            (movie, self.second, tracks) = (second, nil, secondTracks)
            return .part(reason: "the film is repeated")
        }
    }

    private func package(_ job: PackagingJob, hasAudio: Bool = true) throws -> PackagingReport {
        let plan = try PackagingPlan(job) { path in
            path.hasSuffix("film.mp4") ? try RepeatedInput(hasAudio: hasAudio) : try MediaInputs.open(path)
        }
        return try PackagingRun(plan).run()
    }

    private func playlist(_ name: String, _ folder: ScratchFolder) throws -> MediaPlaylist {
        let bytes = try folder.bytes(name)
        let findings = Linter().check(try LintFile(name: name, bytes: bytes))
        #expect(findings.isEmpty, "\(findings)")
        return try MediaPlaylist(parsing: bytes)
    }

    @Test(
        "has a discontinuity, an init segment and a Period for each part",
        arguments: [nil, TrackProtection.Scheme.cbcs, .cenc],
        [false, true]
    )
    func parts(scheme: TrackProtection.Scheme?, isSingleFile: Bool) throws {
        let folder = try ScratchFolder()
        var job = try PipelineFixture.job(["film.mp4"], to: folder.path, scheme: scheme)
        job.manifests = scheme == .cenc ? [.dash] : [.hls, .dash]
        if scheme == .cenc { job.systems = [.common] }
        // The repeated input does not specify its byte count, but its duration.
        job.isSingleFile = isSingleFile
        let report = try package(job)
        #expect(report.renditions.map(\.segments.count) == [6, 6])
        let manifest = try MPD(folder.bytes("main.mpd"))
        let findings = MPDChecker().check(manifest)
        #expect(findings.isEmpty, "\(findings)")
        #expect(manifest.periods.count == 2)
        #expect(manifest.periods.compactMap(\.start?.seconds).first == 0)
        let ends = manifest.periods.compactMap { ($0.start?.seconds ?? 0) + ($0.duration?.seconds ?? 0) }
        #expect(ends == [manifest.periods[1].start?.seconds, manifest.duration?.seconds])
        guard scheme != .cenc else { return }
        for name in ["video-64/media.m3u8", "video-64/iframes.m3u8", "audio/media.m3u8"] {
            let segments = try playlist(name, folder).segments
            let first = segments.count / 2
            #expect(segments.indices.filter { segments[$0].isDiscontinuity } == [first], "\(name)")
            #expect(segments.indices.filter { segments[$0].map != nil } == [0, first], "\(name)")
            if !isSingleFile { #expect(segments[first].map?.uri == "init-1.mp4") }
        }
        // What was written in both parts is the same film.
        guard !isSingleFile else { return }
        let halves = try [("init.mp4", 1...3), ("init-1.mp4", 4...6)].map { map, numbers in
            try samples(
                of: numbers.reduce(folder.bytes("video-64/\(map)")) { try $0 + folder.bytes("video-64/\($1).m4s") },
                kind: "vide"
            )
        }
        #expect(halves[0] == halves[1] && halves[0].count == 36)
    }

    @Test("has gaps where a rendition has no track")
    func gaps() throws {
        let folder = try ScratchFolder()
        var job = try PipelineFixture.job(["film.mp4"], to: folder.path, scheme: .cbcs)
        job.manifests = [.hls, .dash]
        _ = try package(job, hasAudio: false)
        let video = try playlist("video-64/media.m3u8", folder).segments
        let audio = try playlist("audio/media.m3u8", folder).segments
        #expect(audio.map(\.isGap) == [false, false, false, true, true, true])
        #expect(audio.suffix(3).map(\.duration) == video.suffix(3).map(\.duration))
        #expect(audio.map(\.isDiscontinuity) == video.map(\.isDiscontinuity))
        let manifest = try MPD(folder.bytes("main.mpd"))
        #expect(MPDChecker().check(manifest) == [])
        #expect(manifest.periods.map { $0.adaptationSets.map(\.contentType) } == [["video", "audio"], ["video"]])
    }

    @Test("has subtitles that continue in the media time of the second part")
    func subtitles() throws {
        let folder = try ScratchFolder()
        let path = folder.path + "/de.vtt"
        let text = "WEBVTT\n\n00:01.000 --> 00:04.000\nspans both\n\n00:05.000 --> 00:05.500\nin the second part\n"
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        var job = try PipelineFixture.job(["film.mp4"], to: folder.path + "/out")
        job.inputs.append(PackagingJob.Input(path: path))
        job.manifests = [.hls, .dash]
        _ = try package(job)
        let name = "out/subtitles"
        let segments = try playlist("\(name)/media.m3u8", folder).segments
        #expect(segments.count == 6 && segments.indices.filter { segments[$0].isDiscontinuity } == [3])
        let files = try (1...6).map { String(decoding: try folder.bytes("\(name)/\($0).vtt"), as: UTF8.self) }
        #expect(files[2].contains("MPEGTS:0,LOCAL:00:00:00.000") && files[2].contains("spans both"))
        // Three seconds of the film correspond to the start of the second part's timeline.
        #expect(files[3].contains("MPEGTS:0,LOCAL:00:00:03.000") && files[3].contains("spans both"))
        #expect(files[5].contains("00:00:05.000 --> 00:00:05.500"))
        let whole = try ["all.vtt", "all-1.vtt"].map { file in
            String(decoding: try folder.bytes("\(name)/\(file)"), as: UTF8.self)
        }
        #expect(whole[0].contains("00:00:01.000 --> 00:00:04.000") && !whole[0].contains("second"))
        #expect(
            whole[1].contains("00:00:00.000 --> 00:00:01.000") && whole[1].contains("00:00:02.000 --> 00:00:02.500")
        )
        let manifest = try MPD(folder.bytes("out/main.mpd"))
        #expect(
            manifest.periods.map { $0.adaptationSets.last?.representations.first?.baseURL } == [
                "subtitles/all.vtt", "subtitles/all-1.vtt",
            ]
        )
        #expect(MPDChecker().check(manifest) == [])
    }
}
