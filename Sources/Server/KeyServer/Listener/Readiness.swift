import HTTPTypes
package import Hummingbird
import KeyServerModule
package import KeyStore
import NIOCore
import ServiceLifecycle
import Synchronization

/// The readiness of this server for requests, `GET /readyz`: whether it can issue licenses and is not about to stop.
package final class Readiness: Sendable {
    /// A condition of readiness.
    package struct Check: Sendable {
        let name: String
        let passes: @Sendable () async -> Bool

        /// Creates a check; its name is in the response if it fails.
        package init(_ name: String, passes: @escaping @Sendable () async -> Bool) {
            self.name = name
            self.passes = passes
        }
    }

    private struct State {
        var isStopping = false
        var failing: [String] = []
        /// The time at which the last checks started, in nanoseconds.
        var started: Int64?
        /// The task of the running checks.
        var round: Task<Void, Never>?
        /// True if a result is available.
        var hasAnswer = false
        /// The checks that exceeded the deadline and have not finished.
        var late: Set<String> = []
    }

    /// The minimum time between checks, in nanoseconds. Every client can request them, so they run at most once per
    /// second.
    private static let validity: Int64 = 1_000_000_000
    /// The timeout of a check. A license would not be issued in reasonable time either.
    private static let timeout = Duration.seconds(2)

    private let checks: [Check]
    private let clock: @Sendable () -> Int64
    private let deadline: @Sendable () async throws -> Void
    private let state = Mutex(State())

    /// Creates the readiness from its checks.
    package convenience init(checks: [Check], time: ServerTime = ServerTime()) {
        self.init(
            checks: checks,
            clock: time.nanoseconds,
            deadline: { try await time.clock.sleep(for: Self.timeout) }
        )
    }

    /// Creates the readiness from its checks.
    ///
    /// - Parameter deadline: Returns when a check is late; throws when it is cancelled.
    init(
        checks: [Check],
        clock: @escaping @Sendable () -> Int64,
        deadline: @escaping @Sendable () async throws -> Void
    ) {
        self.checks = checks
        self.clock = clock
        self.deadline = deadline
    }

    /// Returns the checks of a key server: its store can be read and written, it has a FairPlay certificate, and it can
    /// validate tokens. Clients see only the names of failing checks.
    package static func checks(
        store: any KeyServerStore,
        bundles: BundleCache,
        authorizer: any PlaybackAuthorizer,
        metrics: ServerMetrics? = nil
    ) -> [Check] {
        [
            Check("store") {
                do throws(KeyStoreError) {
                    // Only the response of the store matters, not the policy.
                    _ = try await store.policy(name: ContentLookup.defaultPolicy)
                    do throws(KeyStoreError) { try await store.probeWrite() } catch {
                        metrics?.storeFailed(error)
                        throw error
                    }
                    return true
                } catch {
                    return false
                }
            },
            Check("certificates") { !bundles.module.bundles.isEmpty },
            Check("authorization") { await authorizer.warmUp().isEmpty },
        ]
    }

    /// Makes the server not ready, permanently.
    package func stop() { state.withLock { $0.isStopping = true } }

    /// Returns the names of the failing checks; empty if the server is ready.
    package func failing() async -> [String] {
        let now = clock()
        let round = state.withLock { state -> Task<Void, Never>? in
            guard !state.isStopping else { return nil }
            // While checks are running, return the last result; if there is none, wait for the checks.
            if let round = state.round { return state.hasAnswer ? nil : round }
            if let started = state.started, now - started < Self.validity { return nil }
            state.started = now
            let round = Task { await self.check() }
            state.round = round
            return round
        }
        await round?.value
        return state.withLock { $0.isStopping ? ["stopping"] : $0.failing }
    }

    /// Runs all checks concurrently.
    private func check() async {
        let failing = await withTaskGroup(of: String?.self) { group in
            for check in checks {
                group.addTask { await self.passes(check) ? nil : check.name }
            }
            return await group.reduce(into: Set<String>()) { failing, name in
                if let name { failing.insert(name) }
            }
        }
        state.withLock { state in
            state.failing = checks.map(\.name).filter(failing.contains)
            state.hasAnswer = true
            state.round = nil
        }
    }

    /// Returns whether a check succeeds before the deadline. A late check continues in the background, and counts as
    /// failed until it finishes, so that checks do not accumulate if a disk or a database does not respond.
    private func passes(_ check: Check) async -> Bool {
        guard !state.withLock({ $0.late.contains(check.name) }) else { return false }
        let answer = FirstResult()
        Task {
            answer.give(await check.passes())
            _ = self.state.withLock { $0.late.remove(check.name) }
        }
        let timer = Task {
            do { try await self.deadline() } catch { return }
            self.state.withLock { state in
                if answer.give(false) { state.late.insert(check.name) }
            }
        }
        defer { timer.cancel() }
        return await answer.value()
    }

    /// Adds `GET /readyz` to a router.
    package func add(to router: Router<ServerRequestContext>) {
        router.get("/readyz") { [self] _, _ in
            let failing = await failing()
            let text = failing.isEmpty ? "ready\n" : failing.joined(separator: "\n") + "\n"
            return Response(
                status: failing.isEmpty ? .ok : .serviceUnavailable,
                headers: [.contentType: "text/plain", .cacheControl: "no-store"],
                body: .init(byteBuffer: ByteBuffer(string: text))
            )
        }
    }
}

/// The first of two results: that of a check, or that of its deadline.
private final class FirstResult: Sendable {
    private struct State {
        var answer: Bool?
        var waiting: CheckedContinuation<Bool, Never>?
    }

    private let state = Mutex(State())

    /// Sets the result; returns false if there already was one.
    @discardableResult
    func give(_ answer: Bool) -> Bool {
        let (isFirst, waiting) = state.withLock { state in
            guard state.answer == nil else { return (false, nil as CheckedContinuation<Bool, Never>?) }
            state.answer = answer
            return (true, state.waiting.take())
        }
        waiting?.resume(returning: answer)
        return isFirst
    }

    /// Waits for the result. Call it only once.
    func value() async -> Bool {
        await withCheckedContinuation { continuation in
            let answer = state.withLock { state in
                if state.answer == nil { state.waiting = continuation }
                return state.answer
            }
            if let answer { continuation.resume(returning: answer) }
        }
    }
}

/// A service that makes `/readyz` fail at shutdown, and then waits for a time in which requests are still accepted. Add
/// it to the service group last, because a group stops its services in reverse order.
package struct ReadinessService: Service {
    private let readiness: Readiness
    private let delay: @Sendable () async -> Void
    private let onStop: @Sendable () -> Void

    /// Creates the service.
    ///
    /// - Parameters:
    ///   - readiness: The readiness to change.
    ///   - delay: The time that a load balancer needs to detect the change.
    ///   - clock: The clock that measures the delay.
    ///   - onStop: Called when the shutdown starts.
    package init(
        readiness: Readiness,
        delay: Duration,
        clock: any Clock<Duration> = ContinuousClock(),
        onStop: @escaping @Sendable () -> Void = {}
    ) {
        self.init(
            readiness: readiness,
            delay: { if delay > .zero { try? await clock.sleep(for: delay) } },
            onStop: onStop
        )
    }

    init(
        readiness: Readiness,
        delay: @escaping @Sendable () async -> Void,
        onStop: @escaping @Sendable () -> Void = {}
    ) {
        self.readiness = readiness
        self.delay = delay
        self.onStop = onStop
    }

    /// Waits for the shutdown.
    package func run() async throws {
        try await gracefulShutdown()
        readiness.stop()
        onStop()
        await delay()
    }
}
