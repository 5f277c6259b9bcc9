import ContentKeySession
import ContentKeySessionTesting
import FPSCrypto
import Foundation
import HTTPTransport
import SimulatedClocks
import StreamPlayer
import VirtualDevice

@testable import OfflineAssets

/// A viewer's device with its persistent keys, and a real server. Server, device and ledger share one clock.
struct OfflineStage: Sendable {
    let server: TestKeyServer
    let time: SimulatedTime
    let device: FPSDevice
    let offline: OfflineKeys
    /// The folder of the persistent keys and the downloads.
    let folder: String
    let contents: [String: SecretBytes]

    static let rental = #"{"persist":{"storage":"P30D","playback":"P2D"},"renewAfterExpiry":false}"#
    static let subscription = #"{"persist":{"storage":"P30D","playback":"P2D"}}"#

    /// Runs a test: the title `film` with four streams is rented, `show` with one stream is part of a subscription.
    static func run(_ story: @Sendable (OfflineStage) async throws -> Void) async throws {
        let time = SimulatedTime()
        try await TestKeyServer.run(time) { server in
            var contents: [String: SecretBytes] = [:]
            for (asset, policy, title) in [
                ("rent/sd", rental, 1), ("rent/hd", rental, 1), ("rent/uhd", rental, 1), ("rent/audio", rental, 1),
                ("show/hd", subscription, 2), ("show/audio", subscription, 2),
            ] {
                contents[asset] = try await server.rent(
                    asset,
                    policy: policy,
                    titleID: [UInt8](repeating: UInt8(title), count: 16),
                    at: SimulatedDeviceClock.start
                )
            }
            let stage = try OfflineStage(server, time, contents)
            defer { try? FileManager.default.removeItem(atPath: stage.folder) }
            try await story(stage)
        }
    }

    private init(_ server: TestKeyServer, _ time: SimulatedTime, _ contents: [String: SecretBytes]) throws {
        (self.server, self.time, self.contents) = (server, time, contents)
        device = server.device(time)
        folder = NSTemporaryDirectory() + "/offline-story-\(UUID().uuidString)"
        let store = try OfflineKeyStore(
            folder: folder + "/keys",
            key: StorageKey(SecretBytes(copying: [UInt8](repeating: 7, count: 32)))
        )
        let clock = SimulatedDeviceClock(time: time)
        offline = OfflineKeys(
            store: store,
            device: device,
            service: .keyway("http://127.0.0.1:\(server.port)") { _ in PlaybackToken(Tokens.good) },
            transport: HTTPClientTransport(),
            clocks: .init { clock.now }
        ) { key in
            guard let key = key as? DeviceKey else { throw ContentKeyError(.unsupportedOperation, .device) }
            let content = try key.contentKey()
            return PlayableKey(key: content.key, initializationVector: content.iv)
        }
    }

    var now: Int64 { SimulatedDeviceClock(time: time).now }

    func pass(days: Int64) { time.skip(.seconds(days * 86_400)) }

    /// Lets a player load a title's keys, start playback, and compare the keys that it decrypts with.
    func plays(_ title: String, _ assets: [String], _ reach: OfflineKeys.Reach = .storedOnly) async throws -> Bool {
        let playback = offline.playback(of: title, reach)
        return try await playback.whileAnswering {
            let recipient = KeyWaiter()
            try await playback.fairPlay.addContentKeyRecipient(recipient)
            for asset in assets {
                let key = try await playback.fairPlay.contentKey(
                    identifier: "skd://" + asset,
                    options: playback.systems.fairPlayOptions,
                    for: recipient
                )
                try await key.beginPlayback()
                guard let protected = key.protectedKey, try playback.systems.content(protected).key == contents[asset]
                else { return false }
            }
            return true
        }
    }

    func key(_ asset: String, of title: String) throws -> OfflineKeyRecord? {
        try offline.store.title(title)?.keys["skd://" + asset]
    }

    func state(_ asset: String, of title: String) throws -> OfflineKeyState? {
        try key(asset, of: title)?.entry.state(at: now)
    }
}
