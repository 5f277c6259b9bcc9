import Synchronization

/// The class of a request. Each class has a separate limit.
package enum RequestClass: String, Sendable, CaseIterable {
    /// A key or a license that a player requests once, or on renewal.
    case license
    /// A license for AirPlay or for the AV adapter, which may request one with every segment.
    case segment
    /// A request that needs no key, such as for certificates, challenges and reports.
    case other
}

/// The limits of all classes, for an account and for an address. One address may have many accounts.
package struct RateLimits: Sendable, Equatable {
    /// The limits of one class.
    package struct Pair: Sendable, Equatable {
        /// The limit for an account.
        package var account: RateLimit
        /// The limit for an address; IPv6 is limited by /64 network.
        package var address: RateLimit
    }

    /// The limits for licenses. A title has about four keys, a player may be closed and reopened, and leases are
    /// renewed every few minutes.
    package var license = Pair(
        account: RateLimit(perMinute: 120, burst: 60),
        address: RateLimit(perMinute: 1_200, burst: 600)
    )
    /// The limits for segments: two seconds each, audio and video, on two screens, with reserve for preloading.
    package var segment = Pair(
        account: RateLimit(perMinute: 600, burst: 300),
        address: RateLimit(perMinute: 6_000, burst: 3_000)
    )
    /// The limits for inexpensive requests of an account, and for all requests of an address, which are counted before
    /// their class is known. The limit for an address is therefore higher than the other two together.
    package var other = Pair(
        account: RateLimit(perMinute: 120, burst: 60),
        address: RateLimit(perMinute: 12_000, burst: 6_000)
    )

    /// Creates limits with the defaults.
    package init() {}

    /// The limits of a class.
    package subscript(requestClass: RequestClass) -> Pair {
        switch requestClass {
        case .license: license
        case .segment: segment
        case .other: other
        }
    }
}

