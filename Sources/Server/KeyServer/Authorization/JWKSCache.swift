package import Logging
import Synchronization

/// A cache of the keys from a source, fetched by the rules of ``JWKSRefresh``: there is one fetch at a time, and old
/// keys are used while the source does not respond, until they are too old.
package final class JWKSCache: Sendable {
    /// An error that means that there are no keys, or only keys that are too old.
    package struct Unavailable: Error, Sendable {}

    private struct State {
        var refresh: JWKSRefresh
        var keys: VerificationKeySet?
        var fetch: Task<Void, Never>?
        var stamp: JWKSFile.Stamp?
    }

    /// The default timeout of a whole request to a URL.
    package static let timeout = Duration.seconds(5)

    private let timeout: Duration
    private let source: JWKSSource
    private let http: OutgoingHTTP
    private let logger: Logger
    private let clock: @Sendable () -> Int64
    private let state: Mutex<State>

    /// Creates a cache. It does not fetch keys yet.
    ///
    /// - Parameters:
    ///   - staleness: The time for which keys are used after the source last confirmed them.
    ///   - timeout: The timeout of a whole request to a URL.
    ///   - clock: Returns the time of a monotonic clock, in milliseconds.
    package init(
        source: JWKSSource,
        staleness: Duration = .seconds(86_400),
        timeout: Duration = JWKSCache.timeout,
        http: OutgoingHTTP = .shared,
        logger: Logger,
        clock: @escaping @Sendable () -> Int64 = monotonicMilliseconds
    ) {
        self.source = source
        self.timeout = timeout
        self.http = http
        self.logger = logger
        self.clock = clock
        let staleness = Int64(staleness / .milliseconds(1))
        let rules: JWKSRefresh.Rules =
            if case .url = source { .url(staleness: staleness) } else { .file(staleness: staleness) }
        state = Mutex(State(refresh: JWKSRefresh(rules: rules)))
    }

    /// Fetches the keys now, unless there are fresh ones: used at startup and for readiness.
    ///
    /// - Throws: ``Unavailable``.
    package func warmUp() async throws(Unavailable) { _ = try await keys(including: nil) }

    /// The time since the source last provided or confirmed its keys; nil if it never has, or if the keys are fixed.
    var age: Duration? {
        let now = clock()
        return state.withLock { $0.refresh.confirmed }.map { .milliseconds(max(now - $0, 0)) }
    }

    /// Returns the keys, after a fetch if needed. If `keyID` is unknown, the keys are fetched again.
    ///
    /// - Throws: ``Unavailable``.
    func keys(including keyID: String?) async throws(Unavailable) -> VerificationKeySet {
        if case .fixed(let keys) = source { return keys }
        let (decision, present, fetch) = state.withLock { state in
            let now = clock()
            let hasKey = state.keys?.hasKey(keyID) ?? false
            let decision = state.refresh.decide(at: now, hasKey: hasKey)
            if decision == .useAndFetch || decision == .wait, state.fetch == nil {
                state.refresh.start(at: now)
                let known = state.stamp
                state.fetch = Task { await self.fetch(known) }
            }
            return (decision, state.keys, state.fetch)
        }
        switch decision {
        case .use, .useAndFetch:
            guard let present else { throw Unavailable() }
            return present
        case .unavailable:
            throw Unavailable()
        case .wait:
            await fetch?.value
            // Return the usable keys, independent of the result of the fetch.
            let (usable, keys) = state.withLock { ($0.refresh.isUsable(at: clock()), $0.keys) }
            guard usable, let keys else { throw Unavailable() }
            return keys
        }
    }

    private func fetch(_ known: JWKSFile.Stamp?) async {
        do {
            let loaded = try await source.load(unless: known, http: http, timeout: timeout)
            finish(loaded.keys, stamp: loaded.stamp, maximumAge: loaded.maximumAge)
        } catch {
            // All errors that are caught here have descriptions without keys.
            logger.warning("The keys of \(source.name) could not be fetched: \(error)")
            state.withLock { state in
                state.refresh.fail()
                state.fetch = nil
            }
        }
    }

    private func finish(_ keys: VerificationKeySet?, stamp: JWKSFile.Stamp?, maximumAge: Int64?) {
        for warning in keys?.warnings ?? [] { logger.warning("Keys of \(source.name): \(warning)") }
        state.withLock { state in
            state.refresh.succeed(at: clock(), maximumAge: maximumAge)
            if let keys { state.keys = keys }
            state.stamp = stamp
            state.fetch = nil
        }
    }

}

/// Returns the time of a monotonic clock, in milliseconds since an arbitrary start before the process.
package func monotonicMilliseconds() -> Int64 {
    Int64(monotonicStart.duration(to: .now) / .milliseconds(1))
}

private let monotonicStart = ContinuousClock.now
