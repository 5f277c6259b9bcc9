import Foundation
import Locking

/// The sources of an asset's keys: its key sessions, then its resource loader's delegate, then the network.
struct AssetKeySource: Sendable {
    let asset: AVURLAsset
    /// The asset whose session provides the keys: that of the main presentation for an interstitial.
    let owner: AVURLAsset

    /// Where a key comes from.
    enum Source {
        case session(any KeySource)
        case loader
        case network
    }

    func source(of key: StreamContent.Key) -> Source {
        if let custom = owner.system.media.customKeySource { return .session(custom) }
        // Rule 91: a session receives requests of its own key system only. Rule 101: it precedes the loader.
        let system: AVContentKeySystem = key.method == .fairPlay ? .fairPlayStreaming : .clearKey
        if let session = owner.recipientState.session, session.keySystem == system {
            return .session(SessionKeySource(session: session))
        }
        // The system loads https itself, so a loader's delegate sees only URLs of other schemes (rule 90).
        let scheme = URL(string: key.uri)?.scheme?.lowercased()
        return scheme == "https" || scheme == "http" ? .network : .loader
    }

    /// Gets a key. The completion is called later, once, unless there is no answer.
    func need(
        _ key: StreamContent.Key,
        route: OutputRoute,
        isPlayback: Bool = true,
        completion: @escaping @Sendable (Result<LoadedKey, NSError>) -> Void
    ) {
        switch source(of: key) {
        case .session(let session):
            let need = KeyNeed(
                uri: key.uri,
                keySystem: key.method == .fairPlay ? .fairPlayStreaming : .clearKey,
                versions: key.versions,
                route: route,
                isPlayback: isPlayback
            )
            session.needKey(need, for: asset, completion: completion)
        case .loader:
            owner.resourceLoader.loadKey(key, route: route, completion: completion)
        case .network:
            let media = owner.system.media
            owner.system.deliver(on: owner.resourceLoader.workQueue) {
                do throws(NSError) {
                    // FairPlay keys have no https form without a session or a delegate.
                    guard key.method == .aes128 else { throw MediaErrors.unsupportedURL }
                    completion(.success(.clear(try media.fetchKey(key.uri))))
                } catch {
                    completion(.failure(error))
                }
            }
        }
    }

    /// Returns the key that a session has loaded now: another one after a renewal.
    func loadedKey(_ key: StreamContent.Key, route: OutputRoute) -> LoadedKey? {
        guard case .session(let session) = source(of: key) else { return nil }
        return session.loadedKey(key.uri, route: route)
    }

    /// True if the app requested the loaded key in advance (rule 123).
    func isClientInitiated(_ key: StreamContent.Key) -> Bool {
        guard let session = owner.recipientState.session else { return false }
        let slot = KeySlot(key.uri, nil, .local)
        return session.state.withLock { state in state.keys[slot].map { $0.request.cause.recipient == nil } ?? false }
    }

    /// Starts playback with a key (rules 58 and 60).
    func startPlaying(_ loaded: LoadedKey, for key: StreamContent.Key) throws(NSError) {
        switch source(of: key) {
        case .session(let session): try session.startPlaying(loaded, for: key.uri)
        case .loader, .network:
            guard case .fairPlay(let key) = loaded else { return }
            _ = try key.startPlaying()
        }
    }
}

/// A key session as a source of keys. The session synchronizes itself, which SDK 26 does not declare.
struct SessionKeySource: KeySource, @unchecked Sendable {
    let session: AVContentKeySession

    func needKey(
        _ need: KeyNeed,
        for recipient: any AVContentKeyRecipient,
        completion: @escaping @Sendable (Result<LoadedKey, NSError>) -> Void
    ) {
        session.needKey(need, for: recipient, completion: completion)
    }

    func loadedKey(_ uri: String, route: OutputRoute) -> LoadedKey? {
        let slot = KeySlot(uri, nil, route)
        return session.state.withLock { $0.keys[slot]?.key }
    }

    func startPlaying(_ key: LoadedKey, for uri: String) throws(NSError) { try session.startPlaying(key, for: uri) }
}