/// Limits requests by account and by address, in bounded memory.
package final class RateLimiter: Sendable {
    /// The subject of a limit.
    package enum Scope: String, Sendable, CaseIterable {
        /// An account.
        case account
        /// An address.
        case address
    }

    /// The result of a check.
    package enum Result: Sendable, Equatable {
        /// The request is allowed.
        case allowed
        /// The request is refused; it can be retried after the given number of seconds, at least 1. Only requests that
        /// were authorized for the account can exceed the account's limit.
        case limited(by: Scope, retryAfter: Int)
    }

    private struct Key: Hashable {
        let requestClass: RequestClass
        let name: [UInt8]
    }

    private let limits: RateLimits
    private let clock: @Sendable () -> Int64
    /// Separate tables, so that a client with many addresses cannot evict accounts.
    private let accounts: Mutex<LRUCache<Key, TokenBucket>>
    private let addresses: Mutex<LRUCache<Key, TokenBucket>>

    /// Creates a limiter.
    ///
    /// - Parameters:
    ///   - limits: The limits of each class.
    ///   - capacity: The minimum number of accounts, and of addresses, to keep; at most twice as many are kept, with
    ///     about 150 bytes each.
    ///   - clock: Returns the time of a monotonic clock, in nanoseconds.
    package init(
        limits: RateLimits = RateLimits(),
        capacity: Int = 65_536,
        clock: @escaping @Sendable () -> Int64 = monotonicNanoseconds
    ) {
        self.limits = limits
        self.clock = clock
        accounts = Mutex(LRUCache(capacity: capacity))
        addresses = Mutex(LRUCache(capacity: capacity))
    }

    /// Takes `count` from both limits, or from neither.
    ///
    /// - Parameters:
    ///   - account: The account; nil if it is not known (yet), or if it has been charged before.
    ///   - address: The address; nil if it is not known, or if it has been charged before. Loopback addresses are
    ///     unlimited.
    ///   - requestClass: The class of the request.
    ///   - count: The amount; for a batch, the number of its items.
    package func consume(
        account: String?,
        address: ClientAddress?,
        class requestClass: RequestClass,
        count: Int = 1
    ) -> Result {
        let (limits, now) = (self.limits[requestClass], clock())
        let addressPrefix = addressPrefix(address, requestClass)
        if let addressPrefix, let wait = Self.consume(count, of: addressPrefix, in: addresses, limits.address, at: now)
        {
            return .limited(by: .address, retryAfter: wait)
        }
        if let account {
            let key = Key(requestClass: requestClass, name: Array(account.utf8))
            if let wait = Self.consume(count, of: key, in: accounts, limits.account, at: now) {
                if let addressPrefix { Self.refund(count, to: addressPrefix, in: addresses, limits.address, at: now) }
                return .limited(by: .account, retryAfter: wait)
            }
        }
        return .allowed
    }

    /// Takes licenses from both limits, down to zero, for work that has already been done and cost more than was
    /// charged.
    func charge(_ count: Int, account: String?, address: ClientAddress?) {
        let (limits, now) = (self.limits[.license], clock())
        if let addressPrefix = addressPrefix(address, .license) {
            addresses.withLock {
                $0.update(addressPrefix, initial: TokenBucket(limits.address, at: now)) {
                    $0.drain(count, limits.address, at: now)
                }
            }
        }
        guard let account else { return }
        let key = Key(requestClass: .license, name: Array(account.utf8))
        accounts.withLock {
            $0.update(key, initial: TokenBucket(limits.account, at: now)) { $0.drain(count, limits.account, at: now) }
        }
    }

    private func addressPrefix(_ address: ClientAddress?, _ requestClass: RequestClass) -> Key? {
        // Without configured proxies, all requests through a proxy on this machine have a loopback address.
        guard let address, !address.isLoopback else { return nil }
        return Key(requestClass: requestClass, name: address.addressPrefix)
    }

    private static func consume(
        _ count: Int,
        of key: Key,
        in table: borrowing Mutex<LRUCache<Key, TokenBucket>>,
        _ limit: RateLimit,
        at now: Int64
    ) -> Int? {
        guard limit.perMinute > 0 else { return nil }
        return table.withLock {
            $0.update(key, initial: TokenBucket(limit, at: now)) { $0.consume(count, limit, at: now) }
        }
    }

    private static func refund(
        _ count: Int,
        to key: Key,
        in table: borrowing Mutex<LRUCache<Key, TokenBucket>>,
        _ limit: RateLimit,
        at now: Int64
    ) {
        table.withLock { $0.update(key, initial: TokenBucket(limit, at: now)) { $0.refund(count, limit) } }
    }

    /// Takes from both limits like ``consume(account:address:class:count:)``, and throws if a limit is exceeded.
    ///
    /// - Throws: ``ProblemDocument`` of type ``ProblemType/rateLimited``.
    package func require(
        account: String?,
        address: ClientAddress?,
        class requestClass: RequestClass,
        count: Int = 1,
        metrics: ServerMetrics? = nil
    ) throws(ProblemDocument) {
        let result = consume(account: account, address: address, class: requestClass, count: count)
        try Self.requireAllowed(result, requestClass, metrics)
    }

    private static func requireAllowed(
        _ result: Result,
        _ requestClass: RequestClass,
        _ metrics: ServerMetrics?
    ) throws(ProblemDocument) {
        guard case .limited(let scope, let retryAfter) = result else { return }
        metrics?.rateLimited(by: scope, requestClass)
        throw ProblemDocument(
            .rateLimited,
            detail: "Too many requests from this \(scope.rawValue).",
            reason: scope.rawValue,
            retryAfter: retryAfter
        )
    }

    /// Charges an address for the items of a request after the first, for which ``RateLimitMiddleware`` has charged.
    ///
    /// - Throws: ``ProblemDocument`` of type ``ProblemType/rateLimited``.
    func requireRest(
        ofItems count: Int,
        address: ClientAddress?,
        metrics: ServerMetrics?
    ) throws(ProblemDocument) {
        // A request never costs more than a full bucket, of which one has already been taken.
        let rest = min(count, limits.other.address.burst) - 1
        guard rest > 0 else { return }
        try require(account: nil, address: address, class: .other, count: rest, metrics: metrics)
    }

    /// Charges for an SPC before it is decrypted, when its class is not known yet: as a license or, if that limit is
    /// exceeded, as a segment. The two limits together therefore limit the RSA work of an account and of an address,
    /// independent of the contents of their SPCs.
    ///
    /// - Returns: The class that was charged, for ``adjustCharge(_:as:account:wasKnown:address:metrics:)``.
    /// - Throws: ``ProblemDocument`` of type ``ProblemType/rateLimited``.
    func requireOpening(
        account: String?,
        address: ClientAddress?,
        metrics: ServerMetrics?
    ) throws(ProblemDocument) -> RequestClass {
        let result = consume(account: account, address: address, class: .license)
        guard result != .allowed else { return .license }
        guard consume(account: account, address: address, class: .segment) != .allowed else { return .segment }
        try Self.requireAllowed(result, .license, metrics)
        return .license
    }

    /// Charges for a decrypted SPC by its actual class, and refunds the previous charge. If the limit of the actual
    /// class is exceeded, there is no refund, because the work was done.
    ///
    /// - Parameter wasKnown: Whether the account was charged before; without authorization, only the SPC identifies it.
    /// - Throws: ``ProblemDocument`` of type ``ProblemType/rateLimited``.
    func adjustCharge(
        _ charged: RequestClass,
        as actual: RequestClass,
        account: String,
        wasKnown: Bool,
        address: ClientAddress?,
        metrics: ServerMetrics?
    ) throws(ProblemDocument) {
        guard charged != actual else {
            if !wasKnown { try require(account: account, address: nil, class: actual, metrics: metrics) }
            return
        }
        // The middleware has already charged the address for class `other`.
        let chargedAddress = actual == .other ? nil : address
        try require(account: account, address: chargedAddress, class: actual, metrics: metrics)
        let (limits, now) = (self.limits[charged], clock())
        if let addressPrefix = self.addressPrefix(address, charged) {
            Self.refund(1, to: addressPrefix, in: addresses, limits.address, at: now)
        }
        guard wasKnown else { return }
        let key = Key(requestClass: charged, name: Array(account.utf8))
        Self.refund(1, to: key, in: accounts, limits.account, at: now)
    }

    /// The number of buckets in memory, for accounts and addresses.
    var trackedCount: Int { accounts.withLock { $0.count } + addresses.withLock { $0.count } }
}

/// Returns the time since the machine started, in nanoseconds.
@Sendable
package func monotonicNanoseconds() -> Int64 {
    let (seconds, attoseconds) = (SuspendingClock.now - SuspendingClock().systemEpoch).components
    return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
}
