import Synchronization
import Testing
import TextCoding
import VirtualDevice

@testable import KeyServer

@Suite("Invalid tokens", .timeLimit(.minutes(10)))
struct FailedTokensTests {
    private final class Clock: Sendable {
        let now = Atomic<Int64>(0)
    }

    private func makeTokens(capacity: Int = 4) -> (FailedTokens, Clock) {
        let clock = Clock()
        return (FailedTokens(capacity: capacity, clock: { clock.now.load(ordering: .relaxed) }), clock)
    }

    /// Returns the hash with a number.
    private func hash(_ number: Int) -> [UInt8] {
        [UInt8(number >> 8), UInt8(number & 255)] + [UInt8](repeating: 0, count: 30)
    }

    @Test("An address has a burst of attempts, then a constant rate; other addresses are not limited")
    func limit() {
        let (tokens, clock) = makeTokens()
        for number in 0..<FailedTokens.burst {
            #expect(tokens.retryAfter(address: [1], tokenHash: hash(number)) == nil)
            #expect(tokens.failed(address: [1], tokenHash: hash(number)) == nil)
        }
        #expect(tokens.retryAfter(address: [1], tokenHash: hash(100)) == 6)
        #expect(tokens.retryAfter(address: [2], tokenHash: hash(100)) == nil)
        clock.now.store(FailedTokens.pace, ordering: .relaxed)
        #expect(tokens.retryAfter(address: [1], tokenHash: hash(100)) == nil)
        #expect(tokens.failed(address: [1], tokenHash: hash(100)) == nil)
        #expect(tokens.retryAfter(address: [1], tokenHash: hash(101)) == 6)
    }

    @Test("Attempts with one token are limited for all addresses together; other tokens are not limited")
    func oneToken() {
        let (tokens, clock) = makeTokens(capacity: 100)
        for number in 0..<FailedTokens.burst {
            #expect(tokens.failed(address: [UInt8(number)], tokenHash: hash(1)) == nil)
        }
        // From an address without failures the token is looked up; if it is invalid, the response is the limit.
        #expect(tokens.retryAfter(address: [50], tokenHash: hash(1)) == nil)
        #expect(tokens.failed(address: [50], tokenHash: hash(1)) == 6)
        // An address with failures has to wait.
        for number in 0..<FailedTokens.burst {
            #expect(tokens.retryAfter(address: [UInt8(number)], tokenHash: hash(1)) == 6)
            #expect(tokens.retryAfter(address: [UInt8(number)], tokenHash: hash(2)) == nil)
        }
        clock.now.store(FailedTokens.pace, ordering: .relaxed)
        #expect(tokens.retryAfter(address: [0], tokenHash: hash(1)) == nil)
        #expect(tokens.failed(address: [0], tokenHash: hash(1)) == nil)
    }

    @Test("A token that was valid before is limited neither by others at its address nor by attempts from elsewhere")
    func neighbors() {
        let (tokens, _) = makeTokens()
        tokens.succeeded(tokenHash: hash(2))
        for _ in 0..<2 * FailedTokens.burst { _ = tokens.failed(address: [1], tokenHash: hash(1)) }
        #expect(tokens.retryAfter(address: [1], tokenHash: hash(1)) != nil)
        #expect(tokens.retryAfter(address: [1], tokenHash: hash(2)) == nil)
    }

    @Test("A deleted token is counted like any other")
    func deletedToken() {
        let (tokens, _) = makeTokens()
        tokens.succeeded(tokenHash: hash(1))
        for _ in 0..<FailedTokens.burst { _ = tokens.failed(address: [1], tokenHash: hash(1)) }
        #expect(tokens.retryAfter(address: [1], tokenHash: hash(1)) == 6)
    }

    @Test("Memory is bounded for many addresses and tokens, and repeated attempts stay counted")
    func memory() {
        let (tokens, _) = makeTokens()
        for number in 0..<1_000 {
            _ = tokens.failed(address: hash(number), tokenHash: hash(number))
            _ = tokens.failed(address: [9], tokenHash: hash(2_000))
        }
        #expect(tokens.trackedCount.addresses <= 8 && tokens.trackedCount.tokens <= 8)
        #expect(tokens.retryAfter(address: [9], tokenHash: hash(3_000)) != nil)
    }

    @Test("Setting the time of day neither shortens nor extends the wait")
    func timeOfDay() async throws {
        let (monotonic, day) = (Clock(), Int64(86_400))
        try await LicenseServer.run(nanoseconds: { monotonic.now.load(ordering: .relaxed) }) { server in
            var statuses: [Int] = []
            for number in 0..<FailedTokens.burst {
                statuses.append(try await server.admin("GET", "/policies", token: "wrong \(number)").status)
            }
            #expect(Set(statuses) == [401])
            for days: Int64 in [200, 0, 100] {
                server.clock.now = days * day
                #expect(try await server.admin("GET", "/policies", token: "wrong again").status == 429)
            }
            monotonic.now.store(FailedTokens.pace, ordering: .relaxed)
            server.clock.now = 0
            #expect(try await server.admin("GET", "/policies").status == 200)
        }
    }

    @Test("Over HTTP: 401, then 429 with Retry-After; valid tokens still work, and a missing token is not counted")
    func overHTTP() async throws {
        try await LicenseServer.run { server in
            #expect(try await server.admin("GET", "/policies").status == 200)
            for _ in 0..<FailedTokens.burst {
                #expect(try await server.admin("GET", "/policies", token: "wrong").status == 401)
            }
            // On a busy machine attempts may be so slow that another one is allowed meanwhile.
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
