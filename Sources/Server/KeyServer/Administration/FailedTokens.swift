import Synchronization

/// Counts invalid tokens by address (IPv6 by /64 network) and by token, in bounded memory. A token has 32 random bytes
/// and cannot be guessed; the limits prevent attackers from filling the log and from causing a store lookup for every
/// attempt.
///
/// Failures of other clients do not lock out the owner of a valid token: tokens that were valid before are not limited,
/// and every token from an address without failures is looked up, independent of how often others have tried it.
final class FailedTokens: Sendable {
    private struct State {
        var addresses: LRUCache<[UInt8], TokenBucket>
        var tokens: LRUCache<[UInt8], TokenBucket>
        var succeeded: LRUCache<[UInt8], Void>
        var count = 0
    }

    /// The number of invalid tokens that one address may send at once, and of attempts with one token from all
    /// addresses.
    static let burst = 10
    /// The time until another attempt is allowed, in nanoseconds.
    static let pace: Int64 = 6_000_000_000
    private static let limit = RateLimit(perMinute: Int(60_000_000_000 / pace), burst: burst)

    private let clock: @Sendable () -> Int64
    private let state: Mutex<State>

    /// Creates the counters.
    ///
    /// - Parameters:
    ///   - capacity: The minimum number of addresses, and of tokens, to keep; at most twice as many are kept.
    ///   - clock: Returns the time of a monotonic clock, in nanoseconds, so that setting the time of day neither
    ///     shortens nor extends the wait.
    init(capacity: Int = 4_096, clock: @escaping @Sendable () -> Int64 = monotonicNanoseconds) {
        self.clock = clock
        state = Mutex(
            State(
                addresses: LRUCache(capacity: capacity),
                tokens: LRUCache(capacity: capacity),
                succeeded: LRUCache(capacity: 256)
            )
        )
    }

    /// Returns the seconds until this token may be sent from this address; nil if it may be sent now.
    func retryAfter(address: [UInt8], tokenHash: [UInt8]) -> Int? {
        let now = clock()
        return state.withLock { state in
            guard var address = state.addresses.peek(address), state.succeeded.use(tokenHash) == nil else { return nil }
            var token = state.tokens.peek(Self.name(ofToken: tokenHash))
            let waits = [address.consume(1, Self.limit, at: now), token?.consume(1, Self.limit, at: now)]
            return waits.compactMap { $0 }.max()
        }
    }

    /// Counts an invalid token, which may have been valid before.
    ///
    /// - Returns: The seconds until the token may be sent again, if there were too many attempts from all addresses
    ///   together; nil otherwise.
    func failed(address: [UInt8], tokenHash: [UInt8]) -> Int? {
        let now = clock()
        return state.withLock { state in
            state.count += 1
            state.succeeded.remove(tokenHash)
            let full = TokenBucket(Self.limit, at: now)
            _ = state.addresses.update(address, initial: full) { $0.consume(1, Self.limit, at: now) }
            return state.tokens.update(Self.name(ofToken: tokenHash), initial: full) {
                $0.consume(1, Self.limit, at: now)
            }
        }
    }

    /// Records a valid token.
    func succeeded(tokenHash: [UInt8]) { state.withLock { $0.succeeded.set(tokenHash, ()) } }

    /// The number of invalid tokens since the start. Attempts beyond the limits are not looked up and not counted.
    var count: Int { state.withLock { $0.count } }

    /// The numbers of addresses and of tokens in memory.
    var trackedCount: (addresses: Int, tokens: Int) {
        state.withLock { ($0.addresses.count, $0.tokens.count) }
    }

    /// Returns the first half of the hash, which is sufficient to distinguish invalid tokens.
    private static func name(ofToken hash: [UInt8]) -> [UInt8] { Array(hash.prefix(16)) }
}
