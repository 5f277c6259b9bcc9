import HLSPlaylist
import Testing

@testable import StreamPlayer

/// A ten-minute presentation played over a network with a given rate: the value types together, without a player.
struct SimulatedPlayback {
    /// The rate in bits per second at a time in seconds.
    let rate: (Double) -> Double
    var controller: QualityController
    var estimate = ThroughputEstimate()
    var buffer = BufferModel()
    var timeline: SegmentTimeline
    /// In steps of a tenth of a second.
    var tenths = 0
    var played: [String] = []
    var now: Duration { .milliseconds(tenths * 100) }

    init(rate: @escaping (Double) -> Double) throws {
        self.rate = rate
        var controller = StreamPlayerTests.controller()
        timeline = try SegmentTimeline(live(0..<100, isEnded: true))
        var selector = controller.selector
        selector.abilities.safetyFactor = 0.8
        selector.upSwitchMargin = 0.15
        controller.selector = selector
        self.controller = controller
    }

    mutating func wait() {
        tenths += 1
        _ = buffer.timePassed(now: now)
    }

    /// Loads a segment; returns false if the download was abandoned.
    mutating func load(_ segment: TimelineSegment, of variant: Variant) -> Bool {
        let size = Double(variant.bandwidth) / 8 * segment.duration
        var received = 0.0
        let began = now
        while received < size {
            received = min(received + max(rate(Double(tenths) / 10), 0) / 8 / 10, size)
            wait()
            guard received < size, tenths.isMultiple(of: 5) else { continue }
            let progress = DownloadProgress(
                received: UInt64(received),
                expected: UInt64(size),
                elapsed: now - began,
                segmentDuration: segment.duration
            )
            if case .abandon = controller.judge(progress, buffer: buffer.ahead, now: now) {
                estimate.note(bytes: Int(received), duration: now - began)
                return false
            }
        }
        estimate.note(bytes: Int(size), duration: now - began)
        return true
    }

    mutating func run() -> Bool {
        while tenths < 36_000 {
            while buffer.ahead > 30 { wait() }
            let decision = controller.next(buffer: buffer.ahead, throughput: estimate.bitsPerSecond, now: now)
            guard let variant = decision.variant, case .segment(let segment) = timeline.next().outcome else { break }
            guard load(segment, of: variant) else { continue }
            timeline.advance(past: segment)
            played.append(variant.uri)
            _ = buffer.segmentAdded(start: segment.start, duration: segment.duration, now: now)
        }
        _ = buffer.setComplete(true, now: now)
        while tenths < 36_000, buffer.state != .ended { wait() }
        return buffer.state == .ended
    }
}

@Suite("Simulated playback")
struct SimulatedPlaybackTests {
    @Test("a steady network causes one switch up")
    func steady() throws {
        var playback = try SimulatedPlayback { _ in 6_000_000 }
        let hasEnded = playback.run()
        #expect(hasEnded)
        #expect(playback.played.count == 100)
        #expect(playback.played.last == "4.m3u8")
        #expect(playback.controller.counts.down == 0)
        #expect(playback.controller.counts.up <= 2)
        #expect(playback.buffer.stalls.count == 0)
    }

    @Test("a rate that falls to a sixth for two minutes causes no stall, and the quality recovers")
    func fall() throws {
        var playback = try SimulatedPlayback { (120..<240).contains($0) ? 1_500_000 : 9_500_000 }
        let hasEnded = playback.run()
        #expect(hasEnded)
        #expect(playback.played.contains("1.m3u8"))
        #expect(playback.played.last == "4.m3u8")
        #expect(playback.buffer.stalls.count == 0)
        #expect(playback.controller.counts.down >= 1)
        #expect(playback.controller.counts.up <= 4)
    }

    @Test("a rate that varies every second does not cause switches every second")
    func wavering() throws {
        var playback = try SimulatedPlayback { Int($0).isMultiple(of: 2) ? 8_000_000 : 3_000_000 }
        let hasEnded = playback.run()
        #expect(hasEnded)
        #expect(playback.buffer.stalls.count == 0)
        #expect(playback.controller.counts.up + playback.controller.counts.down <= 4)
    }

    @Test("a network failure of a minute causes one stall, and playback resumes")
    func outage() throws {
        var playback = try SimulatedPlayback { (100..<160).contains($0) ? 0 : 6_000_000 }
        let hasEnded = playback.run()
        #expect(hasEnded)
        #expect(playback.played.count == 100)
        #expect(playback.buffer.stalls.count == 1)
        #expect(playback.buffer.stalls.total > .seconds(20))
        #expect(playback.buffer.stalls.total < .seconds(40))
        #expect(playback.played.last == "4.m3u8")
    }
}
