import Testing

@testable import KeyServer

@Suite("Histogram of latencies")
struct LatencyHistogramTests {
    private func counts(_ times: some Sequence<Int>) -> LatencyHistogram {
        var counts = LatencyHistogram()
        for time in times { counts.add(microseconds: time) }
        return counts
    }

    @Test(
        "The error of a percentile is at most an eighth, for every magnitude",
        arguments: [20, 999, 4_096, 250_000, 9_000_000]
    )
    func accuracy(time: Int) throws {
        let counts = counts([time])
        for share in [0.5, 0.95, 0.99] {
            let found = try #require(counts.percentile(share))
            #expect(abs(Double(found) - Double(time)) <= Double(time) / 8 + 1)
        }
    }

    @Test(
        "For evenly distributed latencies, half are below the median and one in a hundred is above the 99th percentile"
    )
    func spread() throws {
        let counts = counts(1...10_000)
        #expect(counts.total == 10_000)
        #expect(4_700...5_300 ~= (try #require(counts.percentile(0.5))))
        #expect(9_200...10_240 ~= (try #require(counts.percentile(0.95))))
        #expect(9_700...10_240 ~= (try #require(counts.percentile(0.99))))
    }

    @Test("Without latencies there is no percentile; no latency is too short or too long")
    func bounds() throws {
        #expect(LatencyHistogram().percentile(0.5) == nil)
        #expect(counts([-5, 0, 15]).percentile(0.99).map { $0 <= 16 } == true)
        #expect(try #require(counts([.max]).percentile(0.5)) > 10_000_000)
    }

    @Test("Two added histograms equal one with all latencies")
    func sum() {
        var left = counts([10, 2_000])
        left.add(counts([3_000_000]))
        #expect(left == counts([10, 2_000, 3_000_000]))
        var none = LatencyHistogram()
        none.add(left)
        none.add(LatencyHistogram())
        #expect(none == left)
        left.removeAll()
        #expect(left.total == 0)
        #expect(left.percentile(0.5) == nil)
    }
}
