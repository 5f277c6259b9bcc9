import Testing

@testable import Packager

@Suite("Key periods and segments")
struct KeyPeriodScheduleTests {
    private func time(_ seconds: Double) -> RationalTime { RationalTime(Int64(seconds * 1000), timescale: 1000) }

    /// Returns the periods of a leader's segments.
    private func periods(_ rotation: KeyRotation?, _ starts: [Double], first: Int = 0) -> [Int] {
        var schedule = KeyPeriodSchedule(rotation, first: first)
        return starts.map {
            schedule.begin(at: time($0))
            return schedule.period(at: time($0))
        }
    }

    @Test("start after a number of segments")
    func segments() {
        #expect(periods(KeyRotation(.segments(2)), [0, 6, 12, 18, 24]) == [0, 0, 1, 1, 2])
    }

    @Test("start with the first segment after a number of seconds, and do not drift")
    func seconds() {
        let starts = stride(from: 1.0, to: 40, by: 4).map { $0 }
        #expect(periods(KeyRotation(.seconds(10)), starts) == [0, 0, 0, 1, 1, 2, 2, 2, 3, 3])
    }

    @Test("increase by one if a long segment spans several rotation times")
    func longSegment() {
        #expect(periods(KeyRotation(.seconds(10)), [0, 9, 45, 50, 55]) == [0, 0, 1, 2, 2])
    }

    @Test("continue from the number of an earlier run, and never change without rotation")
    func numbers() {
        #expect(periods(KeyRotation(.segments(1)), [0, 6, 12], first: 7) == [7, 8, 9])
        #expect(periods(nil, [0, 6, 1e6]) == [0, 0, 0])
    }

    @Test("apply to other renditions by time")
    func followers() {
        var schedule = KeyPeriodSchedule(KeyRotation(.segments(1)))
        for start in [0.5, 6, 12] { schedule.begin(at: time(start)) }
        let starts = [0, 5.99, 6, 6.01, 11.99, 12.02]
        #expect(starts.map { schedule.period(at: time($0)) } == [0, 0, 1, 1, 1, 2])
    }
}
