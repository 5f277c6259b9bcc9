import HLSPlaylist
import Testing

@testable import StreamPlayer

@Suite("Abandoning a download")
struct AbandonedDownloadTests {
    /// Returns a controller that plays 4 Mbit/s with a full buffer.
    private func playing() -> QualityController {
        var result = controller()
        _ = result.next(buffer: 20, throughput: 4_000_000, now: .zero)
        return result
    }

    // A segment of 6 s at 4 Mbit/s has 3,000,000 bytes.
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        var received: UInt64
        var expected: UInt64? = 3_000_000
        var elapsed: Duration
        var buffer: Double
        var duration = 6.0
        let target: String?
        var testDescription: String { name }
    }

    static let rows: [Row] = [
        Row(name: "fast enough", received: 600_000, elapsed: .seconds(1), buffer: 4.1, target: nil),
        Row(name: "too slow", received: 300_000, elapsed: .seconds(1), buffer: 8.9, target: "2.m3u8"),
        Row(name: "just in time", received: 300_000, elapsed: .seconds(1), buffer: 9, target: nil),
        Row(name: "very slow", received: 3_000, elapsed: .seconds(1), buffer: 8, target: "1.m3u8"),
        Row(name: "too early to say", received: 3_000, elapsed: .milliseconds(499), buffer: 1, target: nil),
        Row(name: "nearly done", received: 2_900_000, elapsed: .seconds(20), buffer: 0.1, target: nil),
        Row(name: "more than was said", received: 3_100_000, elapsed: .seconds(20), buffer: 0, target: nil),
        Row(name: "size unknown", received: 300_000, expected: nil, elapsed: .seconds(1), buffer: 8, target: "2.m3u8"),
        Row(name: "nothing yet", received: 0, elapsed: .seconds(2), buffer: 4.1, target: nil),
        Row(name: "nothing for long", received: 0, elapsed: .seconds(2), buffer: 4, target: "1.m3u8"),
        Row(name: "absurd size", received: 1, expected: .max, elapsed: .seconds(1), buffer: 5, target: "1.m3u8"),
        Row(
            name: "absurd duration",
            received: 1,
            expected: nil,
            elapsed: .seconds(1),
            buffer: 5,
            duration: .infinity,
            target: "1.m3u8"
        ),
        Row(
            name: "a duration that is not a number",
            received: 1,
            expected: nil,
            elapsed: .seconds(1),
            buffer: 5,
            duration: .nan,
            target: nil
        ),
    ]

    @Test("a download continues unless the buffer would run empty and a lower variant helps", arguments: rows)
    func verdict(row: Row) {
        var controller = playing()
        let verdict = controller.judge(
            DownloadProgress(
                received: row.received,
                expected: row.expected,
                elapsed: row.elapsed,
                segmentDuration: row.duration
            ),
            buffer: row.buffer,
            now: .seconds(3)
        )
        guard let target = row.target else {
            #expect(verdict == .proceed)
            #expect(controller.counts == SwitchCounts())
            return
        }
        guard case .abandon(let decision) = verdict, case .bufferDraining(let needed, row.buffer) = decision.reason
        else {
            Issue.record("\(verdict)")
            return
        }
        #expect(decision.variant?.uri == target)
        #expect(needed > row.buffer)
        #expect(controller.current?.uri == target)
        #expect(controller.counts.down == 1)
        #expect(controller.counts.abandoned == 1)
    }

    @Test("while the buffer is filled initially, and at the lowest variant, no download is abandoned")
    func never() {
        let slow = DownloadProgress(received: 1, expected: 3_000_000, elapsed: .seconds(5), segmentDuration: 6)
        var starting = controller()
        _ = starting.next(buffer: 0, throughput: 4_000_000, now: .zero)
        #expect(starting.judge(slow, buffer: 0, now: .seconds(1)) == .proceed)
        var lowest = controller()
        _ = lowest.next(buffer: 20, throughput: 1_000_000, now: .zero)
        #expect(lowest.judge(slow, buffer: 0, now: .seconds(1)) == .proceed)
    }

    @Test("after an abandoned download it does not switch up at once")
    func interval() {
        var controller = playing()
        let slow = DownloadProgress(received: 1, expected: 3_000_000, elapsed: .seconds(5), segmentDuration: 6)
        _ = controller.judge(slow, buffer: 5, now: .seconds(3))
        let decision = controller.next(buffer: 20, throughput: 9_000_000, now: .seconds(4))
        #expect(decision.reason == .tooSoon(until: .seconds(11)))
    }
}
