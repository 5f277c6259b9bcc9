import ContentKeySession
import ContentKeySessionTesting
import FPSCrypto
import Foundation
import HLSPlaylist
import HTTPTransport
import StreamPlayer
import ToolSupport
import VirtualDevice

/// The content key sessions and key loaders of a playback.
struct PlayKeys: Sendable {
    /// The key systems for the player.
    let systems: PlayerKeySystems
    private let fairPlay: KeyLoader?
    private let clear: KeyLoader

    /// Creates sessions and loaders without sending requests.
    ///
    /// - Parameters:
    ///   - server: The URL of the key server; nil if FairPlay keys are not available.
    ///   - token: The playback token; nil for none.
    ///   - usesBatches: Whether to request several keys at once.
    ///   - transport: The transport for the requests of keys.
    init(
        server: URLArgument?,
        device: PlayDeviceOptions,
        token: SecretArgument?,
        usesBatches: Bool = true,
        transport: HTTPClientTransport
    ) async throws {
        let clearSession = KeySession(keySystem: .clearKey, device: NoContentProtection())
        var fairPlaySession: KeySession?
        var service = KeyService(certificateURL: "", licenseURL: "")
        if let server {
            let text = try token?.text(option: "--token")
            service = .keyway(server.base) { _ in text.map { PlaybackToken($0) } }
            if !usesBatches { service.batchURL = nil }
            let virtual = try device.device()
            // The loader handles timeouts and lease renewals.
            fairPlaySession = KeySession(device: virtual, responseTimeout: nil, renewalLead: nil)
        }
        fairPlay = fairPlaySession.map {
            KeyLoader(source: $0, service: service, transport: transport)
        }
        clear = KeyLoader(source: clearSession, service: service, transport: transport)
        systems = PlayerKeySystems(fairPlay: fairPlaySession, clearKey: clearSession) { try Self.playable($0) }
    }

    /// Returns the content key in a virtual device's key.
    static func playable(_ key: any ProtectedContentKey) throws -> PlayableKey {
        guard let key = key as? DeviceKey else { throw ContentKeyError(.unsupportedOperation, .device) }
        let content: (key: SecretBytes, iv: [UInt8])
        do throws(FPSError) {
            content = try key.contentKey()
        } catch {
            throw ContentKeyError(.init(rawValue: error.name), .device, reason: error.reason, number: error.code)
        }
        return PlayableKey(key: content.key, initializationVector: content.iv)
    }

    /// Answers key requests while `body` runs, and then ends the sessions.
    func whileAnswering<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        async let first: Void = fairPlay?.run() ?? ()
        async let second: Void = clear.run()
        let result: Result<Value, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        await systems.fairPlay?.expire()
        await systems.clearKey?.expire()
        _ = await (first, second)
        return try result.get()
    }

    /// Preloads the keys of a Multivariant Playlist.
    func preload(_ playlist: MultivariantPlaylist) async { await fairPlay?.preload(playlist) }

    /// The log of requests to the key server.
    var accesses: [KeyAccess] {
        get async {
            var all = await clear.accessLog.entries
            if let fairPlay { all += await fairPlay.accessLog.entries }
            return all
        }
    }

    /// The last key error; nil if there was none.
    var lastFailure: KeyFailure? {
        get async {
            var errors = await clear.errorLog.entries
            if let fairPlay { errors += await fairPlay.errorLog.entries }
            // Cancelled requests do not show the cause of the failure.
            return (errors.last { $0.failure.kind != .cancelled } ?? errors.last)?.failure
        }
    }
}
