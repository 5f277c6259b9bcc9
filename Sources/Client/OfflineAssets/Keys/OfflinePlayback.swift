public import ContentKeySession
import Locking
public import StreamPlayer

/// The sessions that a title is played with, and who answers their requests: what is kept, and as far as that is wanted
/// the key server.
///
/// | What is so | Done |
/// |---|---|
/// | a key is kept and the device takes it | it is the answer; nothing is sent |
/// | the device does not take it (-42799, -42800, -42803), when it is loaded or when it begins to play | that is written down; with a server it is asked for another, which decides; without, playback ends with the device's reason |
/// | none is kept | likewise |
/// | the first play of a key with two expiry periods makes a new one | it is kept in the old one's place before anything is shown |
public final class OfflinePlayback: Sendable {
    /// For FairPlay Streaming. Ask it for keys that may be kept.
    public let fairPlay: KeySession
    /// For clear keys.
    public let clearKey: KeySession
    /// What is kept of the title.
    public let keys: TitleKeys
    let loader: KeyLoader
    private let clearLoader: KeyLoader?
    private let delegate: OfflineSessionDelegate
    private let content: @Sendable (any ProtectedContentKey) throws -> PlayableKey
    private let store: KeptKeyStore

    init(_ offline: OfflineKeys, title: String, reach: OfflineKeys.Reach) {
        let isOnline = reach != .keptAlone
        let service = offline.service?.keys ?? KeyService(certificateURL: "", licenseURL: "")
        let transport: any KeyTransport = isOnline ? offline.transport : NoNetwork()
        keys = TitleKeys(
            title,
            store: offline.store,
            device: offline.device,
            asksForOthers: reach == .serverAlone,
            now: offline.clocks.now
        )
        (content, store) = (offline.content, offline.store)
        // The loader keeps the deadlines; what is kept has no lease.
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
        settings.keptKeys = keys
        // Nobody answers, so that to try again would only keep the viewer waiting.
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
            reach == .serverAlone
            ? KeyLoader(source: clearKey, service: service, transport: transport, clock: clock) : nil
        delegate = OfflineSessionDelegate(keys, asksServer: isOnline)
    }

    /// For a player.
    public var systems: PlayerKeySystems {
        var systems = PlayerKeySystems(fairPlay: fairPlay, clearKey: clearKey, content: content)
        systems.fairPlayOptions = ContentKeyRequestOptions(isPersistable: true)
        return systems
    }

    /// Answers requests for keys while `body` runs, and ends the sessions then. For so long the title is in use: it does not
    /// go when room is needed.
    ///
    /// - Throws: what `body` throws; ``OfflineStorageError``.
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

    /// What was asked of the key server.
    public var accesses: [KeyAccess] { get async { await loader.accessLog.entries } }

    /// What went wrong with keys, and what can be done about it; nil when nothing did.
    public var advice: String? {
        get async {
            if let error = keys.error { return "\(error): \(error.advice)" }
            // Without a network that there is no answer says nothing.
            let entries = await loader.errorLog.entries.filter {
                $0.failure.kind != .noConnection || delegate.asksServer
            }
            return entries.last.map { "\($0.failure): \($0.advice)" }
        }
    }

    private func answerClearKeys() async {
        if let clearLoader { return await clearLoader.run() }
        for await request in clearKey.requests {
            do throws(OfflineStorageError) {
                if let kept = try keys.kept(request.identifier), kept.kind == .clear, let key = kept.bytes {
                    await request.processContentKeyResponse(ContentKeyResponse(clearKeyData: key.bytes))
                } else {
                    await request.processContentKeyResponseError(
                        ContentKeyError(.noResponse, .response, reason: "no key is kept for it")
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

/// Keeps what takes a key's place, and writes down what the device says.
final class OfflineSessionDelegate: KeySessionDelegate {
    let asksServer: Bool
    private let keys: TitleKeys
    /// How often the device refused a key of each identifier.
    private let refusals = Lock<[String: Int]>([:])
    /// A server whose keys are refused too has no better ones.
    private static let maximumRefusals = 2

    init(_ keys: TitleKeys, asksServer: Bool) { (self.keys, self.asksServer) = (keys, asksServer) }

    /// The loader answers.
    func contentKeySession(_: KeySession, didProvide _: ContentKeyRequest) {}

    func contentKeySession(
        _: KeySession,
        didUpdatePersistableContentKey key: [UInt8],
        forContentKeyIdentifier identifier: String
    ) {
        keys.replace(with: key, for: identifier)
    }

    /// The device did not take what was kept. The loader does not offer it again, but asks the server.
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
        return asksServer && count <= Self.maximumRefusals
    }

    func contentKeySession(_: KeySession, contentKeyRequestDidSucceed request: ContentKeyRequest) {
        keys.noteTaken(request.identifier)
    }
}
