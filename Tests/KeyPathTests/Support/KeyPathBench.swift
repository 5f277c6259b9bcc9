import AsyncHTTPClient
import ContentKeySession
import ContentKeySessionTesting
import FPSCrypto
import HTTPRequests
import HTTPTransport
import SimulatedClocks
import StreamPlayer
import Synchronization
import Testing
import VirtualDevice

/// The full path of a key request: session over a virtual device, loader, transport, and a proxy before a real server.
/// Server, device, session and loader share one clock.
struct KeyPathBench: Sendable {
    final class Player: ContentKeyRecipient {
        let hasBegunLoading = false
    }

    let time: SimulatedTime
    let server: TestKeyServer
    let proxy: FaultProxy
    let device: FPSDevice
    let session: KeySession
    let transport: RecordingTransport
    let loader: KeyLoader
    let player = Player()
    let purposes: TestTokenProvider
    private let client: HTTPClient

    /// Options that differ from the defaults.
    struct Options: Sendable {
        var keySystem = ContentKeySystem.fairPlayStreaming
        var settings = KeyLoaderSettings()
        /// The offset of the device's clock, in seconds; a positive value is ahead.
        var skew: Int64 = 0
        /// True if the client connects to the server's port directly, without the proxy.
        var isDirect = false
        var device: FPSDevice?
        var tokens: [String] = []
        var seed: UInt64 = 1
        var responseTimeout: Duration?
        var reports: any ExpiredSessionReportStore = InMemoryExpiredSessionReports()
    }

    /// Runs a test with all components started, and stops them.
    static func run(
        _ options: Options = Options(),
        time: SimulatedTime = SimulatedTime(),
        script: @escaping @Sendable (ReceivedRequest) -> Fault = { _ in .none },
        _ story: @escaping @Sendable (KeyPathBench) async throws -> Void
    ) async throws {
        try await TestKeyServer.run(time) { server in
            try await run(options, server: server, time: time, script: script, story)
        }
    }

    static func run(
        _ options: Options,
        server: TestKeyServer,
        time: SimulatedTime,
        script: @escaping @Sendable (ReceivedRequest) -> Fault = { _ in .none },
        _ story: @escaping @Sendable (KeyPathBench) async throws -> Void
    ) async throws {
        let bench = try KeyPathBench(options, server, time, script)
        let result: Result<Void, any Error>
        do {
            try await bench.session.addContentKeyRecipient(bench.player)
            try await time.run {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { await bench.loader.run() }
                    do {
                        try await story(bench)
                    } catch {
                        await bench.session.expire()
                        throw error
                    }
                    await bench.session.expire()
                    try await group.waitForAll()
                }
            }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        bench.proxy.stop()
        try await bench.client.shutdown()
        try result.get()
    }

    private init(
        _ options: Options,
        _ server: TestKeyServer,
        _ time: SimulatedTime,
        _ script: @escaping @Sendable (ReceivedRequest) -> Fault
    ) throws {
        self.time = time
        self.server = server
        proxy = try FaultProxy(server: server.port, time, script: script)
        device = options.device ?? server.device(time, skew: options.skew)
        session = KeySession(
            keySystem: options.keySystem,
            device: device,
            clock: SimulatedClock(time: time, wakes: false),
            responseTimeout: options.responseTimeout,
            renewalLead: nil,
            expiredSessionReports: options.reports
        )
        client = BoundedHTTP.processClient(BoundedHTTP.configuration())
        transport = RecordingTransport(HTTPClientTransport(BoundedHTTP(client)), time)
        let desk = TestTokenProvider(options.tokens)
        purposes = desk
        loader = KeyLoader(
            source: session,
            service: .keyway("http://127.0.0.1:\(options.isDirect ? server.port : proxy.port)") { desk.token($0) },
            transport: transport,
            settings: options.settings,
            clock: SimulatedClock(time: time),
            random: SeededNumbers(seed: options.seed)
        )
    }

    func pass(_ duration: Duration) async throws { try await time.sleep(until: time.now + duration) }

    /// Requests a key as a player does, and waits for it.
    func key(_ asset: String, persistable: Bool = false) async throws(ContentKeyError) -> ContentKey {
        try await session.contentKey(
            identifier: "skd://" + asset,
            options: ContentKeyRequestOptions(isPersistable: persistable),
            for: player
        )
    }

    /// Returns the content key that the device has for an asset, if it can be used now.
    func content(_ key: ContentKey) throws -> SecretBytes {
        try #require(key.protectedKey as? DeviceKey).contentKey().key
    }

    /// Returns whether an asset's key can start playback and equals the server's key.
    func plays(_ key: ContentKey, as asset: String) async throws -> Bool {
        try await key.beginPlayback()
        return try content(key) == server.keys[asset]
    }

    /// Requests a key as a player does, and starts playback.
    func plays(_ asset: String, persistable: Bool = false) async throws -> Bool {
        try await plays(try await key(asset, persistable: persistable), as: asset)
    }

    var errors: [KeyErrorEntry] { get async { await loader.errorLog.entries } }
    var accesses: [KeyAccess] { get async { await loader.accessLog.entries } }
}

/// Issues the given tokens, then valid ones, and records the purpose of each request.
final class TestTokenProvider: Sendable {
    private let state: Mutex<(tokens: [String], purposes: [KeyService.Purpose])>

    init(_ tokens: [String]) { state = Mutex((tokens, [])) }

    var all: [KeyService.Purpose] { state.withLock { $0.purposes } }

    func token(_ purpose: KeyService.Purpose) -> PlaybackToken {
        state.withLock { state in
            state.purposes.append(purpose)
            let token = state.tokens.isEmpty ? "\(Tokens.good)-\(state.purposes.count)" : state.tokens.removeFirst()
            return PlaybackToken(token)
        }
    }
}
