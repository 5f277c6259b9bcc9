import AVFoundation
import AVFoundationTesting
import ContentKeySession
import Foundation
import KeywayTesting
import Locking
import Testing
import VirtualDevice

@testable import ContentKeySessionAVFoundation

/// A device, a key server, and a folder, for tests of the client library for Apple's platforms.
final class AdapterScene: Sendable {
    let system: AppleSystem
    let device: VirtualFairPlayDevice
    let server: TestKeyServer
    let folder: URL

    private init(_ system: AppleSystem, _ device: VirtualFairPlayDevice, _ server: TestKeyServer, _ folder: URL) {
        (self.system, self.device, self.server, self.folder) = (system, device, server, folder)
    }

    /// Runs a test in a new system. Fails if a call raised an exception that the test did not take.
    static func run(
        profile: DeviceProfile = .iPhone,
        switches: (inout Switches) -> Void = { _ in },
        _ test: (AdapterScene) async throws -> Void
    ) async throws {
        var chosen = Switches()
        switches(&chosen)
        let clock = SystemClock()
        let server = TestKeyServer.following(clock)
        let device = VirtualFairPlayDevice(profile, server: server)
        let system = AppleSystem(device: device, switches: chosen, clock: clock)
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer {
            try? FileManager.default.removeItem(at: folder)
            system.downloads.removeAll()
        }
        try await AppleSystem.$current.withValue(system) {
            let scene = AdapterScene(system, device, server, folder)
            let result: Result<Void, any Error>
            do { result = .success(try await test(scene)) } catch { result = .failure(error) }
            await scene.end()
            try result.get()
        }
        #expect(system.exceptions == [])
    }

    // MARK: Tasks

    private let tasks = Lock<[Task<Void, Never>]>([])

    /// Runs an operation in the background until the end of the test or until it is cancelled.
    @discardableResult
    func background(_ operation: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        let task = Task { await operation() }
        tasks.withLock { $0.append(task) }
        return task
    }

    /// Ends the app and waits for its tasks, so that none runs when the process of the tests exits.
    private func end() async {
        server.injectAlways(.noConnection)
        for task in tasks.withLock({ $0 }) { task.cancel() }
        system.terminate()
        let hasEnded = Lock(false)
        let waiting = Task {
            for task in tasks.withLock({ $0 }) { await task.value }
            hasEnded.withLock { $0 = true }
        }
        // A task may wait for a timeout.
        var rounds = 0
        while !hasEnded.withLock({ $0 }) {
            rounds += 1
            guard rounds < 60_000 else {
                Issue.record("a task of the test does not end after it was cancelled")
                return
            }
            await system.advance(by: .seconds(5))
            try? await Task.sleep(for: .milliseconds(1))
        }
        await waiting.value
        await system.settle()
    }

    // MARK: The app

    /// The key server's addresses.
    var service: OfflineKeyService { .keyway(server.url) }

    /// An online session with a loader that runs until ``Online/end()``.
    func online(
        runs: Bool = true,
        keySystem: ContentKeySystem = .fairPlayStreaming,
        _ settings: (inout PlatformSessionSettings, inout KeyLoaderSettings) -> Void = { _, _ in }
    ) -> Online {
        var session = PlatformSessionSettings(clock: system.clock)
        var loader = KeyLoaderSettings()
        settings(&session, &loader)
        let online = Online(
            PlatformContentKeySession(keySystem, settings: session),
            service.keys,
            server,
            loader,
            system.clock
        )
        if runs { background { await online.loader.run() } }
        return online
    }

    final class Online: Sendable {
        let session: PlatformContentKeySession
        let loader: KeyLoader
        let events: RecordedEvents

        init(
            _ session: PlatformContentKeySession,
            _ service: KeyService,
            _ transport: any KeyTransport,
            _ settings: KeyLoaderSettings,
            _ clock: SystemClock
        ) {
            self.session = session
            let loader = KeyLoader(
                source: session,
                service: service,
                transport: transport,
                settings: settings,
                clock: clock,
                random: SeededNumbers(seed: 1)
            )
            self.loader = loader
            events = RecordedEvents(session.events)
        }
    }

    /// The store of persistent keys.
    func makeStore() -> PersistentKeyFile {
        let clock = system.clock
        return PersistentKeyFile(folder.appendingPathComponent("keys.plist"), protection: []) {
            Int64(clock.date.timeIntervalSince1970)
        }
    }

