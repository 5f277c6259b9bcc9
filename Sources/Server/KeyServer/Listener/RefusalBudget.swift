import Synchronization

/// How many refusals that cost their sender nothing get a row in the audit log: those of requests that nobody may make, and those
/// of requests that come too often.
///
/// A row is on disk before its answer goes out, for good, in the same transactions as licenses. So anybody who sends junk could
/// fill the disk, and slow down who has paid. The first ones of each address get a row, and so do the first of all; what
/// comes then is counted, and not recorded.
final class RefusalBudget: Sendable {
    /// What becomes of one refusal.
    enum Verdict: Equatable {
        /// It is recorded.
        case recorded
        /// There were too many of its address, which may have a row again after so many seconds.
        case tooMany(retryAfter: Int)
        /// There were too many, of all addresses together.
        case tooManyOfAll
    }

    /// For an address (IPv6: 64 bits of it): room for the expired tokens of a household, or of many.
    static let address = RateLimit(perMinute: 30, burst: 60)
    /// For all together: at most some 430,000 rows a day.
    static let all = RateLimit(perMinute: 300, burst: 600)

    private struct State {
        var addresses: RecentlyUsed<[UInt8], TokenBucket>
        var all: TokenBucket
    }

    private let clock: @Sendable () -> Int64
    private let state: Mutex<State>

    /// - Parameters:
    ///   - capacity: how many addresses are remembered at least; at most twice as many are.
    ///   - clock: nanoseconds, of a clock that never goes back.
    init(capacity: Int = 4_096, clock: @escaping @Sendable () -> Int64 = monotonicNanoseconds) {
        self.clock = clock
        let all = TokenBucket(Self.all, at: clock())
        state = Mutex(State(addresses: RecentlyUsed(capacity: capacity), all: all))
    }

    /// Takes room for one row.
    func take(_ address: ClientAddress?) -> Verdict {
        let now = clock()
        return state.withLock { state in
            // Everybody comes from loopback when a proxy on this machine is not told of in the configuration.
            if let address, !address.isLoopback {
                let wait = state.addresses.update(address.site, initial: TokenBucket(Self.address, at: now)) {
                    $0.take(1, Self.address, at: now)
                }
                if let wait { return .tooMany(retryAfter: wait) }
            }
            return state.all.take(1, Self.all, at: now) == nil ? .recorded : .tooManyOfAll
        }
    }

    /// How many addresses are remembered.
    var remembered: Int { state.withLock { $0.addresses.count } }
}
