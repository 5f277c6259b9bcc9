import Synchronization

/// A budget for audit log entries of refusals that cost their sender nothing: those of unauthorized requests, and those
/// of rate-limited requests.
///
/// An audit entry is committed before the response is sent, is never deleted, and is written in the same transactions
/// as licenses. Without a budget, any client could fill the disk and slow down other clients. The first refusals of
/// each address are recorded, within a total limit; further refusals are only counted.
final class RefusalBudget: Sendable {
    /// The result for one refusal.
    enum Verdict: Equatable {
        /// The refusal is recorded.
        case recorded
        /// The address has too many refusals; the next can be recorded after the given number of seconds.
        case tooMany(retryAfter: Int)
        /// There are too many refusals of all addresses together.
        case tooManyOfAll
    }

    /// The limit for an address (IPv6: /64), which is enough for the expired tokens of several households.
    static let address = RateLimit(perMinute: 30, burst: 60)
    /// The limit for all addresses together: at most about 430,000 entries per day.
    static let all = RateLimit(perMinute: 300, burst: 600)

    private struct State {
        var addresses: LRUCache<[UInt8], TokenBucket>
        var all: TokenBucket
    }

    private let clock: @Sendable () -> Int64
    private let state: Mutex<State>

    /// Creates a budget.
    ///
    /// - Parameters:
    ///   - capacity: The minimum number of addresses to keep; at most twice as many are kept.
    ///   - clock: Returns the time of a monotonic clock, in nanoseconds.
    init(capacity: Int = 4_096, clock: @escaping @Sendable () -> Int64 = monotonicNanoseconds) {
        self.clock = clock
        let all = TokenBucket(Self.all, at: clock())
        state = Mutex(State(addresses: LRUCache(capacity: capacity), all: all))
    }

    /// Takes one entry from the budget.
    func consume(_ address: ClientAddress?) -> Verdict {
        let now = clock()
        return state.withLock { state in
            // Without configured proxies, all requests through a proxy on this machine have a loopback address.
            if let address, !address.isLoopback {
                let wait = state.addresses.update(address.addressPrefix, initial: TokenBucket(Self.address, at: now)) {
                    $0.consume(1, Self.address, at: now)
                }
                if let wait { return .tooMany(retryAfter: wait) }
            }
            return state.all.consume(1, Self.all, at: now) == nil ? .recorded : .tooManyOfAll
        }
    }

    /// The number of addresses in memory.
    var trackedCount: Int { state.withLock { $0.addresses.count } }
}
