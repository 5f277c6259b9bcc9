import Testing

@testable import KeyServer

@Suite("Authorization: the circuit breaker")
struct AuthorizationCircuitBreakerTests {
    private let breaker = CircuitBreaker(limits: .init(failures: 3, pause: 100))

    /// Returns the ticket of an admitted request.
    private func ticket(_ breaker: inout CircuitBreaker, _ now: Int64) throws -> CircuitBreaker.Ticket {
        guard case .send(let ticket) = breaker.admit(at: now) else { throw Refused() }
        return ticket
    }

    private struct Refused: Error {}

    /// Reports failures until the breaker opens, at time 0.
    private func opened() throws -> CircuitBreaker {
        var breaker = breaker
        for _ in 0..<3 { breaker.fail(try ticket(&breaker, 0), at: 0) }
        return breaker
    }

    @Test("It opens after the configured number of consecutive failures, for the configured time")
    func opens() throws {
        var breaker = breaker
        for _ in 0..<2 { breaker.fail(try ticket(&breaker, 0), at: 0) }
        #expect(breaker.state == .closed(failures: 2))
        breaker.fail(try ticket(&breaker, 0), at: 0)
        #expect(breaker.state == .open(until: 100))
        #expect(breaker.admit(at: 0) == .refuse(100))
        #expect(breaker.admit(at: 99) == .refuse(1))
    }

    @Test("A success resets the number of failures")
    func forgets() throws {
        var breaker = breaker
        for _ in 0..<10 {
            for _ in 0..<2 { breaker.fail(try ticket(&breaker, 0), at: 0) }
            breaker.succeed(try ticket(&breaker, 0))
            #expect(breaker.state == .closed(failures: 0))
        }
    }

    @Test("After the pause one request is admitted, and its result determines the state")
    func probes() throws {
        var breaker = try opened()
        let first = try ticket(&breaker, 100)
        #expect(breaker.state == .probing)
        #expect(breaker.admit(at: 1_000) == .refuse(100))
        var failed = breaker
        failed.fail(first, at: 200)
        #expect(failed.state == .open(until: 300))
        breaker.succeed(first)
        #expect(breaker.state == .closed(failures: 0))
    }

    @Test("A cancelled request has no result: the next one is admitted")
    func abandoned() throws {
        var breaker = try opened()
        let first = try ticket(&breaker, 100)
        breaker.cancel(first, at: 150)
        let second = try ticket(&breaker, 150)
        breaker.succeed(second)
        #expect(breaker.state == .closed(failures: 0))
        breaker.cancel(try ticket(&breaker, 150), at: 150)
        #expect(breaker.state == .closed(failures: 0))
    }

    @Test("Late results of an earlier period do not change the state")
    func late() throws {
        var breaker = breaker
        let early = try (0..<4).map { _ in try ticket(&breaker, 0) }
        for ticket in early.prefix(3) { breaker.fail(ticket, at: 0) }
        breaker.succeed(early[3])
        #expect(breaker.state == .open(until: 100))
        let probe = try ticket(&breaker, 100)
        breaker.fail(early[0], at: 100)
        breaker.succeed(early[1])
        breaker.cancel(early[2], at: 100)
        #expect(breaker.state == .probing)
        breaker.succeed(probe)
        breaker.fail(early[3], at: 100)
        breaker.fail(probe, at: 100)
        #expect(breaker.state == .closed(failures: 0))
    }
}
