import StreamPlayer
import Testing

@testable import OfflineAssets

@Suite("Download queue")
struct DownloadQueueTests {
    private let passing = MediaLoadError(.status, "https://a/1", status: 503)

    private func queue(_ hosts: [String], _ change: (inout DownloadSettings) -> Void = { _ in }) -> DownloadQueue {
        var settings = DownloadSettings()
        change(&settings)
        let urls = hosts.enumerated().map { ($0.offset, "https://\($0.element)/file") }
        return DownloadQueue(Dictionary(uniqueKeysWithValues: urls), settings: settings)
    }

    private func started(_ queue: inout DownloadQueue, now: Duration = .zero) -> [Int] {
        var files: [Int] = []
        while let file = queue.next(now: now) { files.append(file) }
        return files
    }

    @Test func startsAsManyAsThereArePlacesInTheirOrder() {
        var queue = queue(["a", "a", "b", "a", "b"]) { $0.parallel = 3 }
        #expect(started(&queue) == [0, 1, 2])
        queue.finished(1)
        #expect(started(&queue) == [3])
        for file in [0, 2, 3] { queue.finished(file) }
        #expect(started(&queue) == [4])
        #expect(!queue.isDone)
        queue.finished(4)
        #expect(queue.isDone)
    }

    @Test func asksNoHostForMoreThanItsPlaces() {
        var queue = queue(["a", "a", "A", "b:81", "b:82"]) { settings in
            settings.parallel = 10
            settings.parallelPerHost = 1
        }
        #expect(started(&queue) == [0, 3, 4])
        queue.finished(0)
        #expect(started(&queue) == [1])
    }

    @Test func triesAgainAfterPausesThatDouble() {
        var queue = queue(["a"])
        var now = Duration.zero
        var pauses: [Duration] = []
        while let file = queue.next(now: now),
            let retry = queue.failed(file, passing, length: 0, retryAfter: nil, chance: 0, now: now)
        {
            #expect(queue.next(now: now) == nil)
            #expect(queue.nextMoment == now + retry.pause)
            #expect(retry.attempt == pauses.count + 2)
            pauses.append(retry.pause)
            now += retry.pause
        }
        #expect(pauses == [.milliseconds(500), .seconds(1), .seconds(2), .seconds(4), .seconds(8)])
    }

    @Test func pausesLongerByChanceAndAsLongAsTheServerSays() {
        var queue = queue(["a"])
        _ = queue.next(now: .zero)
        let byChance = queue.failed(0, passing, length: 0, retryAfter: nil, chance: 1, now: .zero)
        #expect(byChance?.pause == .milliseconds(750))
        _ = queue.next(now: .seconds(1))
        let asAsked = queue.failed(0, passing, length: 0, retryAfter: .seconds(20), chance: 0, now: .seconds(1))
        #expect(asAsked?.pause == .seconds(20))
        _ = queue.next(now: .seconds(30))
        let tooLong = queue.failed(
            0,
            passing,
            length: 0,
            retryAfter: .seconds(9999),
            chance: 0,
            now: .seconds(30)
        )
        #expect(tooLong?.pause == .seconds(120))
    }

    @Test func neverGivesUpWhileBytesCome() {
        var queue = queue(["a"]) { $0.attempts = 2 }
        for number in 0..<50 {
            let now = Duration.seconds(number * 10)
            #expect(queue.next(now: now) == 0)
            let length = UInt64(number + 1)
            #expect(queue.failed(0, passing, length: length, retryAfter: nil, chance: 0, now: now)?.attempt == 2)
        }
        #expect(queue.next(now: .seconds(1000)) == 0)
        #expect(queue.failed(0, passing, length: 0, retryAfter: nil, chance: 0, now: .seconds(1000)) == nil)
    }

    @Test func givesUpIfEachAttemptStartsAgainAndIsCutOff() {
        var queue = queue(["a"]) { $0.attempts = 3 }
        for (number, length) in [700, 500, 600].enumerated() {
            let now = Duration.seconds(number * 100)
            #expect(queue.next(now: now) == 0)
            let retry = queue.failed(0, passing, length: UInt64(length), retryAfter: nil, chance: 0, now: now)
            #expect(retry?.attempt == (number < 2 ? number + 2 : nil))
        }
    }

    @Test(arguments: [MediaLoadError.Code.notFound, .tooLarge, .badAddress, .cancelled])
    func doesNotTryAgainWhatWillNotPass(code: MediaLoadError.Code) {
        var queue = queue(["a"])
        _ = queue.next(now: .zero)
        let error = MediaLoadError(code, "https://a/1")
        #expect(queue.failed(0, error, length: 1, retryAfter: nil, chance: 0, now: .zero) == nil)
    }

    @Test func doesOthersWhileOnePauses() {
        var queue = queue(["a", "a"]) { $0.parallel = 1 }
        #expect(started(&queue) == [0])
        _ = queue.failed(0, passing, length: 0, retryAfter: nil, chance: 0, now: .zero)
        #expect(started(&queue) == [1])
        queue.finished(1)
        #expect(started(&queue) == [])
        #expect(started(&queue, now: .seconds(1)) == [0])
    }
}
