import Foundation
import HLSPlaylist
import MediaFormats
import Synchronization
import Testing

@testable import Packager

@Suite("Low-latency runs")
struct LowLatencyRunTests {
    /// The number of seconds of the film; an hour in `make acceptance`.
    private static let seconds = ProcessInfo.processInfo.environment["KEYWAY_LOW_LATENCY_HOUR"] == nil ? 120 : 3600

    @Test("list parts of every segment: no rule is violated at any reload, and every sample is in one part")
    func parts() async throws {
        let scratch = try ScratchFolder()
        let inputs = try LongFilm.write(seconds: Self.seconds, to: scratch.path)
        let folder = scratch.path + "/out"
        let watch = LiveWatch(folder)
        let parts = PartWatch(folder)
        let job = Self.job(inputs, to: folder, rotation: KeyRotation(.seconds(60)))
        let report = try await LiveRun.run(job, keys: LiveFixture.keys, stop: StopSignal()) { event in
            watch.look(event)
            parts.look(event)
        }
        let seen = watch.seen.withLock { $0 }
        #expect(seen.findings.isEmpty, "\(seen.findings.prefix(5))")
        #expect(seen.missing.isEmpty, "\(seen.missing.prefix(5))")
        #expect(report.segments == Self.seconds / 6 * 2 && report.lostSegments == 0)
        let found = parts.seen.withLock { $0 }
        #expect(found.problems.isEmpty, "\(found.problems.prefix(5))")
        // Twelve frames per second; a frame of audio has 1024 samples at 44.1 kHz.
        #expect(found.samples["video-64"] == Self.seconds * 12)
        #expect(found.duplicates == 0)
        for (path, tags) in seen.parts {
            let limit = path.hasPrefix("video") ? 0.25 : 0.33
            #expect(tags.allSatisfy { $0.duration <= limit + 1e-6 }, "\(path)")
            let isLongEnough = { (part: PartTag) in part.isIndependent || part.duration >= 0.85 * limit }
            #expect(tags.dropLast().allSatisfy(isLongEnough), "\(path): \(tags.map(\.duration))")
            #expect(tags.first?.isIndependent == true)
        }
        // All init segments but the first of each rendition were hinted before their key period.
        let rotated = Set(seen.maps.map { ($0.key as NSString).deletingLastPathComponent + "/" + $0.value })
        #expect(rotated.count == Self.seconds / 60 * 2)
        #expect(seen.hintedMaps.isSuperset(of: rotated.filter { !$0.hasSuffix("/init-1.mp4") }))
        #expect(scratch.files("out/audio").allSatisfy { !$0.hasPrefix("init") || rotated.contains("audio/\($0)") })
    }

    @Test("divide a segment evenly, so that the last part is not much shorter than the others")
    func equalParts() async throws {
        let scratch = try ScratchFolder()
        let inputs = try LongFilm.write(seconds: 24, to: scratch.path)
        var job = Self.job(inputs, to: scratch.path + "/out", rotation: nil)
        // Seven frames of 1/12 s fit: ten parts of seven, and one of two frames.
        job.live?.partDuration = RationalTime(600, timescale: 1000)
        let watch = LiveWatch(job.output)
        _ = try await LiveRun.run(job, keys: LiveFixture.keys, stop: StopSignal()) { watch.look($0) }
        let seen = watch.seen.withLock { $0 }
        #expect(seen.findings.isEmpty, "\(seen.findings.prefix(5))")
        // The last segment of audio ends with the input.
        for (path, tags) in seen.parts where path != "audio/4.m4s" {
            let durations = tags.map(\.duration)
            #expect(durations.count == 11, "\(path)")
            #expect((durations.min() ?? 0) > 0.5 - 1e-6, "\(path): \(durations)")
        }
        let video = try MediaPlaylist(parsing: scratch.bytes("out/video-64/media.m3u8"))
        #expect(video.partInf?.partTarget == 0.584)
    }

