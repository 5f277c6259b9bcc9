import Foundation
import HLSPlaylist
import MediaFormats
import Synchronization
import Testing

@testable import Packager

@Suite("Splices")
struct SpliceRunTests {
    private static let playlists = ["video-48/media.m3u8", "video-48/iframes.m3u8", "audio/media.m3u8"]

    private static func vod(_ film: SpliceFilm, _ change: (inout PackagingJob) -> Void = { _ in }) throws -> (
        playlists: [String: MediaPlaylist], warnings: [String]
    ) {
        let scratch = try ScratchFolder()
        var job = PackagingJob(
            inputs: [.init(path: try film.save(scratch.path + "/film.ts"))],
            output: scratch.path + "/out"
        )
        job.segmentDuration = RationalTime(2, timescale: 1)
        change(&job)
        let report = try PipelineFixture.package(job)
        var playlists: [String: MediaPlaylist] = [:]
        for name in scratch.files("out") where name.hasSuffix("media.m3u8") || name.hasSuffix("iframes.m3u8") {
            let bytes = try scratch.bytes("out/" + name)
            playlists[name] = try MediaPlaylist(parsing: bytes)
            let findings = Linter().check(try LintFile(name: name, bytes: bytes))
            #expect(findings.isEmpty, "\(name): \(findings)")
        }
        return (playlists, report.warnings)
    }

    private static func date(_ seconds: Double, _ start: PlaylistDate = PlaylistDate(seconds: 0)) -> PlaylistDate {
        start.advanced(by: seconds).inMilliseconds
    }

    @Test("VOD: segments start at splices, and all playlists have the Date Range")
    func vod() throws {
        var film = SpliceFilm()
        film.addInsert(7, isOut: true, at: 3.5, sent: 1, duration: 3)
        film.addInsert(7, isOut: false, at: 6.5, sent: 3)
        let (playlists, warnings) = try Self.vod(film)
        #expect(warnings == [])
        let video = try #require(playlists["video-48/media.m3u8"])
        // The grid continues from the splices.
        #expect(video.starts == [0, 2, 3.5, 5.5, 6.5, 8.5])
        for (name, playlist) in playlists {
            #expect(playlist.segments[0].programDateTime == Self.date(0), "\(name)")
            let range = try #require(playlist.dateRanges.first, "\(name)")
            #expect(playlist.dateRanges.count == 1)
            #expect(range.id == "splice-7-3500" && range.startDate == Self.date(3.5))
            #expect(range.plannedDuration == 3 && range.duration == 3)
            #expect(range.scte35Out == film.commands[0].section && range.scte35In == film.commands[1].section)
            let places = playlist.segments.indices.filter { !playlist.segments[$0].dateRanges.isEmpty }
            #expect(places.count == 2)
            for (place, time) in zip(places, [3.5, 6.5]) {
                let date = try #require(playlist.segments[place].programDateTime)
                #expect(abs(date.timeInterval(since: Self.date(time))) < 0.03, "\(name)")
            }
        }
        #expect(playlists.count == 3)
    }

    @Test("VOD without splices has no dates, also if the stream has commands that announce nothing")
    func none() throws {
        var film = SpliceFilm()
        film.add({ _ in .null }, at: 0, sent: 1)
        let (playlists, warnings) = try Self.vod(film)
        #expect(warnings == [])
        for playlist in playlists.values {
            #expect(playlist.segments.allSatisfy { $0.programDateTime == nil } && playlist.dateRanges.isEmpty)
        }
        #expect(playlists["video-48/media.m3u8"]?.starts == [0, 2, 4, 6, 8])
    }

    @Test("a break ends after its duration if the command says so")
    func automaticReturn() throws {
        var film = SpliceFilm()
        film.addInsert(9, isOut: true, at: 2.5, sent: 1, duration: 4, isAutomaticReturn: true)
        let video = try #require(try Self.vod(film).playlists["video-48/media.m3u8"])
        #expect(video.starts == [0, 2, 2.5, 4.5, 6.5, 8.5])
        #expect(video.dateRanges.map(\.duration) == [4] && video.dateRanges[0].scte35In == nil)
    }

