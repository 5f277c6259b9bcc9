import HTTPTypes
public import Hummingbird
import KeyServerModule
public import KeyStore
import NIOCore
public import ServiceLifecycle
import Synchronization

/// Whether this server should be sent requests: `GET /readyz`. What it needs answers, and it is not about to stop.
public final class Readiness: Sendable {
    /// Something that must be in order.
    public struct Check: Sendable {
        let name: String
        let isInOrder: @Sendable () async -> Bool

        /// Names a check; the name is in the answer.
        public init(_ name: String, isInOrder: @escaping @Sendable () async -> Bool) {
            self.name = name
            self.isInOrder = isInOrder
        }
    }

    private struct State {
        var isStopping = false
        var failing: [String] = []
        /// When the checks were made, in nanoseconds.
        var checked: Int64?
    }

    /// Anybody may ask, so the checks are made once a second at most.
    private static let validity: Int64 = 1_000_000_000

    private let checks: [Check]
    private let clock: @Sendable () -> Int64
    private let state = Mutex(State())

    /// Makes it of its checks.
    public init(checks: [Check], clock: @escaping @Sendable () -> Int64 = monotonicNanoseconds) {
        self.checks = checks
        self.clock = clock
    }

    /// The checks of a key server: its store answers, it has a certificate for FairPlay, and whether a token is good can be
    /// told. Who asks learns no more than these names.
    public static func checks(
        store: any PolicyStore,
        bundles: BundleShelf,
        authorizer: any PlaybackAuthorizer
    ) -> [Check] {
        [
            Check("store") {
                // Whether it answers, not what.
                do { _ = try await store.policy(name: ContentLookup.defaultPolicy) } catch { return false }
                return true
            },
            Check("certificates") { !bundles.module.bundles.isEmpty },
            Check("authorization") { await authorizer.warmUp().isEmpty },
        ]
    }

    /// From now on the server is not ready.
    public func stop() { state.withLock { $0.isStopping = true } }

    /// What is not in order; empty when the server is ready.
    public func failing() async -> [String] {
        let now = clock()
        let known = state.withLock { state -> [String]? in
            if state.isStopping { return ["stopping"] }
            guard let checked = state.checked, now - checked < Self.validity else {
                // Who comes meanwhile gets the last answer, instead of checking too.
                if state.checked != nil { state.checked = now }
                return nil
            }
            return state.failing
        }
        if let known { return known }
        var failing: [String] = []
        for check in checks where await !check.isInOrder() { failing.append(check.name) }
        return state.withLock { state in
            state.failing = failing
            state.checked = now
            return state.isStopping ? ["stopping"] : failing
        }
    }

    /// Puts `GET /readyz` on a router.
    public func add(to router: Router<ServerRequestContext>) {
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

/// The first to hear of the end: says so at `/readyz`, and lets some time pass in which requests are still taken. Put it
/// last into the service group, since a group stops its services from the last to the first.
public struct ReadinessService: Service {
    private let readiness: Readiness
    private let delay: @Sendable () async -> Void
    private let onStop: @Sendable () -> Void

    /// Makes the service.
    ///
    /// - Parameters:
    ///   - readiness: what says so.
    ///   - delay: how long a load balancer needs to notice.
    ///   - onStop: told as soon as the end begins.
    public init(readiness: Readiness, delay: Duration, onStop: @escaping @Sendable () -> Void = {}) {
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
    public func run() async throws {
        try await gracefulShutdown()
        readiness.stop()
        onStop()
        await delay()
    }
}
