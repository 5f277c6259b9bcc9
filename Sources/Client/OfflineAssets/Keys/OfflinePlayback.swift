public import ContentKeySession
import Locking
public import StreamPlayer

/// The sessions to play a title with, and the sources that answer their requests: stored keys, and if allowed the key
/// server.
///
/// | Condition | Action |
/// |---|---|
/// | a key is stored and the device accepts it | it is the response; nothing is sent |
/// | the device rejects it (-42799, -42800, -42803) | recorded; a new key is requested, or without a server an error |
/// | no key is stored | a new key is requested, or without a server an error |
/// | first playback of a key with two expiry periods creates a new key | stored before the first frame is shown |
public final class OfflinePlayback: Sendable {
    /// The session for FairPlay Streaming. Request persistable keys from it.
    public let fairPlay: KeySession
    /// The session for clear keys.
    public let clearKey: KeySession
    /// The stored keys of the title.
    public let keys: TitleKeys
    let loader: KeyLoader
    private let clearLoader: KeyLoader?
    private let delegate: OfflineSessionDelegate
    private let content: @Sendable (any ProtectedContentKey) throws -> PlayableKey
    private let store: OfflineKeyStore

    init(_ offline: OfflineKeys, title: String, reach: OfflineKeys.Reach) {
        let isOnline = reach != .storedOnly
        let service = offline.service?.keys ?? KeyService(certificateURL: "", licenseURL: "")
        let transport: any KeyTransport = isOnline ? offline.transport : NoNetwork()
        keys = TitleKeys(
            title,
            store: offline.store,
            device: offline.device,
            server: isOnline ? offline.origin : nil,
            ignoresStoredKeys: reach == .serverOnly,
            now: offline.clocks.now
        )
        (content, store) = (offline.content, offline.store)
        // The loader enforces the deadlines; stored keys have no lease.
        fairPlay = KeySession(
            device: offline.device,
            clock: offline.clocks.session,
            responseTimeout: nil,
            renewalLead: nil
        )
        clearKey = KeySession(
            keySystem: .clearKey,
            device: NoContentProtection(),
            clock: offline.clocks.session,
            responseTimeout: nil,
            renewalLead: nil
        )
        var settings = KeyLoaderSettings()
        settings.persistentKeys = keys
        // Every announced key of a new session is requested, so there is no reason to stop waiting for one.
        if reach == .serverOnly { (settings.gatheringTime, settings.gathersAwaitedKeys) = (.seconds(5), true) }
        // There is no server, so retries would only delay the error.
        if !isOnline { settings.retry.attempts = 1 }
        let clock = offline.clocks.loader
        loader = KeyLoader(
            source: fairPlay,
            service: service,
            transport: transport,
            settings: settings,
            clock: clock
        )
        clearLoader =
            reach == .serverOnly
            ? KeyLoader(source: clearKey, service: service, transport: transport, clock: clock) : nil
        delegate = OfflineSessionDelegate(keys, usesServer: isOnline)
    }

    /// The key systems for a player.
    public var systems: PlayerKeySystems {
        var systems = PlayerKeySystems(fairPlay: fairPlay, clearKey: clearKey, content: content)
        systems.fairPlayOptions = ContentKeyRequestOptions(isPersistable: true)
        return systems
    }

    /// Answers key requests while `body` runs, and then ends the sessions. Meanwhile the title is in use, so that it is
    /// not evicted.
    ///
    /// - Throws: Errors of `body`, or ``OfflineStorageError``.
    public func whileAnswering<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        let use = try await store.use(keys.title)
        defer { withExtendedLifetime(use) {} }
        await fairPlay.setDelegate(delegate)
        async let first: Void = loader.run()
        async let second: Void = answerClearKeys()
        let result: Result<Value, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        await fairPlay.expire()
        await clearKey.expire()
        _ = await (first, second)
        return try result.get()
    }

    /// The log of keys loaded from the key server.
    public var accesses: [KeyAccess] { get async { await loader.accessLog.entries } }

    /// The last key error with advice; nil if there was no error.
    public var advice: String? {
        get async {
            if let error = keys.error { return "\(error): \(error.advice)" }
            // Without a network, a missing connection is expected.
            let entries = await loader.errorLog.entries.filter {
                $0.failure.kind != .noConnection || delegate.usesServer
            }
            return entries.last.map { "\($0.failure): \($0.advice)" }
        }
    }

    private func answerClearKeys() async {
        if let clearLoader { return await clearLoader.run() }
        for await request in clearKey.requests {
            do throws(OfflineStorageError) {
                if let kept = try keys.storedKey(request.identifier), kept.kind == .clear, let key = kept.bytes {
                    await request.processContentKeyResponse(ContentKeyResponse(clearKeyData: key.bytes))
                } else {
                    await request.processContentKeyResponseError(
                        ContentKeyError(.noResponse, .response, reason: "no key is stored for this identifier")
                    )
                }
            } catch {
                await request.processContentKeyResponseError(
                    ContentKeyError(.noResponse, .response, reason: error.description)
                )
            }
        }
    }
}

/// A delegate that stores replaced keys and records rejections by the device.
final class OfflineSessionDelegate: KeySessionDelegate {
    let usesServer: Bool
    private let keys: TitleKeys
    /// The number of keys that the device rejected, by identifier.
    private let refusals = Lock<[String: Int]>([:])
    /// If the device also rejects the server's keys, further requests would not help.
    private static let maximumRefusals = 2

    init(_ keys: TitleKeys, usesServer: Bool) { (self.keys, self.usesServer) = (keys, usesServer) }

    /// The loader answers the request.
    func contentKeySession(_: KeySession, didProvide _: ContentKeyRequest) {}

    func contentKeySession(
        _: KeySession,
        didUpdatePersistableContentKey key: [UInt8],
        forContentKeyIdentifier identifier: String
    ) {
        keys.replace(with: key, for: identifier)
    }

    /// Handles the rejection of a stored key. The loader does not use it again, but requests a new key from the server.
    func contentKeySession(
        _: KeySession,
        shouldRetry request: ContentKeyRequest,
        reason: ContentKeyRetryReason
    ) -> Bool {
        guard reason == .receivedObsoleteContentKey else { return false }
        if let error = request.error { keys.note(.refused(error.code), for: request.identifier) }
        let count = refusals.withLock { refusals in
            refusals[request.identifier, default: 0] += 1
            return refusals[request.identifier] ?? 0
        }
        return usesServer && count <= Self.maximumRefusals
    }

    func contentKeySession(_: KeySession, contentKeyRequestDidSucceed request: ContentKeyRequest) {
        keys.noteAccepted(request.identifier)
    }
}