    @Test("continue after a kill: the listed parts become a segment, and a discontinuity follows", arguments: [2, 9])
    func kill(index: Int) async throws {
        let scratch = try ScratchFolder()
        let inputs = try LongFilm.write(seconds: 60, to: scratch.path)
        let (folder, killed) = (scratch.path + "/out", scratch.path + "/killed")
        let rotation = KeyRotation(.seconds(30))
        let job = Self.job(inputs, to: folder, rotation: rotation)
        let copied = Mutex<[PartTag]>([])
        _ = try await LiveRun.run(job, keys: LiveFixture.keys, stop: StopSignal()) { event in
            guard case .part("video-64", 3, index) = event else { return }
            try? FileManager.default.copyItem(atPath: folder, toPath: killed)
            let bytes = FileManager.default.contents(atPath: killed + "/video-64/media.m3u8").map(Array.init) ?? []
            copied.withLock { $0 = (try? MediaPlaylist(parsing: bytes))?.upcoming.parts ?? [] }
        }
        let open = copied.withLock { $0 }
        #expect(open.count == index + 1)
        // Bytes that no playlist lists were written before the kill.
        let file = try #require(FileHandle(forWritingAtPath: killed + "/video-64/4.m4s"))
        try file.seekToEnd()
        try file.write(contentsOf: Data(repeating: 7, count: 1000))
        try file.close()

        let watch = LiveWatch(killed)
        watch.look(.part(folder: "video-64", sequence: 3, index: index))
        let again = Self.job(inputs, to: killed, rotation: rotation)
        _ = try await LiveRun.run(again, keys: LiveFixture.keys, stop: StopSignal()) { watch.look($0) }
        let seen = watch.seen.withLock { $0 }
        #expect(seen.findings.isEmpty, "\(seen.findings.prefix(5))")
        #expect(seen.missing.isEmpty, "\(seen.missing.prefix(5))")
        let last = try #require(open.last?.byteRange)
        let size = try FileManager.default.attributesOfItem(atPath: killed + "/video-64/4.m4s")[.size] as? Int
        #expect(size.map(UInt64.init) == last.offset.map { $0 + last.length })
        let video = seen.playlists["video-64/media.m3u8"]
        guard case .media(let playlist) = video?.playlist else { throw ScratchError() }
        #expect(playlist.discontinuitySequence == 1)
        #expect(seen.parts["video-64/4.m4s"] == open, "the parts stay as they were listed")
        let frames = try MediaPlaylist(parsing: scratch.bytes("killed/video-64/iframes.m3u8"))
        #expect(frames.discontinuitySequence == 1)
        #expect(abs(frames.duration - playlist.duration) < 1e-5)
    }

    @Test("that get no key frame skip to the next one, with a discontinuity and dates that go on")
    func longGroups() async throws {
        let scratch = try ScratchFolder()
        // A key frame every two seconds, but none from 20 to 29.
        let inputs = try LongFilm.write(seconds: 60, to: scratch.path) { $0 % 2 == 0 && !(20..<29).contains($0) }
        let folder = scratch.path + "/out"
        let watch = LiveWatch(folder)
        var job = Self.job(inputs, to: folder, rotation: nil)
        job.segmentDuration = RationalTime(2, timescale: 1)
        job.live?.window = .seconds(600)
        let report = try await LiveRun.run(job, keys: LiveFixture.keys, stop: StopSignal()) { watch.look($0) }
        #expect(report.lostSegments == 1)
        let seen = watch.seen.withLock { $0 }
        #expect(seen.findings.isEmpty, "\(seen.findings.prefix(5))")
        let media = try MediaPlaylist(parsing: scratch.bytes("out/video-64/media.m3u8"))
        #expect(media.segments.count { $0.isDiscontinuity } == 1)
        let next = try #require(media.segments.first { $0.isDiscontinuity }?.programDateTime)
        #expect(abs(next.timeInterval(since: LiveFixture.start) - 30) < 0.1)
        // The segment ended with the last frame that fits into the Target Duration.
        #expect(abs(media.duration - (18 + 2.4 + 30)) < 0.1, "\(media.duration)")
        let audio = try MediaPlaylist(parsing: scratch.bytes("out/audio/media.m3u8"))
        #expect(abs(audio.duration - 60) < 0.2, "no audio is lost")
    }

