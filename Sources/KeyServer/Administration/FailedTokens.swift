import Synchronization

/// Counts wrong tokens by address (IPv6 by networks of 64 bits), in bounded memory. Nobody guesses 32 random bytes; this keeps those who try from
/// filling the log and from having the store look up hash after hash.
///
/// A token that has passed is not held up by what others do from its address.
final class FailedTokens: Sendable {
    private struct Bucket {
        var level: Double
        var updated: Int64
    }

    private struct State {
        /// What was used lately. When it is full it becomes `old`, and what was there is forgotten.
        var young: [[UInt8]: Bucket] = [:]
        var old: [[UInt8]: Bucket] = [:]
        var passed: Set<[UInt8]> = []
    }

    /// How many wrong tokens may come at once.
    static let burst = 10
    /// After how many milliseconds another may.
    static let pace: Int64 = 6_000
    private static let passedCapacity = 256

    private let capacity: Int
    private let clock: @Sendable () -> Int64
    private let state = Mutex(State())

    /// - Parameters:
    ///   - capacity: how many addresses are remembered at least; at most twice as many are.
    ///   - clock: the time, in milliseconds.
    init(capacity: Int = 4_096, clock: @escaping @Sendable () -> Int64 = systemMilliseconds) {
        self.capacity = max(capacity, 1)
        self.clock = clock
    }

    /// In how many seconds a token may come from this address again; nil: now.
    func wait(address: [UInt8], tokenHash: [UInt8]) -> Int? {
        let now = clock()
        return state.withLock { state in
            guard let bucket = state.young[address] ?? state.old[address], !state.passed.contains(tokenHash) else {
                return nil
            }
            let level = Self.level(of: bucket, at: now)
            return level < 1 ? max(Int(((1 - level) * Double(Self.pace) / 1_000).rounded(.up)), 1) : nil
        }
    }

    /// A wrong token came.
    func failed(address: [UInt8]) {
        let now = clock()
        state.withLock { state in
            if state.young[address] == nil, state.young.count >= capacity {
                state.old = state.young
                state.young = [:]
            }
            let former = state.young[address] ?? state.old.removeValue(forKey: address)
            let level = former.map { Self.level(of: $0, at: now) } ?? Double(Self.burst)
            state.young[address] = Bucket(level: max(level - 1, 0), updated: now)
        }
    }

    /// A right token came.
    func passed(tokenHash: [UInt8]) {
        state.withLock { state in
            if state.passed.count >= Self.passedCapacity { state.passed = [] }
            state.passed.insert(tokenHash)
        }
    }

    /// How many addresses are remembered.
    var remembered: Int { state.withLock { $0.young.count + $0.old.count } }

    private static func level(of bucket: Bucket, at now: Int64) -> Double {
        min(Double(burst), bucket.level + Double(max(now - bucket.updated, 0)) / Double(pace))
    }
}