    /// The persistent keys of the app, with terms for all of them.
    func persistentKeys(
        _ store: PersistentKeyFile? = nil,
        terms: KeyHistoryEntry.Terms = .dual(storage: 2_592_000, playback: 172_800)
    ) -> PlatformPersistentKeys {
        let clock = system.clock
        var settings = PlatformPersistentKeys.Settings(storageDirectory: folder.appendingPathComponent("sessions")) {
            _ in terms
        }
        settings.session = PlatformSessionSettings(clock: clock)
        settings.now = { Int64(clock.date.timeIntervalSince1970) }
        return PlatformPersistentKeys(
            store: store ?? makeStore(),
            service: service,
            transport: server,
            settings: settings
        )
    }

    /// Publishes a film whose parts have keys, and returns its asset.
    func publishFilm(_ keys: [String], name: String = "film") -> URL {
        let url = URL(string: "https://media.example/\(name).m3u8") ?? folder
        system.media.publish(StreamContent(variants: [.init(keys: keys.map { .init($0) })]), at: url)
        return url
    }

    /// Plays a film with these keys in a session.
    @MainActor func play(_ session: PlatformContentKeySession, _ keys: [String] = ["skd://film"]) -> Playing {
        let asset = AVURLAsset(url: publishFilm(keys))
        session.platform.addContentKeyRecipient(asset)
        return Playing(asset)
    }

    // MARK: Waiting

    /// Waits until a condition is true, while the time of the system advances.
    func until(
        _ what: Comment,
        within limit: Duration = .seconds(60),
        _ condition: @Sendable () async -> Bool,
        location: SourceLocation = #_sourceLocation
    ) async throws {
        let end = system.clock.now.advanced(by: limit)
        while !(await condition()) {
            try await step()
            guard system.clock.now < end else {
                Issue.record(what, sourceLocation: location)
                throw Missing()
            }
        }
    }

    /// Runs an operation while the time of the system advances.
    func finish<Value: Sendable>(
        within limit: Duration = .seconds(300),
        _ operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let system = system
        let result = Lock<Result<Value, any Error>?>(nil)
        let task = Task {
            let value: Result<Value, any Error>
            do {
                value = .success(try await AppleSystem.$current.withValue(system) { try await operation() })
            } catch {
                value = .failure(error)
            }
            result.withLock { $0 = value }
        }
        let end = system.clock.now.advanced(by: limit)
        while result.withLock({ $0 == nil }) {
            try await step()
            guard system.clock.now < end else {
                task.cancel()
                throw Missing()
            }
        }
        return try result.withLock { $0 }!.get()
    }

    struct Missing: Error {}

    /// Lets tasks and queues work for a moment, then advances the time a little.
    func step() async throws {
        for _ in 0..<10 {
            await system.settle()
            await Task.yield()
        }
        // The time must not advance much faster than a busy machine can work: AVFoundation waits for half a minute.
        try await Task.sleep(for: .milliseconds(2))
        await system.advance(by: .milliseconds(50))
    }
}

/// The events of a session.
final class RecordedEvents: Sendable {
    private let events = Lock<[PlatformContentKeyEvent]>([])
    private let task: Task<Void, Never>

    init(_ stream: AsyncStream<PlatformContentKeyEvent>) {
        let events = events
        task = Task { for await event in stream { events.withLock { $0.append(event) } } }
    }
    deinit { task.cancel() }

    var all: [String] { events.withLock { $0.map(Self.text) } }
    func contains(_ text: String) -> Bool { all.contains(text) }
    func count(_ prefix: String) -> Int { all.count { $0.hasPrefix(prefix) } }

    private static func text(_ event: PlatformContentKeyEvent) -> String {
        switch event {
        case .didSucceed(let key, let stored): "succeed \(key)\(stored ? " stored" : "")"
        case .didFail(let key, let error): "fail \(key) \(error.number ?? 0)"
        case .didRejectStoredKey(let key, _): "reject \(key)"
        case .wasAskedToRetry(let key, let reason, let retries):
            "retry \(key) \(reason.map { "\($0)" } ?? "?") \(retries)"
        case .didUpdatePersistableKey(let key): "update \(key)"
        case .externalProtectionStatusDidChange(let key, let status): "output \(key) \(status)"
        case .sessionIdentifierDidChange: "identifier"
        case .didGenerateExpiredSessionReport: "report"
        }
    }
}

/// A player with one item.
@MainActor final class Playing {
    let item: AVPlayerItem
    let player: AVPlayer

    init(_ asset: AVURLAsset) {
        item = AVPlayerItem(asset: asset)
        player = AVPlayer(playerItem: item)
        player.play()
    }

    var isReady: Bool { item.status == .readyToPlay }
    var hasFailed: Bool { item.status == .failed }
    var error: NSError? { item.error as NSError? }
    func stop() { player.pause() }
}
