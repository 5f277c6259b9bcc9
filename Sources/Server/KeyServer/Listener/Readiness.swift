import HTTPTypes
package import Hummingbird
import KeyServerModule
package import KeyStore
import NIOCore
import ServiceLifecycle
import Synchronization

/// Whether this server should be sent requests: `GET /readyz`. A license could be written now, and it is
/// not about to stop.
package final class Readiness: Sendable {
    /// Something that must be in order.
    package struct Check: Sendable {
        let name: String
        let isInOrder: @Sendable () async -> Bool

        /// Names a check; the name is in the answer.
        package init(_ name: String, isInOrder: @escaping @Sendable () async -> Bool) {
            self.name = name
            self.isInOrder = isInOrder
        }
    }

    private struct State {
        var isStopping = false
        var failing: [String] = []
        /// When the checks were begun last, in nanoseconds.
        var begun: Int64?
        /// The checks that are under way.
        var round: Task<Void, Never>?
        /// Whether there is an answer already.
        var hasAnswer = false
        /// The checks that were late, and have not ended yet.
        var late: Set<String> = []
    }

    /// Anybody may ask, so the checks are made once a second at most.
    private static let validity: Int64 = 1_000_000_000
    /// What takes longer than this is not in order: a license would not be answered in useful time either.
    private static let patience = Duration.seconds(2)

    private let checks: [Check]
    private let clock: @Sendable () -> Int64
    private let deadline: @Sendable () async throws -> Void
    private let state = Mutex(State())

    /// Makes it of its checks.
    package convenience init(checks: [Check], clock: @escaping @Sendable () -> Int64 = monotonicNanoseconds) {
        self.init(checks: checks, clock: clock, deadline: { try await Task.sleep(for: Self.patience) })
    }

    /// - Parameter deadline: returns when a check that has not answered is late; throws when it is cancelled.
    init(
        checks: [Check],
        clock: @escaping @Sendable () -> Int64,
        deadline: @escaping @Sendable () async throws -> Void
    ) {
        self.checks = checks
        self.clock = clock
        self.deadline = deadline
    }

    /// The checks of a key server: its store can be read and written, it has a certificate for FairPlay, and whether a token is
    /// good can be told. Who asks learns no more than these names.
    package static func checks(
        store: any KeyServerStore,
        bundles: BundleShelf,
        authorizer: any PlaybackAuthorizer,
        metrics: ServerMetrics? = nil
    ) -> [Check] {
        [
            Check("store") {
                do throws(KeyStoreError) {
                    // Whether it answers, not what.
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

    /// From now on the server is not ready.
    package func stop() { state.withLock { $0.isStopping = true } }

    /// What is not in order; empty when the server is ready.
    package func failing() async -> [String] {
        let now = clock()
        let round = state.withLock { state -> Task<Void, Never>? in
            guard !state.isStopping else { return nil }
            // Who comes while checks are under way gets the last answer; who is among the first waits for one.
            if let round = state.round { return state.hasAnswer ? nil : round }
            if let begun = state.begun, now - begun < Self.validity { return nil }
            state.begun = now
            let round = Task { await self.check() }
            state.round = round
            return round
        }
        await round?.value
        return state.withLock { $0.isStopping ? ["stopping"] : $0.failing }
    }

    /// Makes all checks at once.
    private func check() async {
        let failing = await withTaskGroup(of: String?.self) { group in
            for check in checks {
                group.addTask { await self.isInOrder(check) ? nil : check.name }
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

    /// Whether a check is in order before the deadline. One that is late goes on by itself, and fails until it has ended:
    /// what a disk or a database does not answer must not pile up before it.
    private func isInOrder(_ check: Check) async -> Bool {
        guard !state.withLock({ $0.late.contains(check.name) }) else { return false }
        let answer = FirstAnswer()
        Task {
            answer.give(await check.isInOrder())
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

    /// Puts `GET /readyz` on a router.
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

/// The answer of a check or of its deadline, whichever comes first.
private final class FirstAnswer: Sendable {
    private struct State {
        var answer: Bool?
        var waiting: CheckedContinuation<Bool, Never>?
    }

    private let state = Mutex(State())

    /// Gives an answer; false when there was one already.
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

    /// Waits for it. Once.
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

/// The first to hear of the end: says so at `/readyz`, and lets some time pass in which requests are still taken. Put it
/// last into the service group, since a group stops its services from the last to the first.
package struct ReadinessService: Service {
    private let readiness: Readiness
    private let delay: @Sendable () async -> Void
    private let onStop: @Sendable () -> Void

    /// Makes the service.
    ///
    /// - Parameters:
    ///   - readiness: what says so.
    ///   - delay: how long a load balancer needs to notice.
    ///   - onStop: told as soon as the end begins.
    package init(readiness: Readiness, delay: Duration, onStop: @escaping @Sendable () -> Void = {}) {
        self.init(readiness: readiness, delay: { try? await Task.sleep(for: delay) }, onStop: onStop)
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

    /// Waits for the end.
    package func run() async throws {
        try await gracefulShutdown()
        readiness.stop()
        onStop()
        await delay()
    }
}
