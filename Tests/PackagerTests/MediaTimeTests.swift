import Packager
import Testing

@Suite("Media times")
struct MediaTimeTests {
    @Test("are compared exactly across timescales")
    func comparison() {
        #expect(MediaTime(90_000, timescale: 90_000) == MediaTime(1, timescale: 1))
        #expect(MediaTime(1001, timescale: 30_000) < MediaTime(1002, timescale: 30_000))
        #expect(MediaTime(.max, timescale: 3) > MediaTime(.max, timescale: 4))
        #expect(MediaTime(.min, timescale: 1) < MediaTime(.min, timescale: 2))
        #expect(MediaTime(-1, timescale: .max) < .zero)
        #expect(Set([MediaTime(2, timescale: 4), MediaTime(1, timescale: 2)]).count == 1)
    }

    @Test("are converted to the nearest unit")
    func conversion() {
        #expect(MediaTime(1, timescale: 3).converted(to: 90_000) == 30_000)
        #expect(MediaTime(1, timescale: 2).converted(to: 1) == 1)
        #expect(MediaTime(-1, timescale: 2).converted(to: 1) == -1)
        #expect(MediaTime(1, timescale: 3).converted(to: 1) == 0)
        #expect(MediaTime(.max, timescale: 1).converted(to: 90_000) == .max)
        #expect(MediaTime(.min, timescale: 1).converted(to: 2) == .min)
    }
}
