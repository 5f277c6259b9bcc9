import Synchronization

/// What a request is counted as. Each class has a budget of its own.
package enum RequestClass: String, Sendable, CaseIterable {
    /// A key or a license that a player asks for once, or when it renews.
    case license
    /// A license for AirPlay or for the AV adapter, which may ask for one with every segment.
    case segment
    /// What needs no key: certificates, challenges, reports.
    case other
}

/// The limits of all classes, for an account and for an address. Behind one address may be many accounts.
package struct RateLimits: Sendable, Equatable {
    /// One class's.
    package struct Pair: Sendable, Equatable {
        /// For an account.
        package var account: RateLimit
        /// For an address; IPv6 is counted by networks of 64 bits.
        package var address: RateLimit
    }

    /// A title has some four keys, a player may be closed and reopened, leases are renewed every few minutes.
    package var license = Pair(
        account: RateLimit(perMinute: 120, burst: 60),
        address: RateLimit(perMinute: 1_200, burst: 600)
    )
    /// Segments of two seconds, audio and video, on two screens, with room for what is loaded ahead.
    package var segment = Pair(
        account: RateLimit(perMinute: 600, burst: 300),
        address: RateLimit(perMinute: 6_000, burst: 3_000)
    )
    /// Cheap requests of an account; and of an address requests of all kinds, which are counted before anybody knows
    /// what they ask for. So the address has more than it has of the other two together.
    package var other = Pair(
        account: RateLimit(perMinute: 120, burst: 60),
        address: RateLimit(perMinute: 12_000, burst: 6_000)
    )

    /// The defaults.
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

/// Counts requests by account and by address, in bounded memory.
package final class RateLimiter: Sendable {
    /// What a limit is for.
    package enum Scope: String, Sendable, CaseIterable {
        /// An account.
        case account
        /// An address.
        case address
    }

    /// What came of it.
    package enum Result: Sendable, Equatable {
        /// It may pass.
        case allowed
        /// It may come again after so many seconds, at least 1. The account's limit is told only to who has the account.
        case limited(by: Scope, retryAfter: Int)
    }

    private struct Key: Hashable {
        let requestClass: RequestClass
        let name: [UInt8]
    }

    private let limits: RateLimits
    private let clock: @Sendable () -> Int64
    /// Apart, so that a client with many addresses cannot push accounts out.
    private let accounts: Mutex<RecentlyUsed<Key, TokenBucket>>
    private let addresses: Mutex<RecentlyUsed<Key, TokenBucket>>

    /// Makes a limiter.
    ///
    /// - Parameters:
    ///   - limits: of each class.
    ///   - capacity: how many accounts, and how many addresses, are remembered at least; at most twice as many are, of
    ///     about 150 bytes each.
    ///   - clock: nanoseconds, of a clock that never goes back.
    package init(
        limits: RateLimits = RateLimits(),
        capacity: Int = 65_536,
        clock: @escaping @Sendable () -> Int64 = monotonicNanoseconds
    ) {
        self.limits = limits
        self.clock = clock
        accounts = Mutex(RecentlyUsed(capacity: capacity))
        addresses = Mutex(RecentlyUsed(capacity: capacity))
    }

    /// Takes `count` from both limits, or from none.
    ///
    /// - Parameters:
    ///   - account: who asks; nil when that is not known (yet), or when it has been charged before.
    ///   - address: from where; nil when that is not known, or when it has been charged before. A loopback address has
    ///     no limit.
    ///   - requestClass: what it is counted as.
    ///   - count: how much it is; a batch is as much as its items.
    package func take(
        account: String?,
        address: ClientAddress?,
        class requestClass: RequestClass,
        count: Int = 1
    ) -> Result {
        let (limits, now) = (self.limits[requestClass], clock())
        let site = site(address, requestClass)
        if let site, let wait = Self.take(count, of: site, in: addresses, limits.address, at: now) {
            return .limited(by: .address, retryAfter: wait)
        }
        if let account {
            let key = Key(requestClass: requestClass, name: Array(account.utf8))
            if let wait = Self.take(count, of: key, in: accounts, limits.account, at: now) {
                if let site { Self.giveBack(count, to: site, in: addresses, limits.address, at: now) }
                return .limited(by: .account, retryAfter: wait)
            }
        }
        return .allowed
    }

    /// Takes licenses from both limits, as many as are there: for what was done already, and costs more than was charged.
    func charge(_ count: Int, account: String?, address: ClientAddress?) {
        let (limits, now) = (self.limits[.license], clock())
        if let site = site(address, .license) {
            addresses.withLock {
                $0.update(site, initial: TokenBucket(limits.address, at: now)) {
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

    private func site(_ address: ClientAddress?, _ requestClass: RequestClass) -> Key? {
        // Everybody comes from there when a proxy on this machine is not told of in the configuration.
        guard let address, !address.isLoopback else { return nil }
        return Key(requestClass: requestClass, name: address.site)
    }

    private static func take(
        _ count: Int,
        of key: Key,
        in table: borrowing Mutex<RecentlyUsed<Key, TokenBucket>>,
        _ limit: RateLimit,
        at now: Int64
    ) -> Int? {
        guard limit.perMinute > 0 else { return nil }
        return table.withLock {
            $0.update(key, initial: TokenBucket(limit, at: now)) { $0.take(count, limit, at: now) }
        }
    }

    private static func giveBack(
        _ count: Int,
        to key: Key,
        in table: borrowing Mutex<RecentlyUsed<Key, TokenBucket>>,
        _ limit: RateLimit,
        at now: Int64
    ) {
        table.withLock { $0.update(key, initial: TokenBucket(limit, at: now)) { $0.giveBack(count, limit) } }
    }

    /// As ``take(account:address:class:count:)``, with a problem instead of a result.
    ///
    /// - Throws: ``ProblemDocument`` of type ``ProblemType/rateLimited``.
    package func require(
        account: String?,
        address: ClientAddress?,
        class requestClass: RequestClass,
        count: Int = 1,
        metrics: ServerMetrics? = nil
    ) throws(ProblemDocument) {
        let result = take(account: account, address: address, class: requestClass, count: count)
        try Self.hold(result, requestClass, metrics)
    }

    private static func hold(
        _ result: Result,
        _ requestClass: RequestClass,
        _ metrics: ServerMetrics?
    ) throws(ProblemDocument) {
        guard case .limited(let scope, let retryAfter) = result else { return }
        metrics?.rateLimited(by: scope, requestClass)
        throw ProblemDocument(
            .rateLimited,
            detail: "There were too many requests of this \(scope.rawValue).",
            reason: scope.rawValue,
            retryAfter: retryAfter
        )
    }

    /// Charges an address for what a request has more than one of, since ``RateLimitMiddleware`` has charged for one.
    ///
    /// - Throws: ``ProblemDocument`` of type ``ProblemType/rateLimited``.
    func requireRest(
        ofItems count: Int,
        address: ClientAddress?,
        metrics: ServerMetrics?
    ) throws(ProblemDocument) {
        // A full bucket does for what is larger, and one is gone from it.
        let rest = min(count, limits.other.address.burst) - 1
        guard rest > 0 else { return }
        try require(account: nil, address: address, class: .other, count: rest, metrics: metrics)
    }

    /// Charges for an SPC before it is opened, when nobody knows yet what it asks for: as a license or, where none of these is
    /// left, as a segment's. So the two limits together bound how much RSA work an account and an address can cause,
    /// whatever their SPCs turn out to be.
    ///
    /// - Returns: what it was charged as, for ``settle(_:as:account:wasKnown:address:metrics:)``.
    /// - Throws: ``ProblemDocument`` of type ``ProblemType/rateLimited``.
    func requireOpening(
        account: String?,
        address: ClientAddress?,
        metrics: ServerMetrics?
    ) throws(ProblemDocument) -> RequestClass {
        let result = take(account: account, address: address, class: .license)
        guard result != .allowed else { return .license }
        guard take(account: account, address: address, class: .segment) != .allowed else { return .segment }
        try Self.hold(result, .license, metrics)
        return .license
    }

    /// Charges for an SPC that was opened as what it is, and gives back what it was charged as before. Where that is refused
    /// nothing is given back: the work was done.
    ///
    /// - Parameter wasKnown: whether the account was charged before; without authorization the SPC is what names it.
    /// - Throws: ``ProblemDocument`` of type ``ProblemType/rateLimited``.
    func settle(
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
        // The middleware has charged an address for what is no license.
        let site = actual == .other ? nil : address
        try require(account: account, address: site, class: actual, metrics: metrics)
        let (limits, now) = (self.limits[charged], clock())
        if let site = self.site(address, charged) { Self.giveBack(1, to: site, in: addresses, limits.address, at: now) }
        guard wasKnown else { return }
        let key = Key(requestClass: charged, name: Array(account.utf8))
        Self.giveBack(1, to: key, in: accounts, limits.account, at: now)
    }

    /// How many buckets are remembered, over accounts and addresses.
    var remembered: Int { accounts.withLock { $0.count } + addresses.withLock { $0.count } }
}

/// Nanoseconds since the machine was started.
@Sendable
package func monotonicNanoseconds() -> Int64 {
    let (seconds, attoseconds) = (SuspendingClock.now - SuspendingClock().systemEpoch).components
    return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
}
