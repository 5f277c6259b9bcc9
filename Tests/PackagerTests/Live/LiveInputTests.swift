import Foundation
import HLSPlaylist
import MediaFormats
import Synchronization
import Testing

@testable import Packager

/// A named pipe, and a writer that a test controls.
private final class Feeder: Sendable {
    /// The remaining steps; the last one is performed first.
    private enum Step {
        case write([UInt8])
        case close
    }

    let path: String
    private let steps = Mutex<[Step]>([])
    private let wake = DispatchSemaphore(value: 0)

    init(_ folder: String) throws {
        path = folder + "/pipe"
        try #require(mkfifo(path, 0o600) == 0)
        let thread = Thread { self.work() }
        thread.start()
    }

    /// Writes bytes; without a reader, none are lost.
    func write(_ bytes: [UInt8]) { add(.write(bytes)) }

    /// Closes the pipe; the next bytes open it again.
    func close() { add(.close) }

    private func add(_ step: Step) {
        steps.withLock { $0.append(step) }
        wake.signal()
    }

    private func work() {
        var descriptor: Int32 = -1
        while true {
            wake.wait()
            switch steps.withLock({ $0.removeFirst() }) {
            case .write(let bytes):
                if descriptor < 0 { descriptor = open(path, O_WRONLY | O_CLOEXEC) }
                guard descriptor >= 0 else { return }
                var start = 0
                while start < bytes.count {
                    let count = bytes.withUnsafeBytes {
                        Foundation.write(descriptor, $0.baseAddress?.advanced(by: start), bytes.count - start)
                    }
                    guard count > 0 else { return }
                    start += count
                }
            case .close:
                Foundation.close(descriptor)
                descriptor = -1
            }
        }
    }
}

@Suite("Live inputs", .timeLimit(.minutes(10)))
struct LiveInputTests {
    private let scratch: ScratchFolder
    private let folder: String
    private let feeder: Feeder

    init() throws {
        scratch = try ScratchFolder()
        folder = scratch.path + "/out"
        signal(SIGPIPE, SIG_IGN)
        feeder = try Feeder(scratch.path)
    }

    private func job() -> PackagingJob {
        var job = LiveFixture.job([feeder.path], to: folder, rotation: nil)
        (job.scheme, job.systems, job.keysArriveLater) = (nil, [], false)
        job.segmentDuration = RationalTime(1, timescale: 1)
        return job
    }

    /// A transport stream of three seconds.
    private func stream() throws -> [UInt8] {
        var job = try PipelineFixture.job(["film.mp4"], to: scratch.path + "/ts")
        (job.container, job.overwrites) = (.ts, true)
        try PipelineFixture.package(job)
        return try (1...3).reduce(into: []) { $0 += try scratch.bytes("ts/video-64/\($1).ts") }
    }

    @Test("a segment is in its playlist before the second frame after it has arrived")
    func latency() async throws {
        let film = try LongFilm.write(seconds: 9, to: scratch.path)[0]
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: film)))
        var cursor = try MovieFile(reading: bytes.span.bytes).samples()
        var ends: [Int] = []
        while let sample = try cursor.next(bytes.span.bytes) { ends.append(sample.range.upperBound) }
        // The first frame of the second segment, which ends the first one.
        let cut = ends[12]
        let written = Mutex(0)
        let feeder = feeder
        feeder.write(Array(bytes[..<cut]))
        let report = try await LiveRun.run(job(), stop: StopSignal()) { event in
            guard case .segment = event else { return }
            let isFirst = written.withLock { count in
                count += 1
                return count == 1
            }
            // The rest is written only now: if the first segment were not published, this test would not finish.
            guard isFirst else { return }
            feeder.write(Array(bytes[cut...]))
            feeder.close()
        } stoppedBy: { discontinuities in
            discontinuities == 1
        }
        #expect(report.segments == 9)
    }

    @Test("whose writer disconnects wait for another one, and continue after a discontinuity")
    func reopened() async throws {
        let bytes = try stream()
        let feeder = feeder
        feeder.write(bytes)
        feeder.close()
        let watch = LiveWatch(folder)
        let report = try await LiveRun.run(job(), stop: StopSignal()) { event in
            watch.look(event)
            guard case .discontinuity = event else { return }
            feeder.write(bytes)
            feeder.close()
        } stoppedBy: {
            $0 == 3
        }
        let seen = watch.seen.withLock { $0 }
        #expect(seen.findings.isEmpty, "\(seen.findings.prefix(5))")
        #expect(report.segments == 9)
        let media = try MediaPlaylist(parsing: scratch.bytes("out/video-64/media.m3u8"))
        #expect(media.isEnded && media.segments.count == 5 && media.mediaSequence == 4)
        #expect((media.discontinuitySequence ?? 0) + UInt64(media.segments.count { $0.isDiscontinuity }) == 2)
    }

    @Test("whose timestamps jump continue after a discontinuity, without the end of the pipe")
    func jumps() async throws {
        let bytes = try stream()
        let feeder = feeder
        feeder.write(bytes)
        let isFirst = Mutex(true)
        let jumps = Mutex(0)
        let watch = LiveWatch(folder)
        let report = try await LiveRun.run(job(), stop: StopSignal()) { event in
            watch.look(event)
            switch event {
            case .segment:
                let first = isFirst.withLock { value in
                    defer { value = false }
                    return value
                }
                // Timestamps restart.
                if first { feeder.write(bytes) }
            case .discontinuity:
                let isFirstJump = jumps.withLock { count in
                    count += 1
                    return count == 1
                }
                guard isFirstJump else { return }
                feeder.write(bytes)
                feeder.close()
            default: break
            }
        } stoppedBy: {
            $0 == 3
        }
        let seen = watch.seen.withLock { $0 }
        #expect(seen.findings.isEmpty, "\(seen.findings.prefix(5))")
        // The third one is the end of the pipe.
        #expect(report.discontinuities == 3 && report.segments == 9)
        let media = try MediaPlaylist(parsing: scratch.bytes("out/video-64/media.m3u8"))
        let tags = UInt64(media.segments.count { $0.isDiscontinuity })
        #expect(media.isEnded && (media.discontinuitySequence ?? 0) + tags == 2)
    }
}

extension LiveRun {
    /// Runs until a number of discontinuities have occurred.
    fileprivate static func run(
        _ job: PackagingJob,
        stop: StopSignal,
        report: @escaping @Sendable (Event) -> Void,
        stoppedBy isEnough: @escaping @Sendable (Int) -> Bool
    ) async throws -> Report {
        let count = Mutex(0)
        return try await run(job, keys: nil, stop: stop) { event in
            if case .discontinuity = event {
                let number = count.withLock { value in
                    value += 1
                    return value
                }
                if isEnough(number) { return stop.stop() }
            }
            report(event)
        }
    }
}
