import Synchronization
import Testing

@testable import KeyServer

@Suite("Rate limits")
struct OperationsRateLimitTests {
    /// A clock that only advances when a test advances it.
    private final class Clock: Sendable {
        private let nanoseconds = Mutex<Int64>(1_000_000_000)
        var now: Int64 { nanoseconds.withLock { $0 } }
        func pass(seconds: Double) { nanoseconds.withLock { $0 += Int64(seconds * 1e9) } }
    }

    private let clock = Clock()

    private func limiter(account: RateLimit, address: RateLimit, capacity: Int = 100) -> RateLimiter {
        var limits = RateLimits()
        limits.license = .init(account: account, address: address)
        return RateLimiter(limits: limits, capacity: capacity) { [clock] in clock.now }
    }

    private static let plenty = RateLimit(perMinute: 1_000_000, burst: 1_000_000)
    private let home = ClientAddress("192.0.2.1")

    @Test("A bucket allows its burst at once, then its rate, and returns the time to wait")
    func bucket() {
        let limit = RateLimit(perMinute: 30, burst: 3)
        var bucket = TokenBucket(limit, at: 0)
        #expect((0..<3).map { _ in bucket.consume(1, limit, at: 0) } == [nil, nil, nil])
        #expect(bucket.consume(1, limit, at: 0) == 2)
        #expect(bucket.consume(1, limit, at: 1_000_000_000) == 1)
        #expect(bucket.consume(1, limit, at: 2_000_000_000) == nil)
        // After any time, there is never more than the burst.
        #expect(bucket.consume(3, limit, at: 3_600_000_000_000) == nil)
        #expect(bucket.consume(1, limit, at: 3_600_000_000_000) == 2)
        // A clock that goes back adds nothing.
        #expect(bucket.consume(1, limit, at: 0) == 2)
    }

    @Test("A batch takes all of its items or nothing; one that is larger than the burst takes a full bucket")
    func batch() {
        let limit = RateLimit(perMinute: 60, burst: 10)
        var bucket = TokenBucket(limit, at: 0)
        #expect(bucket.consume(8, limit, at: 0) == nil)
        #expect(bucket.consume(5, limit, at: 0) == 3)
        #expect(bucket.consume(2, limit, at: 0) == nil)
        #expect(bucket.consume(50, limit, at: 0) == 10)
        #expect(bucket.consume(50, limit, at: 10_000_000_000) == nil)
    }

    @Test("An account is limited for all addresses together, other accounts are not affected")
    func account() {
        let limiter = limiter(account: RateLimit(perMinute: 60, burst: 2), address: Self.plenty)
        let places = [ClientAddress("192.0.2.1"), ClientAddress("2001:db8::1"), nil]
        let results = places.map { limiter.consume(account: "a", address: $0, class: .license) }
        #expect(results == [.allowed, .allowed, .limited(by: .account, retryAfter: 1)])
        #expect(limiter.consume(account: "b", address: home, class: .license) == .allowed)
        clock.pass(seconds: 1)
        #expect(limiter.consume(account: "a", address: home, class: .license) == .allowed)
    }

    @Test("Requests that the account's limit refuses are not charged to the address")
    func refund() {
        let limiter = limiter(
            account: RateLimit(perMinute: 1, burst: 1),
            address: RateLimit(perMinute: 1, burst: 3)
        )
        let results = (0..<4).map { _ in limiter.consume(account: "a", address: home, class: .license) }
        #expect(results.dropFirst().allSatisfy { $0 == .limited(by: .account, retryAfter: 60) })
        #expect(limiter.consume(account: "b", address: home, class: .license) == .allowed)
        #expect(limiter.consume(account: "c", address: home, class: .license) == .allowed)
        #expect(limiter.consume(account: "d", address: home, class: .license) == .limited(by: .address, retryAfter: 60))
    }