    @Test("segments are paired by their types and event IDs, and other types are commands")
    func segmentation() throws {
        var film = SpliceFilm()
        func descriptor(_ id: UInt32, _ type: UInt8, _ duration: UInt64? = nil) -> SpliceDescriptor {
            .segmentation(
                SegmentationDescriptor(eventID: id, event: .init(.init(rawValue: type), duration: duration))
            )
        }
        let signal = { (time: UInt64) in SpliceCommand.timeSignal(SpliceTime(time)) }
        film.add(signal, [descriptor(1, 0x34, 270_000), descriptor(1, 0x30)], at: 2.5, sent: 1)
        film.add(signal, [descriptor(1, 0x31)], at: 4.5, sent: 3)
        film.add(signal, [descriptor(1, 0x35), descriptor(5, 0x10, 900_000)], at: 5.5, sent: 5)
        film.add(signal, at: 7.5, sent: 6)
        let (playlists, _) = try Self.vod(film)
        let ranges = try #require(playlists["video-48/media.m3u8"]).dateRanges
        #expect(
            ranges.map(\.id).prefix(3) == [
                "segmentation-0x34-1-2500", "segmentation-0x30-1-2500", "segmentation-0x10-5-5500",
            ]
        )
        #expect(ranges.map(\.duration) == [3, 2, nil, nil])
        #expect(ranges.map(\.plannedDuration) == [3, nil, 10, nil])
        #expect(ranges.map { $0.scte35Out != nil } == [true, true, false, false])
        #expect(ranges.map { $0.scte35In != nil } == [true, true, false, false])
        #expect(ranges.map { $0.scte35Command != nil } == [false, false, true, true])
        #expect(ranges.last?.startDate == Self.date(7.5))
    }

    @Test("without a key frame at the splice, the segment starts at the next one, with a warning")
    func lateKeyFrame() throws {
        var film = SpliceFilm()
        film.addInsert(7, isOut: true, at: 3.2, sent: 1, duration: 3)
        let (playlists, warnings) = try Self.vod(film)
        let video = try #require(playlists["video-48/media.m3u8"])
        #expect(video.starts == [0, 2, 3.5, 5.5, 7.5, 9.5])
        #expect(video.dateRanges[0].startDate == Self.date(3.2))
        #expect(warnings.count == 1 && warnings[0].contains("no key frame at the splice"), "\(warnings)")
        #expect(warnings.first?.contains("0.3 s later") == true)
    }

    @Test("a key frame within one frame of the splice is used")
    func nearKeyFrame() throws {
        for time in [3.45, 3.5, 3.55] {
            var film = SpliceFilm()
            film.addInsert(7, isOut: true, at: time, sent: 1)
            let (playlists, warnings) = try Self.vod(film)
            #expect(try #require(playlists["video-48/media.m3u8"]).starts.contains(3.5), "\(time)")
            #expect(warnings == [], "\(time)")
        }
    }

    @Test("times wrap around at 2^33, and pts_adjustment is added")
    func wrap() throws {
        var film = SpliceFilm(start: (1 << 33) - 2 * 90_000)
        let out = { (time: UInt64) in
            SpliceCommand.insert(SpliceInsert(eventID: 1, event: .init(isOut: true, time: time)))
        }
        film.add(out, at: 3.5, sent: 1, adjustment: 0x1_2345_6789)
        let video = try #require(try Self.vod(film).playlists["video-48/media.m3u8"])
        #expect(video.starts.contains(3.5))
        #expect(video.dateRanges.map(\.startDate) == [Self.date(3.5)])
    }

    @Test(
        "a cancelled event has no effect, a changed one its last time, and a command without a time the next key frame"
    )
    func changes() throws {
        var film = SpliceFilm()
        film.addInsert(1, isOut: true, at: 5.5, sent: 1)
        film.add({ _ in .insert(SpliceInsert(eventID: 1, event: nil)) }, at: 0, sent: 2)
        film.addInsert(2, isOut: true, at: 3.5, sent: 1)
        film.addInsert(2, isOut: true, at: 4.5, sent: 2.5)
        // Repeated after its time.
        film.addInsert(2, isOut: true, at: 4.5, sent: 5)
        film.add({ _ in .insert(SpliceInsert(eventID: 2, event: .init(isOut: false, time: nil))) }, at: 0, sent: 7.1)
        film.add({ _ in .encrypted([1, 2, 3], commandLength: 1) }, at: 0, sent: 7.2)
        let video = try #require(try Self.vod(film).playlists["video-48/media.m3u8"])
        #expect(video.starts == [0, 2, 4, 4.5, 6.5, 7, 9])
        #expect(video.dateRanges.count == 2)
        #expect(video.dateRanges[0].id == "splice-2-4500" && video.dateRanges[0].duration == 2.5)
        #expect(video.dateRanges[1].scte35Command == film.commands[6].section)
    }

    @Test("damaged sections are left out, with a warning")
    func damaged() throws {
        var film = SpliceFilm()
        film.addInsert(7, isOut: true, at: 3.5, sent: 1)
        film.commands[0].section[20] ^= 1
        let (playlists, warnings) = try Self.vod(film)
        #expect(playlists["video-48/media.m3u8"]?.starts == [0, 2, 4, 6, 8])
        #expect(warnings.count == 1 && warnings[0].contains("1 SCTE-35 section"), "\(warnings)")
    }
}
