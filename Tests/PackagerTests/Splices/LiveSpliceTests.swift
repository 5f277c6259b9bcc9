import Foundation
import HLSPlaylist
import MediaFormats
import Synchronization
import Testing

@testable import Packager

@Suite("Live splices")
struct LiveSpliceTests {
    private static func job(_ input: String, _ folder: String, isLowLatency: Bool) -> PackagingJob {
        var job = LiveFixture.job([input], to: folder, rotation: nil)
        job.segmentDuration = RationalTime(2, timescale: 1)
        if isLowLatency { job.live?.partDuration = RationalTime(1, timescale: 2) }
        return job
    }

    /// Breaks of four seconds each ten seconds.
    private static func film(seconds: Int) -> SpliceFilm {
        var film = SpliceFilm(seconds: seconds)
        for number in 0..<seconds / 10 {
            let time = Double(number) * 10 + 3.5
            film.addInsert(UInt32(number), isOut: true, at: time, sent: time - 3, duration: 4)
            film.addInsert(UInt32(number), isOut: false, at: time + 4, sent: time + 1)
        }
        return film
    }

    @Test("no rule is violated at any reload, and all playlists agree", arguments: [false, true])
    func reloads(isLowLatency: Bool) async throws {
        let scratch = try ScratchFolder()
        let film = Self.film(seconds: 60)
        let folder = scratch.path + "/out"
        let watch = LiveWatch(folder)
        // The window is shorter than a break: its tag stays until the break has ended.
        var job = Self.job(try film.save(scratch.path + "/film.ts"), folder, isLowLatency: isLowLatency)
        job.live?.window = .seconds(6)
        let ranges = Mutex<[String: [String: DateRangeTag]]>([:])
        let report = try await LiveRun.run(job, keys: LiveFixture.keys, stop: StopSignal()) { event in
            watch.look(event)
            for name in ["video-48/media.m3u8", "video-48/iframes.m3u8", "audio/media.m3u8"] {
                let bytes = FileManager.default.contents(atPath: folder + "/" + name).map(Array.init) ?? []
                guard let playlist = try? MediaPlaylist(parsing: bytes) else { continue }
                ranges.withLock { ranges in
                    for range in playlist.dateRanges { ranges[name, default: [:]][range.id] = range }
                }
            }
        }
        let seen = watch.seen.withLock { $0 }
        #expect(seen.findings.isEmpty, "\(seen.findings.prefix(5))")
        #expect(seen.missing.isEmpty, "\(seen.missing.prefix(5))")
        #expect(report.lostSegments == 0)
        for case .warning(let text) in seen.events { Issue.record("\(text)") }
        let found = ranges.withLock { $0 }
        #expect(found.count == 3)
        for (name, ranges) in found {
            #expect(ranges.count == 6, "\(name): \(ranges.keys.sorted())")
            for number in 0..<6 {
                let start = LiveFixture.start.advanced(by: Double(number) * 10 + 3.5).inMilliseconds
                let range = ranges.values.first { $0.startDate == start }
                #expect(range?.scte35Out == film.commands[2 * number].section, "\(name) \(number)")
                #expect(range?.scte35In == film.commands[2 * number + 1].section, "\(name) \(number)")
                #expect(range?.duration == 4 && range?.plannedDuration == 4, "\(name) \(number)")
            }
        }
    }

    @Test("the tags of an open segment are before its parts, and are not lost by a kill", arguments: [0, 2])
    func kill(index: Int) async throws {
        let scratch = try ScratchFolder()
        let film = Self.film(seconds: 20)
        let input = try film.save(scratch.path + "/film.ts")
        let (folder, killed) = (scratch.path + "/out", scratch.path + "/killed")
        // Segments start at 0, 2, 3.5, 5.5, 7.5: the third one starts the break.
        let copied = Mutex<UpcomingSegment?>(nil)
        let job = Self.job(input, folder, isLowLatency: true)
        _ = try await LiveRun.run(job, keys: LiveFixture.keys, stop: StopSignal()) { event in
            guard case .part("video-48", 2, index) = event else { return }
            try? FileManager.default.copyItem(atPath: folder, toPath: killed)
            let bytes = FileManager.default.contents(atPath: killed + "/video-48/media.m3u8").map(Array.init) ?? []
            copied.withLock { $0 = try? MediaPlaylist(parsing: bytes).upcoming }
        }
        let open = try #require(copied.withLock { $0 })
        let start = LiveFixture.start.advanced(by: 3.5).inMilliseconds
        #expect(open.programDateTime == start && open.dateRanges.map(\.startDate) == [start])
        let places = open.tags.indices.filter { if case .part = open.tags[$0] { true } else { false } }
        let range = open.tags.firstIndex { if case .dateRange = $0 { true } else { false } }
        #expect(places.count == index + 1)
        #expect(try #require(range) < places[0])

        // The encoder goes on with the end of the break.
        var rest = SpliceFilm(start: 90_000_000, seconds: 8)
        rest.addInsert(0, isOut: false, at: 2.5, sent: 1)
        let watch = LiveWatch(killed)
        watch.look(.part(folder: "video-48", sequence: 2, index: index))
        let again = Self.job(try rest.save(scratch.path + "/rest.ts"), killed, isLowLatency: true)
        _ = try await LiveRun.run(again, keys: LiveFixture.keys, stop: StopSignal()) { watch.look($0) }
        let seen = watch.seen.withLock { $0 }
        #expect(seen.findings.isEmpty, "\(seen.findings.prefix(5))")
        let media = try MediaPlaylist(parsing: scratch.bytes("killed/video-48/media.m3u8"))
        let found = try #require(media.dateRanges.first)
        #expect(media.dateRanges.count == 1 && found.id == open.dateRanges[0].id)
        #expect(found.scte35Out == film.commands[0].section && found.scte35In == rest.commands[0].section)
        let end = try #require(media.segments.last { !$0.dateRanges.isEmpty }?.programDateTime)
        let duration = try #require(found.duration)
        #expect(abs(duration - end.timeInterval(since: start)) < 0.001)
    }

    @Test("a splice at which the timestamps jump is at the start of the new part")
    func jump() async throws {
        let scratch = try ScratchFolder()
        var first = SpliceFilm(seconds: 8)
        first.addInsert(3, isOut: true, at: 8, sent: 5, duration: 8)
        let second = SpliceFilm(start: 500_000_000, seconds: 8)
        let input = scratch.path + "/film.ts"
        try Data(first.bytes() + second.bytes()).write(to: URL(fileURLWithPath: input))
        let folder = scratch.path + "/out"
        let watch = LiveWatch(folder)
        let job = Self.job(input, folder, isLowLatency: false)
        _ = try await LiveRun.run(job, keys: LiveFixture.keys, stop: StopSignal()) { watch.look($0) }
        #expect(watch.seen.withLock { $0.findings } == [])
        for name in ["video-48", "audio"] {
            let media = try MediaPlaylist(parsing: scratch.bytes("out/\(name)/media.m3u8"))
            let segment = try #require(media.segments.first { !$0.dateRanges.isEmpty }, "\(name)")
            #expect(segment.isDiscontinuity && media.dateRanges.count == 1)
            let distance = segment.dateRanges[0].startDate?.timeInterval(since: LiveFixture.start) ?? 0
            #expect(abs(distance - 8) < 0.02, "\(name): \(distance)")
        }
    }
}
