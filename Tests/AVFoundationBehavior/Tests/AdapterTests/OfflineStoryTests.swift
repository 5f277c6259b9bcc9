import AVFoundation
import AVFoundationTesting
import ContentKeySession
import ContentKeySessionTesting
import Foundation
import KeyServerModule
import KeywayTesting
import Locking
import Testing
import VirtualDevice

@testable import ContentKeySessionAVFoundation

/// A phone with a film that is downloaded and played without a network.
private protocol OfflinePhone: Sendable {
    /// Gets a new key from the server and stores it.
    func acquire() async throws
    /// The stored key.
    func storedKey() async -> [UInt8]?
    /// Puts an earlier key back.
    func restore(_ key: [UInt8]) async throws
    /// Starts playback in a new session; false if it is refused.
    func play() async -> Bool
    /// Invalidates the key and sends the proof to the server.
    func invalidate() async throws
}

/// The story of offline playback, on the portable session and on Apple's platforms.
@Suite(.timeLimit(.minutes(10))) struct OfflineStoryTests {
    enum Platform: CaseIterable { case portable, apple }

    @Test("The story of offline playback has the same outcome at each step", arguments: Platform.allCases)
    func story(platform: Platform) async throws {
        try await AdapterScene.run { scene in
            scene.server.set(.dual(storage: 1000, playback: 100), for: "film")
            let phone: any OfflinePhone =
                switch platform {
                case .portable: PortablePhone(scene)
                case .apple: ApplePhone(scene)
                }
            // A key is acquired and stored.
            try await scene.finish { try await phone.acquire() }
            let acquired = try #require(await phone.storedKey())
            #expect(scene.server.licenseRoundTrips == 1)
            // Without a network, the film plays, and the first playback replaces the key.
            scene.server.injectAlways(.noConnection)
            #expect(try await scene.finish { await phone.play() })
            let replaced = try #require(await phone.storedKey())
            #expect(replaced != acquired)
            #expect(try await scene.finish { await phone.play() })
            #expect(await phone.storedKey() == replaced)
            // The earlier key is no longer accepted.
            try await phone.restore(acquired)
            #expect(try await !scene.finish { await phone.play() })
            try await phone.restore(replaced)
            #expect(try await scene.finish { await phone.play() })
            // After the playback period, playback does not start.
            await scene.system.advance(by: .seconds(101))
            #expect(try await !scene.finish { await phone.play() })
            #expect(scene.server.licenseRoundTrips == 1)
            // With a network, a new key starts a new period.
            scene.server.removeFaults()
            try await scene.finish { try await phone.acquire() }
            #expect(try await scene.finish { await phone.play() })
            // The key is invalidated with a proof; its bytes no longer play.
            let last = try #require(await phone.storedKey())
            try await scene.finish { try await phone.invalidate() }
            #expect(scene.server.offlineKeyReports.count == 1)
            #expect(await phone.storedKey() == nil)
            try await phone.restore(last)
            scene.server.injectAlways(.noConnection)
            #expect(try await !scene.finish { await phone.play() })
        }
    }
}

/// The library for Apple's platforms on the behavioral AVFoundation.
private struct ApplePhone: OfflinePhone {
    let scene: AdapterScene
    let keys: PlatformPersistentKeys

    init(_ scene: AdapterScene) {
        self.scene = scene
        keys = scene.persistentKeys(terms: .dual(storage: 1000, playback: 100))
    }

    func acquire() async throws {
        for result in await keys.refresh(["skd://film"]).values { try result.get() }
    }
    func storedKey() async -> [UInt8]? { await keys.store.key(for: "skd://film") }
    func restore(_ key: [UInt8]) async throws {
        try await keys.store.change("skd://film") { old in
            let history = old?.history ?? KeyHistoryEntry(terms: .unknown, issued: 0)
            return PersistentKeyFile.Record(key: key, history: history)
        }
    }
    func play() async -> Bool {
        let playback = keys.makePlayback()
        let running = scene.background { await playback.run() }
        defer { running.cancel() }
        let events = RecordedEvents(playback.session.events)
        let playing = await scene.play(playback.session)
        while await !playing.isReady, await !playing.hasFailed, !Task.isCancelled {
            try? await scene.system.clock.sleep(for: .seconds(1))
        }
        let isReady = await playing.isReady
        // The replaced key is stored soon after playback has started.
        for _ in 0..<3 where isReady && !events.contains("update skd://film") {
            try? await scene.system.clock.sleep(for: .seconds(1))
        }
        await playing.stop()
        return isReady
    }
    func invalidate() async throws { try await keys.invalidate("skd://film") }
}

/// The portable session with a virtual device.
private final class PortablePhone: OfflinePhone {
    private final class Store: PersistentKeyStore {
        let key = Lock<[UInt8]?>(nil)
        let usesStored = Lock(true)
        func key(for identifier: String) async -> [UInt8]? {
            usesStored.withLock { $0 } ? key.withLock { $0 } : nil
        }
        func save(_ key: [UInt8], for identifier: String) async { self.key.withLock { $0 = key } }
    }

    private final class Delegate: KeySessionDelegate {
        let store: Store
        init(_ store: Store) { self.store = store }
        // The loader answers requests.
        func contentKeySession(_ session: KeySession, didProvide keyRequest: ContentKeyRequest) {}
        func contentKeySession(
            _ session: KeySession,
            didUpdatePersistableContentKey key: [UInt8],
            forContentKeyIdentifier identifier: String
        ) { store.key.withLock { $0 = key } }
    }

    private final class Recipient: ContentKeyRecipient {
        var hasBegunLoading: Bool { false }
    }

    private let scene: AdapterScene
    private let store = Store()
    private let device: FPSDevice

    init(_ scene: AdapterScene) {
        self.scene = scene
        device = scene.device.device
    }

    private func withKey(_ body: (ContentKey) async throws -> Void) async throws {
        let session = KeySession(device: device, clock: scene.system.clock)
        let delegate = Delegate(store)
        await session.setDelegate(delegate)
        var settings = KeyLoaderSettings()
        settings.persistentKeys = store
        let loader = KeyLoader(
            source: session,
            service: scene.service.keys,
            transport: scene.server,
            settings: settings,
            clock: scene.system.clock
        )
        let running = scene.background { await loader.run() }
        defer { running.cancel() }
        let recipient = Recipient()
        try await session.addContentKeyRecipient(recipient)
        let key = try await session.contentKey(
            identifier: "skd://film",
            options: ContentKeyRequestOptions(isPersistable: true),
            for: recipient
        )
        try await body(key)
        await session.expire()
        withExtendedLifetime(delegate) {}
    }

    func acquire() async throws {
        store.usesStored.withLock { $0 = false }
        defer { store.usesStored.withLock { $0 = true } }
        try await withKey { _ in }
    }
    func storedKey() async -> [UInt8]? { store.key.withLock { $0 } }
    func restore(_ key: [UInt8]) async throws { store.key.withLock { $0 = key } }
    func play() async -> Bool {
        do {
            try await withKey { key in try await key.beginPlayback() }
            return true
        } catch {
            return false
        }
    }
    func invalidate() async throws {
        let client = SyncClient(service: scene.service, transport: scene.server)
        let session = KeySession(device: device, clock: scene.system.clock)
        let key = try #require(await storedKey())
        let context = ServerPlaybackContext(
            certificate: try await client.certificate(),
            serverChallenge: try await client.challenge()
        )
        let proof = try await session.invalidatePersistableContentKey(key, context: context)
        store.key.withLock { $0 = nil }
        _ = try await client.send(proof, place: "skd://film")
    }
}
