import Testing

@testable import StreamPlayer

@Suite("Throughput")
struct ThroughputEstimateTests {
    @Test("the first estimate applies until a measurement")
    func first() {
        var estimate = ThroughputEstimate(.init(firstEstimate: 700_000))
        #expect(!estimate.isMeasured)
        #expect(estimate.bitsPerSecond == 700_000)
        estimate.note(bytes: 1_000_000, duration: .seconds(2))
        #expect(estimate.isMeasured)
        #expect(estimate.bitsPerSecond == 4_000_000)
    }

    @Test("after one half-life an old rate counts half, in the lower average")
    func halfLife() {
        var falling = ThroughputEstimate(.init(fastHalfLife: .seconds(2), slowHalfLife: .seconds(20)))
        falling.note(bytes: 100_000_000, duration: .seconds(200))  // 4 Mbit/s for a long time
        falling.note(bytes: 250_000, duration: .seconds(2))  // 1 Mbit/s
        #expect(abs(Double(falling.bitsPerSecond) - 2_500_000) < 10)

        var rising = ThroughputEstimate(.init(fastHalfLife: .seconds(2), slowHalfLife: .seconds(20)))
        rising.note(bytes: 25_000_000, duration: .seconds(200))  // 1 Mbit/s for a long time
        rising.note(bytes: 10_000_000, duration: .seconds(20))  // 4 Mbit/s for a slow half-life
        // The slow average started with a weight of 1 - 2^-10.
        #expect(abs(Double(rising.bitsPerSecond) - 2_500_000) < 2_000)
    }

    @Test("the order of a rise and a fall matters: a fall takes effect at once")
    func asymmetry() {
        var estimate = ThroughputEstimate()
        for _ in 0..<20 { estimate.note(bytes: 500_000, duration: .seconds(1)) }
        estimate.note(bytes: 500_000, duration: .seconds(4))
        let fallen = estimate.bitsPerSecond
        #expect(fallen < 2_500_000)
        for _ in 0..<3 { estimate.note(bytes: 500_000, duration: .seconds(1)) }
        #expect(estimate.bitsPerSecond > fallen)
        #expect(estimate.bitsPerSecond < 3_800_000)
    }

    @Test("small downloads are measured together")
    func small() {
        var estimate = ThroughputEstimate(.init(firstEstimate: 1, minimumBytes: 10_000))
        estimate.note(bytes: 4_000, duration: .milliseconds(100))
        estimate.note(bytes: 5_999, duration: .milliseconds(100))
        #expect(!estimate.isMeasured)
        estimate.note(bytes: 1, duration: .milliseconds(200))
        #expect(estimate.bitsPerSecond == 200_000)
    }

    @Test(
        "invalid sizes and durations are ignored",
        arguments: [
            (0, Duration.seconds(1)), (-5, .seconds(1)), (Int.min, .seconds(1)), (100_000, .zero),
            (100_000, .seconds(-1)), (Int.max, .zero),
        ]
    )
    func nothing(bytes: Int, duration: Duration) {
        var estimate = ThroughputEstimate()
        estimate.note(bytes: bytes, duration: duration)
        #expect(!estimate.isMeasured)
        estimate.note(bytes: 125_000, duration: .seconds(1))
        #expect(estimate.bitsPerSecond == 1_000_000)
    }

    @Test("an extreme rate is limited, and later rates still count")
    func absurd() {
        var estimate = ThroughputEstimate()
        estimate.note(bytes: .max, duration: .nanoseconds(1))
        #expect(estimate.bitsPerSecond == 100_000_000_000)
        estimate.note(bytes: 125_000, duration: .seconds(1))
        #expect(abs(Double(estimate.bitsPerSecond) - 1_000_000) < 1000)
        estimate.note(bytes: 1_000_000, duration: .seconds(Int64.max))
        #expect(estimate.bitsPerSecond == 0)
    }
}
