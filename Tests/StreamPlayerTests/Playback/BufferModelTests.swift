import HLSPlaylist
import Testing

@testable import StreamPlayer

@Suite("The buffer of a player")
struct BufferModelTests {
    private typealias Stalls = BufferModel.Stalls

    /// Returns a buffer that has played since second 0, with 6 seconds.
    private func playing() -> BufferModel {
        var buffer = BufferModel()
        #expect(
            buffer.segmentAdded(start: 0, duration: 6, now: .zero) == [.started(position: 0, waited: .zero)]
        )
        return buffer
    }

    @Test("playback starts when the start threshold is loaded, and reports the wait")
    func start() {
        var buffer = BufferModel(position: 10, now: .seconds(100))
        #expect(buffer.segmentAdded(start: 10, duration: 1.9, now: .seconds(101)).isEmpty)
        #expect(buffer.state == .starting)
        #expect(buffer.timePassed(now: .seconds(102)).isEmpty)
        let started = buffer.segmentAdded(start: 11.9, duration: 2, now: .seconds(103))
        #expect(started == [.started(position: 10, waited: .seconds(3))])
        #expect(buffer.state == .playing)
        #expect(abs(buffer.ahead - 3.9) < 1e-9)
        #expect(buffer.stalls == Stalls())
    }

    @Test("the position advances with the clock, and stops when the buffer is empty")
    func stall() {
        var buffer = playing()
        #expect(buffer.timePassed(now: .seconds(4)).isEmpty)
        #expect(buffer.position == 4)
        #expect(buffer.ahead == 2)
        #expect(buffer.timePassed(now: .seconds(9)) == [.stalled(position: 6, at: .seconds(6))])
        #expect(buffer.state == .stalled)
        #expect(buffer.stalls == Stalls(count: 1, total: .seconds(3)))
        // Not enough to resume.
        #expect(buffer.segmentAdded(start: 6, duration: 3.9, now: .seconds(10)).isEmpty)
        #expect(
            buffer.segmentAdded(start: 9.9, duration: 6, now: .seconds(11))
                == [.resumed(position: 6, stalledFor: .seconds(5))]
        )
        #expect(buffer.stalls == Stalls(count: 1, total: .seconds(5)))
        #expect(buffer.timePassed(now: .seconds(12)).isEmpty)
        #expect(buffer.position == 7)
    }

    @Test("a segment that arrives late ends a stall, which is still counted")
    func late() {
        var buffer = playing()
        let transitions = buffer.segmentAdded(start: 6, duration: 6, now: .seconds(8))
        #expect(
            transitions == [
                .stalled(position: 6, at: .seconds(6)), .resumed(position: 6, stalledFor: .seconds(2)),
            ]
        )
    }

    @Test("a pause stops the position, and is not a stall")
    func pause() {
        var buffer = playing()
        _ = buffer.setPaused(true, now: .seconds(2))
        _ = buffer.timePassed(now: .seconds(50))
        #expect(buffer.position == 2)
        _ = buffer.setPaused(false, now: .seconds(60))
        #expect(buffer.timePassed(now: .seconds(65)) == [.stalled(position: 6, at: .seconds(64))])
        _ = buffer.setPaused(true, now: .seconds(66))
        #expect(buffer.segmentAdded(start: 6, duration: 6, now: .seconds(90)).isEmpty)
        #expect(
            buffer.setPaused(false, now: .seconds(100)) == [.resumed(position: 6, stalledFor: .seconds(2))]
        )
        #expect(buffer.stalls == Stalls(count: 1, total: .seconds(2)))
    }

    @Test("after the last segment playback ends without a stall, and a short remainder is played")
    func end() {
        var buffer = playing()
        #expect(buffer.setComplete(true, now: .seconds(1)).isEmpty)
        #expect(buffer.timePassed(now: .seconds(7)) == [.ended(position: 6)])
        #expect(buffer.stalls.count == 0)
        #expect(buffer.timePassed(now: .seconds(8)).isEmpty)
        var short = BufferModel()
        #expect(short.segmentAdded(start: 0, duration: 1, now: .zero).isEmpty)
        #expect(short.setComplete(true, now: .seconds(1)) == [.started(position: 0, waited: .seconds(1))])
        var empty = BufferModel()
        #expect(empty.setComplete(true, now: .zero) == [.ended(position: 0)])
    }

    @Test("gaps are skipped, and small gaps are ignored")
    func holes() {
        var buffer = playing()
        _ = buffer.segmentAdded(start: 6.2, duration: 5.8, now: .zero)
        #expect(buffer.ahead == 12)
        _ = buffer.segmentAdded(start: 18, duration: 6, now: .zero)
        #expect(buffer.ahead == 12)
        #expect(abs(buffer.total - 18) < 1e-9)
        #expect(buffer.loadedEnd == 24)
        #expect(buffer.timePassed(now: .seconds(13)) == [.jumped(from: 12, to: 18)])
        #expect(buffer.position == 19)
        #expect(buffer.stalls.count == 0)
        // A short range before a gap will not get longer.
        var short = BufferModel(position: 0)
        #expect(short.segmentAdded(start: 0, duration: 1, now: .zero).isEmpty)
        #expect(
            short.segmentAdded(start: 10, duration: 1, now: .zero) == [.started(position: 0, waited: .zero)]
        )
        // A gap at the start.
        var first = BufferModel(position: 0)
        #expect(
            first.segmentAdded(start: 6, duration: 6, now: .zero)
                == [.jumped(from: 0, to: 6), .started(position: 6, waited: .zero)]
        )
    }

    @Test("a large jump of the clock plays everything that is loaded")
    func leap() {
        var buffer = playing()
        _ = buffer.segmentAdded(start: 12, duration: 6, now: .zero)
        _ = buffer.segmentAdded(start: 24, duration: 6, now: .zero)
        #expect(
            buffer.timePassed(now: .seconds(100)) == [
                .jumped(from: 6, to: 12), .jumped(from: 18, to: 24), .stalled(position: 30, at: .seconds(18)),
            ]
        )
        #expect(buffer.stalls.total == .seconds(82))
    }

    @Test("a seek keeps the media loaded there, drops the rest, and starts again without a stall")
    func seek() {
        var buffer = playing()
        _ = buffer.segmentAdded(start: 6, duration: 6, now: .zero)
        #expect(buffer.seek(to: 8, now: .seconds(1)) == [.started(position: 8, waited: .zero)])
        #expect(buffer.ahead == 4)
        #expect(buffer.seek(to: 60, now: .seconds(2)).isEmpty)
        #expect(buffer.state == .starting)
        #expect(buffer.total == 0)
        #expect(
            buffer.segmentAdded(start: 60, duration: 6, now: .seconds(5))
                == [.started(position: 60, waited: .seconds(3))]
        )
        #expect(buffer.stalls.count == 0)
        #expect(buffer.seek(to: .nan, now: .seconds(5)).isEmpty)
        #expect(buffer.position == 60)
    }

    @Test("a clock that goes back and invalid positions have no effect")
    func absurd() {
        var buffer = playing()
        _ = buffer.timePassed(now: .seconds(2))
        #expect(buffer.timePassed(now: .seconds(1)).isEmpty)
        #expect(buffer.position == 2)
        for (start, duration) in [(Double.nan, 6.0), (.infinity, 6), (6, .nan), (6, -1), (6, 0), (-100, 50)] {
            #expect(buffer.segmentAdded(start: start, duration: duration, now: .seconds(2)).isEmpty)
            #expect(buffer.total == 4)
        }
        _ = buffer.segmentAdded(start: 6, duration: .infinity, now: .seconds(2))
        #expect(buffer.total == 4 + PlaybackTime.maximum)
        #expect(buffer.timePassed(now: .seconds(Int64.max)).count == 1)
    }

    @Test("played media is removed, and a segment that is added twice counts once")
    func memory() {
        var buffer = BufferModel(settings: .init(startThreshold: 0.001, resumeThreshold: 0.001, joinTolerance: 0))
        for index in 0..<1000 {
            let start = Double(index) * 2
            _ = buffer.segmentAdded(start: start, duration: 1, now: .seconds(index))
            _ = buffer.segmentAdded(start: start, duration: 1, now: .seconds(index))
            #expect(buffer.total <= 1)
        }
        #expect(buffer.stalls.count > 0)
    }
}
