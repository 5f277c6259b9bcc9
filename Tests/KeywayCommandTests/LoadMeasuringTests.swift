import Testing

@testable import keyway

/// Tests of the schedules and measurements of `keyway load`.
@Suite("Measuring load")
struct LoadMeasuringTests {
    @Test("Arrivals of the open loop are sorted, within the duration, and at the given rate")
    func arrivals() {
        let plan = LoadPlan(pace: .open(rate: 1000), connections: 1, duration: 9, warmUp: 1, timeout: 1)
        var random = SystemRandomNumberGenerator()
        let moments = plan.arrivals(using: &random)
        #expect(moments == moments.sorted())
        #expect((moments.last ?? .max) < 10_000_000_000)
        // Ten times the standard deviation of a Poisson process.
        #expect((9000...11_000).contains(moments.count))
        let closed = LoadPlan(pace: .closed, connections: 1, duration: 9, warmUp: 1, timeout: 1)
        #expect(closed.arrivals(using: &random).isEmpty)
    }

    @Test("Processor time is parsed after a process name with parentheses and spaces")
    func stat() {
        let text = "42 (a) b (c)) S 1 42 42 0 -1 4194304 1 2 3 4 150 50 7 8 20 0 1 0 99 1000 10"
        #expect(ProcessTime.seconds(stat: text, ticksPerSecond: 100) == 2)
        for broken in ["", "42", "42 (a) S 1", "42 (a) S 1 2 3 4 5 6 7 8 9 10 x y"] {
            #expect(ProcessTime.seconds(stat: broken, ticksPerSecond: 100) == nil)
        }
    }

    @Test("The problem's type and reason are parsed, and other bodies have neither")
    func problems() {
        let body = Array(#"{"type":"urn:keyway:problem:overloaded","reason":"a-b","status":503}"#.utf8)
        let outcome = LoadResponse(status: 503, body: body).outcome
        #expect(outcome == LoadOutcome(status: 503, problem: "overloaded", reason: "a-b"))
        #expect(LoadResponse(status: 502, body: Array("<html>".utf8)).outcome == LoadOutcome(status: 502))
        #expect(LoadResponse(status: 400, body: Array("urn:keyway:problem:".utf8)).outcome == LoadOutcome(status: 400))
        let long = Array(("urn:keyway:problem:" + String(repeating: "a", count: 1000)).utf8)
        #expect(LoadResponse(status: 400, body: long).outcome.problem?.count == 60)
    }

    @Test("Percentiles count every request, including the slowest")
    func percentiles() {
        var tally = LoadTally()
        for milliseconds in 1...1000 {
            tally.record(.granted, microseconds: UInt64(milliseconds) * 1000, inTime: milliseconds <= 500)
        }
        tally.record(LoadOutcome(status: 503, problem: "overloaded"), microseconds: 5, inTime: true)
        tally.record(.lost, microseconds: 5, inTime: true)
        #expect(abs(tally.granted.milliseconds(at: 99) - 990) < 2)
        #expect(abs(tally.granted.maximum - 1000) < 2)
        #expect(tally.grantedInTime == 500)
        #expect(tally.refused.count == 1)
        #expect(tally.total == 1002)
    }
}
