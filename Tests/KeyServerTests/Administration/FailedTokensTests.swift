import Synchronization
import Testing

@testable import KeyServer

@Suite("Wrong tokens")
struct FailedTokensTests {
    private final class Clock: Sendable {
        let now = Atomic<Int64>(0)
    }

    private func makeTokens(capacity: Int = 4) -> (FailedTokens, Clock) {
        let clock = Clock()
        return (FailedTokens(capacity: capacity, clock: { clock.now.load(ordering: .relaxed) }), clock)
    }

    @Test("So many may come at once, then one after the other; other addresses are not held up")
    func limit() {
        let (tokens, clock) = makeTokens()
        for _ in 0..<FailedTokens.burst {
            #expect(tokens.wait(address: [1], tokenHash: [1]) == nil)
            tokens.failed(address: [1])
        }
        #expect(tokens.wait(address: [1], tokenHash: [1]) == 6)
        #expect(tokens.wait(address: [2], tokenHash: [1]) == nil)
        clock.now.store(FailedTokens.pace, ordering: .relaxed)
        #expect(tokens.wait(address: [1], tokenHash: [1]) == nil)
        tokens.failed(address: [1])
        #expect(tokens.wait(address: [1], tokenHash: [1]) == 6)
        // A clock that goes back gives nothing and takes nothing.
        clock.now.store(0, ordering: .relaxed)
        #expect(tokens.wait(address: [1], tokenHash: [1]) == 6)
    }

    @Test("A token that has passed is not held up by its neighbours")
    func neighbours() {
        let (tokens, _) = makeTokens()
        tokens.passed(tokenHash: [2])
        for _ in 0..<2 * FailedTokens.burst { tokens.failed(address: [1]) }
        #expect(tokens.wait(address: [1], tokenHash: [1]) != nil)
        #expect(tokens.wait(address: [1], tokenHash: [2]) == nil)
    }

    @Test("However many addresses come, memory is bounded, and who goes on trying is not forgotten")
    func memory() {
        let (tokens, _) = makeTokens()
        for number in 0..<1_000 {
            tokens.failed(address: [UInt8(number >> 8), UInt8(number & 255)])
            tokens.failed(address: [9])
        }
        #expect(tokens.remembered <= 8)
        #expect(tokens.wait(address: [9], tokenHash: [1]) != nil)
    }

    @Test("Over HTTP: 401, then 429 with Retry-After; the right token goes on working, and no token is no guess")
    func overHTTP() async throws {
        try await LicenseServer.run { server in
            #expect(try await server.admin("GET", "/policies").status == 200)
            for _ in 0..<FailedTokens.burst {
                #expect(try await server.admin("GET", "/policies", token: "wrong").status == 401)
            }
            // On a busy machine guesses may come so slowly that another one is allowed meanwhile.
            var limited = try await server.admin("GET", "/policies", token: "wrong")
            for _ in 0..<100 where limited.status == 401 {
                limited = try await server.admin("GET", "/policies", token: "wrong")
            }
            #expect(limited.status == 429)
            #expect(limited.json["type"] == .string("urn:keyway:problem:rate-limited"))
            #expect(limited.headers["retry-after"].flatMap { Int($0) } != nil)
            #expect(try await server.admin("GET", "/policies", token: nil).status == 401)
            #expect(try await server.admin("GET", "/policies").status == 200)
        }
    }
}
