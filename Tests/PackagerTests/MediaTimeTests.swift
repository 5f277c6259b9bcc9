import Packager
import Testing

@Suite("Media times")
struct MediaTimeTests {
    @Test("are compared exactly across timescales")
    func comparison() {
        #expect(RationalTime(90_000, timescale: 90_000) == RationalTime(1, timescale: 1))
        #expect(RationalTime(1001, timescale: 30_000) < RationalTime(1002, timescale: 30_000))
        #expect(RationalTime(.max, timescale: 3) > RationalTime(.max, timescale: 4))
        #expect(RationalTime(.min, timescale: 1) < RationalTime(.min, timescale: 2))
        #expect(RationalTime(-1, timescale: .max) < .zero)
        #expect(Set([RationalTime(2, timescale: 4), RationalTime(1, timescale: 2)]).count == 1)
    }

    @Test("are converted to the nearest unit")
    func conversion() {
        #expect(RationalTime(1, timescale: 3).converted(to: 90_000) == 30_000)
        #expect(RationalTime(1, timescale: 2).converted(to: 1) == 1)
        #expect(RationalTime(-1, timescale: 2).converted(to: 1) == -1)
        #expect(RationalTime(1, timescale: 3).converted(to: 1) == 0)
        #expect(RationalTime(.max, timescale: 1).converted(to: 90_000) == .max)
        #expect(RationalTime(.min, timescale: 1).converted(to: 2) == .min)
    }
}