    @Test("IPv6 is counted by /64 network, IPv4-mapped IPv6 as IPv4, loopback not at all")
    func sites() {
        let limiter = limiter(account: Self.plenty, address: RateLimit(perMinute: 1, burst: 1))
        func consume(_ text: String) -> Bool {
            limiter.consume(account: nil, address: ClientAddress(text), class: .license) == .allowed
        }
        #expect(["2001:db8::1", "2001:db8::ffff:1", "2001:db8:0:1::1"].map(consume) == [true, false, true])
        #expect(["192.0.2.7", "::ffff:192.0.2.7", "192.0.2.8"].map(consume) == [true, false, true])
        #expect(["127.0.0.1", "127.0.0.1", "::1", "::1"].map(consume) == [true, true, true, true])
    }

    @Test("Requests for segments have a separate, larger limit")
    func segments() {
        let limiter = RateLimiter { [clock] in clock.now }
        let limits = RateLimits()
        func count(_ requestClass: RequestClass) -> Int {
            (0..<10_000).prefix { _ in limiter.consume(account: "a", address: home, class: requestClass) == .allowed }
                .count
        }
        #expect(count(.license) == limits.license.account.burst)
        #expect(count(.segment) == limits.segment.account.burst)
        #expect(limits.segment.account.burst > limits.license.account.burst)
        // All requests of an address are counted as `other` too, without refusing any.
        let together = limits.license.address.burst + limits.segment.address.burst
        #expect(limits.other.address.burst >= together)
        // Two screens that request audio and video for every two seconds are never limited.
        for _ in 0..<600 {
            clock.pass(seconds: 2)
            #expect(limiter.consume(account: "a", address: home, class: .segment, count: 4) == .allowed)
        }
    }

    @Test("Many addresses use bounded memory and evict no account")
    func bounded() {
        let limiter = limiter(account: RateLimit(perMinute: 1, burst: 1), address: Self.plenty, capacity: 50)
        #expect(limiter.consume(account: "a", address: nil, class: .license) == .allowed)
        for number in 0..<10_000 {
            let address = ClientAddress(bytes: [10, 0, UInt8(number >> 8), UInt8(number & 0xFF)])
            _ = limiter.consume(account: nil, address: address, class: .license)
        }
        #expect(limiter.trackedCount <= 101)
        #expect(limiter.consume(account: "a", address: nil, class: .license) != .allowed)
    }

    @Test("A bucket in use is kept while others are added")
    func used() {
        let limiter = limiter(account: RateLimit(perMinute: 1, burst: 1), address: Self.plenty, capacity: 10)
        _ = limiter.consume(account: "victim", address: nil, class: .license)
        for number in 0..<1_000 {
            _ = limiter.consume(account: "\(number)", address: nil, class: .license)
            #expect(limiter.consume(account: "victim", address: nil, class: .license) != .allowed)
        }
    }

    @Test("Zero per minute means unlimited")
    func off() {
        let limiter = limiter(account: RateLimit(perMinute: 0, burst: 1), address: RateLimit(perMinute: 0, burst: 1))
        for _ in 0..<100 { #expect(limiter.consume(account: "a", address: home, class: .license) == .allowed) }
    }

    @Test("The problem contains the limit and the time to wait, and is counted")
    func problem() async throws {
        let limiter = limiter(account: RateLimit(perMinute: 2, burst: 1), address: Self.plenty)
        let metrics = ServerMetrics()
        try limiter.require(account: "a", address: home, class: .license, metrics: metrics)
        let problem = #expect(throws: ProblemDocument.self) {
            try limiter.require(account: "a", address: home, class: .license, metrics: metrics)
        }
        #expect(problem?.type == .rateLimited)
        #expect(problem?.retryAfter == 30)
        #expect(problem?.reason == "account")
        let text = await metrics.registry.exposition()
        #expect(text.contains(#"keyway_rate_limited_total{by="account",class="license"} 1"#))
    }
}
