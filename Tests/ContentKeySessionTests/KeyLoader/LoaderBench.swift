import ContentKeySession
import Synchronization

/// A loader between a scripted session and a scripted server.
struct LoaderBench: Sendable {
    let simulation: Simulation
    let session: ScriptedSession
    let server: ScriptedServer
    let loader: KeyLoader
    let tokens: TestTokenProvider

    init(
        session: ScriptedSession = ScriptedSession(),
        seed: UInt64 = 1,
        isBatching: Bool = true,
        latency: Duration = .milliseconds(50),
        settings: KeyLoaderSettings = KeyLoaderSettings(),
        authorization: AuthorizationDesk? = nil,
        script: @escaping @Sendable (Int, KeyTransportRequest) -> ScriptedServer.Answer = { _, _ in .good }
    ) {
        simulation = Simulation()
        self.session = session
        server = ScriptedServer(simulation, latency: latency, script: script)
        let tokens = TestTokenProvider()
        self.tokens = tokens
        var service = KeyService.keyway("https://keys.example") { try tokens.token($0) }
        if !isBatching { service.batchURL = nil }
        if let authorization { service.authorizationToken = { try authorization.token(for: $0) } }
        loader = KeyLoader(
            source: session,
            service: service,
            transport: server,
            settings: settings,
            clock: simulation.clock,
            random: SeededNumbers(seed: seed)
        )
    }

    /// Runs the loader concurrently with a test, and ends the session after it.
    func run(_ story: @escaping @Sendable (LoaderBench) async throws -> Void) throws {
        try simulation.run {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await loader.run() }
                defer { session.end() }
                try await story(self)
                session.end()
                try await group.waitForAll()
            }
        }
    }

    /// Advances the time.
    func pass(_ duration: Duration) async throws { try await simulation.sleep(until: simulation.now + duration) }
}

/// Provides numbered tokens, and records their purposes.
final class TestTokenProvider: Sendable {
    private let given = Mutex<[KeyService.Purpose]>([])
    let failures = Mutex(0)

    struct Closed: Error {}

    var purposes: [KeyService.Purpose] { given.withLock { $0 } }

    func token(_ purpose: KeyService.Purpose) throws -> PlaybackToken? {
        let number = given.withLock { given in
            given.append(purpose)
            return given.count
        }
        let fails = failures.withLock { failures in
            failures -= 1
            return failures >= 0
        }
        if fails { throw Closed() }
        return PlaybackToken("token-\(number)")
    }
}

/// Provides tokens for content, but fails the first time.
final class AuthorizationDesk: Sendable {
    private let isOpen = Mutex(false)

    func token(for identifier: String) throws -> RedactedBytes {
        let wasOpen = isOpen.withLock { isOpen in
            defer { isOpen = true }
            return isOpen
        }
        guard wasOpen else { throw TestTokenProvider.Closed() }
        return RedactedBytes(Array("token for \(identifier)".utf8))
    }
}

extension KeyLoaderSettings {
    /// Settings that differ from the defaults.
    static func with(_ change: (inout KeyLoaderSettings) -> Void) -> KeyLoaderSettings {
        var settings = KeyLoaderSettings()
        change(&settings)
        return settings
    }
}