    @Test("cannot continue a presentation with other parts, or without them")
    func otherParts() async throws {
        let scratch = try ScratchFolder()
        let inputs = try LongFilm.write(seconds: 24, to: scratch.path)
        let folder = scratch.path + "/out"
        let open = scratch.path + "/open"
        var job = Self.job(inputs, to: folder, rotation: nil)
        _ = try await LiveRun.run(job, keys: LiveFixture.keys, stop: StopSignal()) { event in
            guard case .part("video-64", 2, 3) = event else { return }
            try? FileManager.default.copyItem(atPath: folder, toPath: open)
        }
        job.output = open
        job.live?.partDuration = RationalTime(500, timescale: 1000)
        let other = await #expect(throws: JobFailure.self) {
            try await LiveRun.run(job, keys: LiveFixture.keys, stop: StopSignal())
        }
        #expect(other?.option == "part-duration")
        job.live?.partDuration = nil
        let without = await #expect(throws: JobFailure.self) {
            try await LiveRun.run(job, keys: LiveFixture.keys, stop: StopSignal())
        }
        #expect(without?.option == "low-latency")
    }

    private static func job(_ inputs: [String], to folder: String, rotation: KeyRotation?) -> PackagingJob {
        var job = LiveFixture.job(inputs, to: folder, rotation: rotation)
        job.live?.partDuration = LiveOptions.defaultPartDuration
        return job
    }
}

private struct ScratchError: Error {}

/// Reads each part when it is listed, with its init segment, and counts its samples.
private final class PartWatch: Sendable {
    struct Seen {
        /// The number of samples of each rendition.
        var samples: [String: Int] = [:]
        /// The number of samples that are in two parts.
        var duplicates = 0
        var problems: [String] = []
        var times: Set<String> = []
        var read: Set<String> = []
    }

    let seen = Mutex(Seen())
    private let folder: String

    init(_ folder: String) { self.folder = folder }

    func look(_ event: LiveRun.Event) {
        switch event {
        case .part(let rendition, _, _), .segment(let rendition, _): read(rendition)
        default: return
        }
    }

    private func read(_ rendition: String) {
        guard let playlist = try? MediaPlaylist(parsing: bytes(rendition + "/media.m3u8")) else { return }
        let main = try? MultivariantPlaylist(parsing: bytes("main.m3u8"))
        // It exists when each rendition has a segment.
        let announced = main.map { $0.sessionKeys.map(\.key.uri) } ?? playlist.upcoming.keys.map(\.uri)
        var map = ""
        seen.withLock { seen in
            for segment in playlist.segments {
                map = segment.map?.uri ?? map
                for part in segment.parts { read(part, rendition, map, &seen) }
            }
            map = playlist.upcoming.map?.uri ?? map
            for key in playlist.upcoming.keys where key.keyFormat == .fairPlay && !announced.contains(key.uri) {
                seen.problems.append("\(rendition): the key of the open segment is not in main.m3u8")
            }
            for part in playlist.upcoming.parts { read(part, rendition, map, &seen) }
        }
    }

    private func read(_ part: PartTag, _ rendition: String, _ map: String, _ seen: inout Seen) {
        guard let range = part.byteRange, let start = range.offset.map(Int.init),
            seen.read.insert("\(rendition)/\(part.uri)@\(start)").inserted
        else { return }
        let file = bytes(rendition + "/" + part.uri)
        let movie = bytes(rendition + "/" + map) + file.dropFirst(start).prefix(Int(range.length))
        do {
            var cursor = try MovieFile(reading: movie.span.bytes).samples()
            var duration: Int64 = 0
            while let sample = try cursor.next(movie.span.bytes) {
                seen.samples[rendition, default: 0] += 1
                duration += Int64(sample.duration)
                if !seen.times.insert("\(rendition) \(sample.decodeTime)").inserted { seen.duplicates += 1 }
                if sample.protection == nil { seen.problems.append("\(rendition)/\(part.uri)@\(start) is clear") }
            }
        } catch {
            seen.problems.append("\(rendition)/\(part.uri)@\(start): \(error)")
        }
    }

    private func bytes(_ name: String) -> [UInt8] {
        FileManager.default.contents(atPath: folder + "/" + name).map(Array.init) ?? []
    }
}
