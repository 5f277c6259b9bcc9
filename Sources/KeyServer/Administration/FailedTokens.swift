import Synchronization

/// Counts wrong tokens by address (IPv6 by networks of 64 bits), in bounded memory. Nobody guesses 32 random bytes; this keeps
/// those who try from filling the log and from having the store look up hash after hash.
///
/// A token that has passed is not held up by what others do from its address.
final class FailedTokens: Sendable {
    private struct State {
        var failures: RecentlyUsed<[UInt8], TokenBucket>
        var passed: RecentlyUsed<[UInt8], Void>
    }

    /// How many wrong tokens may come at once.
    static let burst = 10
    /// After how many milliseconds another may.
    static let pace: Int64 = 6_000
    private static let limit = RateLimit(perMinute: Int(60_000 / pace), burst: burst)

    private let clock: @Sendable () -> Int64
    private let state: Mutex<State>

    /// - Parameters:
    ///   - capacity: how many addresses are remembered at least; at most twice as many are.
    ///   - clock: the time, in milliseconds.
    init(capacity: Int = 4_096, clock: @escaping @Sendable () -> Int64 = systemMilliseconds) {
        self.clock = clock
        state = Mutex(State(failures: RecentlyUsed(capacity: capacity), passed: RecentlyUsed(capacity: 256)))
    }

    /// In how many seconds a token may come from this address again; nil: now.
    func wait(address: [UInt8], tokenHash: [UInt8]) -> Int? {
        let now = clock() * 1_000_000
        return state.withLock { state in
            guard var bucket = state.failures.peek(address), state.passed.use(tokenHash) == nil else { return nil }
            return bucket.take(1, Self.limit, at: now)
        }
    }

    /// A wrong token came.
    func failed(address: [UInt8]) {
        let now = clock() * 1_000_000
        state.withLock { state in
            _ = state.failures.update(address, initial: TokenBucket(Self.limit, at: now)) {
                $0.take(1, Self.limit, at: now)
            }
        }
    }

    /// A right token came.
    func passed(tokenHash: [UInt8]) { state.withLock { $0.passed.set(tokenHash, ()) } }

    /// How many addresses are remembered.
    var remembered: Int { state.withLock { $0.failures.count } }
}
