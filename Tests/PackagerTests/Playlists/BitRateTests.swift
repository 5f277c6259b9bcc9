import HLSPlaylist
import Testing

@testable import Packager

@Suite("Bit rates")
struct BitRateTests {
    @Test("have their peak over the segment groups that a Target Duration permits")
    func peak() {
        // A single small segment is too short for a separate peak, and raises that of its neighbors.
        let segments = [(6.0, 600_000), (1.0, 500_000), (6.0, 600_000)]
        let rate = BitRate(segments, targetDuration: 6)
        #expect(rate.peak == 1_257_143)
        #expect(rate.average == 1_046_154)
    }

    @Test("are those of every sequence of segments, found without trying all of them")
    func everyRun() {
        var state: UInt64 = 42
        func next(_ bound: UInt64) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33 % bound)
        }
        for _ in 0..<200 {
            let segments = (0..<(1 + next(40))).map { _ in (Double(1 + next(24)) / 4, next(1_000_000)) }
            let target = Double(1 + next(6))
            var expected: Double?
            for start in segments.indices {
                var (time, bits) = (0.0, 0.0)
                for segment in segments[start...] {
                    time += segment.0
                    bits += Double(segment.1) * 8
                    if time >= target * 0.5, time <= target * 1.5 + 0.5 { expected = max(expected ?? 0, bits / time) }
                }
            }
            let rate = BitRate(segments, targetDuration: target)
            if let expected { #expect(abs(Double(rate.peak) - max(expected, Double(rate.average))) <= 1) }
        }
    }

    @Test("of no segments are 0")
    func nothing() {
        #expect(BitRate([], targetDuration: 6) == .zero)
        #expect(BitRate([(0, 100)], targetDuration: 6) == .zero)
    }

    @Test("of sequences shorter than half a Target Duration are the average")
    func short() {
        #expect(BitRate([(1, 125)], targetDuration: 6) == BitRate(peak: 1000, average: 1000))
    }

    @Test("are signaled again when they change by more than 10 percent")
    func statements() {
        var values = BitRateValues()
        #expect(values.next(byteCount: 0, duration: 1) == nil)
        #expect(values.next(byteCount: 125_000, duration: 1) == 1000)
        #expect(values.next(byteCount: 136_000, duration: 1) == 1000)
        #expect(values.next(byteCount: 113_000, duration: 1) == 1000)
        #expect(values.next(byteCount: 112_000, duration: 1) == 896)
        // 110.5 percent of the last value, which is 90.5 percent of this one.
        #expect(values.next(byteCount: 123_760, duration: 1) == 990)
        #expect(values.next(byteCount: 0, duration: 1) == 990)
        #expect(values.next(byteCount: 10, duration: 0) == 990)
    }
}
