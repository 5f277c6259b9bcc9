import DRMSignaling
import Foundation
import HLSPlaylist
import Synchronization
import Testing

@testable import Packager

@Suite("The clock of a live presentation")
struct LiveClockTests {
    /// A time of day that is set while time goes on.
    private final class Times: Sendable {
        private let state = Mutex((elapsed: 0, step: 0))

        func advance(_ seconds: Int) { state.withLock { $0.elapsed += seconds } }
        func set(by seconds: Int) { state.withLock { $0.step += seconds } }

        var elapsed: Duration { .seconds(state.withLock { $0.elapsed }) }
        var timeOfDay: PlaylistDate {
            LiveFixture.start.advanced(by: Double(state.withLock { $0.elapsed + $0.step }))
        }
    }

    @Test("The time of day is read once, and steps of it change nothing", arguments: [3600, -3600])
    func steady(step: Int) {
        let times = Times()
        times.advance(7)
        let clock = LiveClock.steady(from: { times.timeOfDay }, elapsed: { times.elapsed - .seconds(7) })
        #expect(clock.now(media: nil) == LiveFixture.start.advanced(by: 7))
        times.set(by: step)
        times.advance(5)
        #expect(clock.now(media: nil) == LiveFixture.start.advanced(by: 12))
    }

    /// The results of a run with low latency.
    private struct Outcome: Equatable {
        var playlists: [String: [UInt8]] = [:]
        /// The segments of the video that existed after each segment.
        var kept: [[String]] = []
        var findings: [String] = []
    }

    /// Packages twenty segments, each in its duration of two seconds; the time of day is set after the tenth.
    ///
    /// - Parameter isSteady: False for a run that reads the time of day each time.
    private static func outcome(step: Int, isSteady: Bool = true) async throws -> Outcome {
        let scratch = try ScratchFolder()
        let inputs = try LongFilm.write(seconds: 40, to: scratch.path)
        let folder = scratch.path + "/out"
        var job = LiveFixture.job(inputs, to: folder, rotation: nil)
        job.segmentDuration = RationalTime(2, timescale: 1)
        job.manifests = [.hls, .dash]
        job.live?.startDate = nil
        job.live?.partDuration = LiveOptions.defaultPartDuration
        let times = Times()
        let clock =
            isSteady
            ? LiveClock.steady(from: { times.timeOfDay }, elapsed: { times.elapsed }) : .reading { times.timeOfDay }
        let watch = LiveWatch(folder)
        let kept = Mutex<[[String]]>([])
        _ = try await LiveRun.run(job, keys: LiveFixture.keys, stop: StopSignal(), clock: clock) { event in
            watch.look(event)
            guard case .segment("video-64", let sequence) = event else { return }
            let files = (try? FileManager.default.contentsOfDirectory(atPath: folder + "/video-64")) ?? []
            kept.withLock { $0.append(files.filter { $0.hasSuffix(".m4s") }.sorted()) }
            times.advance(2)
            if sequence == 9 { times.set(by: step) }
        }
        var outcome = Outcome()
        for name in ["main.m3u8", "main.mpd", "video-64/media.m3u8", "audio/media.m3u8"] {
            outcome.playlists[name] = FileManager.default.contents(atPath: "\(folder)/\(name)").map(Array.init)
        }
        outcome.kept = kept.withLock { $0 }
        let seen = watch.seen.withLock { $0 }
        outcome.findings = seen.findings + seen.missing
        return outcome
    }

    @Test("A run whose time of day is set by an hour writes and keeps what a run without it does")
    func run() async throws {
        let normal = try await Self.outcome(step: 0)
        #expect(normal.findings.isEmpty, "\(normal.findings.prefix(5))")
        #expect(normal.playlists.count == 4)
        #expect(normal.kept.count == 20)
        // Files are deleted, but not all that are not listed anymore.
        #expect((normal.kept.last?.count ?? 0) > 6 && (normal.kept.last?.count ?? 0) < 20)
        for step in [3600, -3600] {
            let isSame = try await Self.outcome(step: step) == normal
            #expect(isSame, "\(step)")
        }
        // The comparison notices a run that reads the time of day each time.
        let isSame = try await Self.outcome(step: 3600, isSteady: false) == normal
        #expect(!isSame)
    }

    @Test("The keys of the next period are requested in time after the time of day was set back")
    func keys() async throws {
        let times = Times()
        let clock = LiveClock.steady(from: { times.timeOfDay }, elapsed: { times.elapsed })
        var job = PackagingJob(inputs: [], output: "out")
        job.rotation = KeyRotation(.seconds(30))
        job.rotation?.lead = 20
        let keyring = LiveKeyring(try LiveFixture.keys, job, firstPeriod: 0)
        _ = try await keyring.begin(at: clock.now(media: nil), [.audio])
        times.advance(10)
        times.set(by: -3600)
        var next: ContentKeyPeriod?
        for _ in 0..<60_000 where next == nil {
            next = await keyring.next(now: clock.now(media: nil), [.audio])
            try await Task.sleep(for: .milliseconds(1))
        }
        #expect(next?.number == 1)
    }
}
