import Foundation
import HLSPlaylist
import MediaFormats
import Synchronization
import Testing

@testable import Packager

@Suite("Parts of live presentations", .timeLimit(.minutes(10)))
struct LivePartTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    /// Packages a transport stream as a clear event.
    private func package(
        _ bytes: [UInt8],
        change: (inout PackagingJob) -> Void = { _ in }
    ) async throws -> (report: LiveRun.Report, warnings: [String], findings: [String]) {
        let path = scratch.path + "/input.ts"
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        var job = LiveFixture.job([path], to: scratch.path + "/out", rotation: nil)
        (job.scheme, job.systems, job.keysArriveLater) = (nil, [], false)
        job.segmentDuration = RationalTime(1, timescale: 1)
        job.live = .event
        job.live?.startDate = LiveFixture.start
        change(&job)
        let warnings = Mutex<[String]>([])
        let watch = LiveWatch(scratch.path + "/out")
        let report = try await LiveRun.run(job, stop: StopSignal()) { event in
            watch.look(event)
            if case .warning(let text) = event { warnings.withLock { $0.append(text) } }
        }
        return (report, warnings.withLock { $0 }, watch.seen.withLock { $0.findings })
    }

    private func playlist(_ rendition: String) throws -> MediaPlaylist {
        try MediaPlaylist(parsing: scratch.bytes("out/\(rendition)/media.m3u8"))
    }

    private func renditions() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: scratch.path + "/out").filter { !$0.contains(".") }.sorted()
    }

    private func clip(_ change: (inout Remux) -> Void = { _ in }) throws -> [UInt8] {
        var remux = try Remux("h264-aac.ts")
        change(&remux)
        return remux.bytes()
    }

    @Test("whose run was killed when only some playlists had a discontinuity continue with the same number in all")
    func killedInPart() async throws {
        let (out, torn) = (scratch.path + "/out", scratch.path + "/torn")
        let second = try clip { $0.shift(by: 90_000_000) }
        let path = scratch.path + "/input.ts"
        try Data(try clip() + second).write(to: URL(fileURLWithPath: path))
        var job = LiveFixture.job([path], to: out, rotation: nil)
        (job.scheme, job.systems, job.keysArriveLater) = (nil, [], false)
        (job.segmentDuration, job.live) = (RationalTime(1, timescale: 1), .event)
        // The folder after a kill: one rendition has a segment of the second part, the other does not.
        _ = try await LiveRun.run(job, stop: StopSignal()) { event in
            guard case .segment = event, !FileManager.default.fileExists(atPath: torn) else { return }
            if Self.discontinuities(in: out).count > 1 { try? FileManager.default.copyItem(atPath: out, toPath: torn) }
        }
        try #require(FileManager.default.fileExists(atPath: torn))
        try FileManager.default.removeItem(atPath: out)
        try FileManager.default.moveItem(atPath: torn, toPath: out)
        _ = try await LiveRun.run(job, stop: StopSignal())
        let found = try renditions().map { try playlist($0) }
        #expect(found.count == 2 && Set(found.map { $0.segments.count { $0.isGap } }) == [0, 1])
        // The discontinuity of the first run, that at the restart, and that of the second run.
        for playlist in found { #expect(playlist.segments.count { $0.isDiscontinuity } == 3) }
    }

    /// The numbers of discontinuities in the playlists of a presentation.
    private static func discontinuities(in folder: String) -> Set<Int> {
        let renditions = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let playlists = renditions.compactMap { FileManager.default.contents(atPath: "\(folder)/\($0)/media.m3u8") }
        return Set(
            playlists.compactMap { try? MediaPlaylist(parsing: [UInt8]($0)).segments.count { $0.isDiscontinuity } }
        )
    }

    @Test("each part has an init segment and a discontinuity, and the dates continue")
    func discontinuities() async throws {
        let second = try clip { $0.shift(by: 90_000_000) }
        let (report, warnings, findings) = try await package(try clip() + second + clip())
        #expect(report.discontinuities == 2 && report.lostTracks == 0)
        #expect(warnings == [] && findings == [])
        for rendition in try renditions() {
            let media = try playlist(rendition)
            #expect(media.isEnded)
            #expect(media.segments.count { $0.isDiscontinuity } == 2, "\(rendition)")
            #expect(media.segments.count { $0.map != nil } == 3)
            for (segment, next) in zip(media.segments, media.segments.dropFirst()) {
                let (date, after) = (try #require(segment.programDateTime), try #require(next.programDateTime))
                // A part ends when its longest track does.
                #expect(abs(date.advanced(by: segment.duration).seconds(until: after)) < 0.5, "\(rendition)")
            }
        }
    }

    @Test("all renditions of a part last equally long, so that their playlists do not drift apart")
    func equalDurations() async throws {
        // The audio of a clip starts later and ends later than its video.
        let pieces = try (0..<6).map { index in try clip { $0.shift(by: index % 2 * 90_000_000) } }
        let (report, _, findings) = try await package(pieces.flatMap { $0 })
        #expect(report.discontinuities == 5 && findings == [])
        let parts = try renditions().map { try playlist($0).partDurations }
        try #require(parts.count == 2)
        for (number, (one, other)) in zip(parts[0], parts[1]).enumerated().dropLast() {
            #expect(abs(one - other) < 0.001, "\(number)")
        }
        // Nothing follows the last part, and all of it counts.
        #expect(abs((parts[0].last ?? 0) - (parts[1].last ?? 0)) > 0.01)
    }

    @Test("a rendition that starts late is said, and its first date is that of its first frame")
    func lateStart() async throws {
        let late = try clip { remux in
            let start = remux.packets.compactMap(\.presentation).min() ?? 0
            remux.packets.removeAll { $0.pid == Remux.audio && ($0.presentation ?? 0) < start + 90_000 }
        }
        let (_, warnings, findings) = try await package(late)
        #expect(findings == [])
        #expect(warnings.count == 1 && warnings[0].hasPrefix("audio starts 0.975 s after"), "\(warnings)")
        let starts = try renditions().map { try #require(playlist($0).segments.first?.programDateTime) }
        try #require(starts.count == 2)
        #expect((0.97..<0.98).contains(starts[1].seconds(until: starts[0])))
    }

    @Test("a rendition without a track has gaps, as many as the leading rendition has segments")
    func gaps() async throws {
        let silent = try clip { remux in
            remux.streams.removeLast()
            remux.packets.removeAll { $0.pid == Remux.audio }
        }
        let (report, warnings, findings) = try await package(try clip() + silent + clip())
        #expect(report.discontinuities == 2 && report.lostTracks == 0)
        #expect(findings == [])
        #expect(warnings.count == 1 && warnings[0].contains("has no track after the discontinuity"))
        let names = try renditions()
        let audio = try playlist(try #require(names.first { $0.hasPrefix("audio") }))
        let video = try playlist(try #require(names.first { $0.hasPrefix("video") }))
        #expect(audio.segments.count { $0.isDiscontinuity } == 2 && video.segments.count { $0.isDiscontinuity } == 2)
        let gaps = audio.segments.filter(\.isGap)
        let starts = video.segments.indices.filter { video.segments[$0].isDiscontinuity }
        #expect(gaps.map(\.duration) == video.segments[starts[0]..<starts[1]].map(\.duration))
        #expect(gaps.first?.isDiscontinuity == true && gaps.dropFirst().allSatisfy { !$0.isDiscontinuity })
        #expect(video.segments.allSatisfy { !$0.isGap })
    }

    @Test("a track without a rendition is lost, with a warning and in the report; the others continue")
    func lostTrack() async throws {
        let more = try clip { remux in
            remux.streams.append(.init(type: .aac, pid: 0x102))
            remux.packets += remux.packets.filter { $0.pid == Remux.audio }.map { packet in
                var packet = packet
                packet.pid = 0x102
                return packet
            }
            remux.packets.sort { $0.decode ?? 0 < $1.decode ?? 0 }
        }
        let (report, warnings, findings) = try await package(try clip() + more)
        #expect(report.discontinuities == 1 && report.lostTracks == 1)
        #expect(findings == [])
        #expect(warnings.count == 1 && warnings[0].contains("audio (mp4a.40.2, und) has no rendition"), "\(warnings)")
        #expect(try renditions().count == 2)
    }

    @Test("VOD refuses a track without a rendition, unless what cannot be packaged is skipped")
    func vod() throws {
        let more = try clip { remux in
            remux.streams.append(.init(type: .aac, pid: 0x102))
            remux.packets += remux.packets.filter { $0.pid == Remux.audio }.map { packet in
                var packet = packet
                packet.pid = 0x102
                return packet
            }
        }
        let path = scratch.path + "/film.ts"
        try Data(try clip() + more).write(to: URL(fileURLWithPath: path))
        var job = PackagingJob(inputs: [.init(path: path)], output: scratch.path + "/film")
        let error = #expect(throws: OmissionFailure.self) { try job.run() }
        #expect(error?.reason.contains("has no rendition") == true)
        job.skipsUnsupported = true
        let report = try job.run()
        #expect(report.warnings.count { $0.contains("has no rendition") } == 1 && report.renditions.count == 2)
    }
}

extension PlaylistDate {
    /// Returns the number of seconds until another date.
    fileprivate func seconds(until other: PlaylistDate) -> Double {
        Double(other.seconds - seconds) + Double(other.nanoseconds - nanoseconds) / 1e9
    }
}

extension MediaPlaylist {
    /// The durations in seconds of the segments between discontinuities.
    fileprivate var partDurations: [Double] {
        segments.reduce(into: [0]) { durations, segment in
            if segment.isDiscontinuity { durations.append(0) }
            durations[durations.count - 1] += segment.duration
        }
    }
}
