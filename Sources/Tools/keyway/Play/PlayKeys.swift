import ContentKeySession
import ContentKeySessionTesting
import FPSCrypto
import Foundation
import HLSPlaylist
import HTTPTransport
import StreamPlayer
import VirtualDevice

/// The sessions of a playback and their key loaders.
struct PlayKeys: Sendable {
    /// For the player.
    let systems: PlayerKeySystems
    private let fairPlay: KeyLoader?
    private let clear: KeyLoader

    /// Makes sessions and loaders; nothing is asked for yet.
    ///
    /// - Parameters:
    ///   - server: the key server; nil: FairPlay keys cannot be had.
    ///   - token: the token itself, or `@` and a file that holds it.
    ///   - usesBatches: whether the server is asked for several keys at once.
    init(server: String?, device: PlayDeviceOptions, token: String?, usesBatches: Bool = true) async throws {
        let clearSession = KeySession(keySystem: .clearKey, device: NoContentProtection())
        var fairPlaySession: KeySession?
        var service = KeyService(certificateURL: "", licenseURL: "")
        if let server {
            let text = try token.map { try Self.token($0) }
            service = .keyway(server.hasSuffix("/") ? String(server.dropLast()) : server) { _ in
                text.map { PlaybackToken($0) }
            }
            if !usesBatches { service.batchURL = nil }
            let virtual = try device.device()
            // The loader keeps the deadlines and renews the leases.
            fairPlaySession = KeySession(device: virtual, responseTimeout: nil, renewalLead: nil)
        }
        fairPlay = fairPlaySession.map {
            KeyLoader(source: $0, service: service, transport: HTTPClientTransport())
        }
        clear = KeyLoader(source: clearSession, service: service, transport: HTTPClientTransport())
        systems = PlayerKeySystems(fairPlay: fairPlaySession, clearKey: clearSession) { try Self.playable($0) }
    }

    /// The content key in a virtual device's key.
    static func playable(_ key: any ProtectedContentKey) throws -> PlayableKey {
        guard let key = key as? DeviceKey else { throw ContentKeyError(.notOfKeySystem, .device) }
        let content: (key: SecretBytes, iv: [UInt8])
        do throws(FPSError) {
            content = try key.contentKey()
        } catch {
            throw ContentKeyError(.init(rawValue: error.name), .device, reason: error.reason, number: error.code)
        }
        return PlayableKey(key: content.key, initializationVector: content.iv)
    }

    /// A token: the text itself, or of the file that `@` names.
    static func token(_ token: String) throws -> String {
        guard token.hasPrefix("@") else { return token }
        return String(decoding: try InputFile.readLine(String(token.dropFirst())), as: UTF8.self)
    }

    /// Answers requests for keys while `body` runs, and ends the sessions then.
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

    /// Gets the keys that a Multivariant Playlist names, before they are needed.
    func preload(_ playlist: MultivariantPlaylist) async { await fairPlay?.preload(playlist) }

    /// What was asked of the key server.
    var accesses: [KeyAccess] {
        get async {
            var all = await clear.accessLog.entries
            if let fairPlay { all += await fairPlay.accessLog.entries }
            return all
        }
    }

    /// What went wrong with keys, and what can be done about it; nil when nothing did.
    var advice: String? {
        get async {
            var errors = await clear.errorLog.entries
            if let fairPlay { errors += await fairPlay.errorLog.entries }
            // Keys that nobody wants any more once one was refused say nothing of the reason.
            let telling = errors.last { $0.failure.kind != .cancelled } ?? errors.last
            return telling.map { "\($0.failure): \($0.advice)" }
        }
    }
}
