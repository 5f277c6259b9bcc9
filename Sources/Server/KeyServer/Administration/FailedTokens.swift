import Synchronization

/// Counts wrong tokens by address (IPv6 by networks of 64 bits) and by token, in bounded memory. A token has 32 random bytes,
/// which cannot be guessed; this keeps those who try from filling the log and from having the store look up hash after hash.
///
/// The failures of others do not lock out the holder of a valid token: what has passed is not limited at all, and from an address
/// without failures every token is looked up, however often others have tried it.
final class FailedTokens: Sendable {
    private struct State {
        var addresses: RecentlyUsed<[UInt8], TokenBucket>
        var tokens: RecentlyUsed<[UInt8], TokenBucket>
        var passed: RecentlyUsed<[UInt8], Void>
    }

    /// How many wrong tokens may come from an address at once, and how often the same one may come from all addresses.
    static let burst = 10
    /// After how many nanoseconds another may.
    static let pace: Int64 = 6_000_000_000
    private static let limit = RateLimit(perMinute: Int(60_000_000_000 / pace), burst: burst)

    private let clock: @Sendable () -> Int64
    private let state: Mutex<State>

    /// - Parameters:
    ///   - capacity: how many addresses, and how many tokens, are remembered at least; at most twice as many are.
    ///   - clock: the time in nanoseconds, by a clock that is never set: setting the time of day must neither let anybody
    ///     go on early nor hold anybody up.
    init(capacity: Int = 4_096, clock: @escaping @Sendable () -> Int64 = monotonicNanoseconds) {
        self.clock = clock
        state = Mutex(
            State(
                addresses: RecentlyUsed(capacity: capacity),
                tokens: RecentlyUsed(capacity: capacity),
                passed: RecentlyUsed(capacity: 256)
            )
        )
    }

    /// In how many seconds this token may come from this address again; nil: now.
    func wait(address: [UInt8], tokenHash: [UInt8]) -> Int? {
        let now = clock()
        return state.withLock { state in
            guard var address = state.addresses.peek(address), state.passed.use(tokenHash) == nil else { return nil }
            var token = state.tokens.peek(Self.name(ofToken: tokenHash))
            let waits = [address.take(1, Self.limit, at: now), token?.take(1, Self.limit, at: now)]
            return waits.compactMap { $0 }.max()
        }
    }

    /// A wrong token came. It may be one that was right until now.
    ///
    /// - Returns: in how many seconds it may come again, when it came too often from all addresses together; nil otherwise.
    func failed(address: [UInt8], tokenHash: [UInt8]) -> Int? {
        let now = clock()
        return state.withLock { state in
            state.passed.remove(tokenHash)
            let full = TokenBucket(Self.limit, at: now)
            _ = state.addresses.update(address, initial: full) { $0.take(1, Self.limit, at: now) }
            return state.tokens.update(Self.name(ofToken: tokenHash), initial: full) { $0.take(1, Self.limit, at: now) }
        }
    }

    /// A right token came.
    func passed(tokenHash: [UInt8]) { state.withLock { $0.passed.set(tokenHash, ()) } }

    /// How many addresses and tokens are remembered.
    var remembered: (addresses: Int, tokens: Int) {
        state.withLock { ($0.addresses.count, $0.tokens.count) }
    }

    /// Half of the hash tells wrong tokens apart.
    private static func name(ofToken hash: [UInt8]) -> [UInt8] { Array(hash.prefix(16)) }
}
