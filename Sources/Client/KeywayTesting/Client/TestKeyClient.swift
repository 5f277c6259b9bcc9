public import ContentKeySession
import ContentKeySessionTesting
import FPSCrypto
import Locking
import VirtualDevice

/// A client of a ``TestKeyServer``: a device, a key session and a key loader, with the server's clock.
///
/// While a function of the client waits, the clock moves: retries, timeouts and slow responses take no time. Otherwise
/// it moves only by ``TestClock/advance(by:)``.
@available(iOS 18, macOS 15, tvOS 18, visionOS 2, *)
public final class TestKeyClient: Sendable {
    /// The server.
    public let server: TestKeyServer
    /// The device.
    public let device: any PersistentKeyDevice
    /// The session on the device.
    public let session: KeySession
    /// The loader that answers the session's requests.
    public let loader: KeyLoader
    /// The app's store of persistent keys.
    public let persistentKeys: any PersistentKeyStore
    /// The maximum time that ``preload(_:)`` waits, longer than the deadline of the default settings.
    private static let preloadDeadline = Duration.seconds(120)
    private let recipient = Recipient()
    private let delegate: Delegate
    private let running: Task<Void, any Error>
    private let observer: UInt64

    private final class Recipient: ContentKeyRecipient {
        let hasBegunLoading = false
    }

    /// Stores replaced persistent keys, and lets the loader request a key again if the device rejects a stored one.
    private final class Delegate: KeySessionDelegate {
        let persistentKeys: any PersistentKeyStore
        let clock: TestClock
        /// The task that saves the latest replaced key, after all earlier ones.
        private let saving = Lock<Task<Void, any Error>?>(nil)

        init(_ persistentKeys: any PersistentKeyStore, _ clock: TestClock) {
            (self.persistentKeys, self.clock) = (persistentKeys, clock)
        }

        /// Waits until the replaced keys are saved.
        ///
        /// - Throws: ``ContentKeyError/Code/keyNotStored`` if the store reported an error.
        func save() async throws(ContentKeyError) {
            let task = saving.withLock { saving in
                defer { saving = nil }
                return saving
            }
            do {
                try await task?.value
            } catch {
                throw ContentKeyError(.keyNotStored, .session, reason: "the replaced key is lost: \(type(of: error))")
            }
        }

        func contentKeySession(_: KeySession, didProvide _: ContentKeyRequest) {}

        func contentKeySession(
            _: KeySession,
            didUpdatePersistableContentKey key: [UInt8],
            forContentKeyIdentifier identifier: String
        ) {
            saving.withLock { [persistentKeys, clock] saving in
                let earlier = saving
                saving = clock.startTask {
                    try await earlier?.value
                    try await persistentKeys.save(key, for: identifier)
                }
            }
        }

        func contentKeySession(
            _: KeySession,
            shouldRetry _: ContentKeyRequest,
            reason: ContentKeyRetryReason
        ) -> Bool {
            reason == .receivedObsoleteContentKey
        }
    }

    init(
        _ server: TestKeyServer,
        _ device: any PersistentKeyDevice,
        _ session: KeySession,
        _ loader: KeyLoader,
        _ persistentKeys: any PersistentKeyStore
    ) {
        (self.server, self.device, self.session) = (server, device, session)
        (self.loader, self.persistentKeys) = (loader, persistentKeys)
        let clock = server.clock
        delegate = Delegate(persistentKeys, clock)
        running = clock.startTask { await loader.run() }
        // The session's own timer is a task that the clock does not know.
        observer = clock.time.addObserver { [weak session] in
            guard let session else { return }
            clock.startTask { await session.checkDeadlines() }
        }
    }

    deinit {
        running.cancel()
        server.clock.time.removeObserver(observer)
    }

    // MARK: Keys

    /// Requests a key as a player does, and waits until it is loaded.
    ///
    /// - Parameters:
    ///   - identifier: The URI of the EXT-X-KEY tag, such as `skd://movie`.
    ///   - isPersistable: True for a persistent key, which is stored in ``persistentKeys``.
    /// - Throws: `KeyFailure` if the loader could not load the key, with its kind, status and reason; `ContentKeyError`
    ///   if the device rejects the response.
    @discardableResult
    public func key(for identifier: String, isPersistable: Bool = false) async throws -> ContentKey {
        let start = await loader.errorLog.entries.count
        do {
            return try await driving { client throws(ContentKeyError) in
                try await client.loadedKey(for: identifier, isPersistable: isPersistable)
            }
        } catch {
            throw await failure(of: identifier, since: start, error)
        }
    }

    private func loadedKey(for identifier: String, isPersistable: Bool) async throws(ContentKeyError) -> ContentKey {
        await session.setDelegate(delegate)
        try await session.addContentKeyRecipient(recipient)
        return try await session.contentKey(
            identifier: identifier,
            options: ContentKeyRequestOptions(isPersistable: isPersistable),
            for: recipient
        )
    }

    /// Returns the loader's failure for an identifier, which says more than the session's error.
    private func failure(of identifier: String, since start: Int, _ error: ContentKeyError) async -> any Error {
        guard error.code == .noResponse else { return error }
        let entries = await loader.errorLog.entries.dropFirst(start)
        return entries.last { $0.label == KeyLabel(identifier) && $0.retryAfter == nil }?.failure ?? error
    }

    /// Requests a key as a player does, and starts playback with it.
    ///
    /// - Returns: The key. ``contentKey(of:)`` returns what the device would decrypt with it.
    /// - Throws: The errors of ``key(for:isPersistable:)``; `ContentKeyError` if playback cannot start, or if the store of
    ///   persistent keys reports an error for a replaced key.
    @discardableResult
    public func play(_ identifier: String, isPersistable: Bool = false) async throws -> ContentKey {
        let key = try await key(for: identifier, isPersistable: isPersistable)
        try await driving { client throws(ContentKeyError) in
            try await key.beginPlayback()
            try await client.delegate.save()
        }
        return key
    }

    /// Requests keys before they are needed, and waits until each is loaded or has failed.
    public func preload(_ identifiers: [String]) async {
        let start = await loader.errorLog.entries.count
        try? await driving { client throws(ContentKeyError) in
            await client.loader.preload(identifiers)
            let clock = client.server.clock
            let end = clock.elapsed + Self.preloadDeadline
            while clock.elapsed < end, await client.isLoading(identifiers, since: start) {
                do {
                    try await clock.sleep(until: clock.now.advanced(by: .milliseconds(10)), tolerance: nil)
                } catch {
                    return
                }
            }
        }
    }

    private func isLoading(_ identifiers: [String], since start: Int) async -> Bool {
        let failed = await loader.errorLog.entries.dropFirst(start).filter { $0.retryAfter == nil }.map(\.label)
        for identifier in identifiers where !failed.contains(KeyLabel(identifier)) {
            if await session.hasKey(for: identifier) != true { return true }
        }
        return false
    }

    /// Returns the content key that the device decrypts content with; compare it with
    /// ``TestKeyServer/contentKey(for:)``.
    ///
    /// - Throws: `ContentKeyError` if the key cannot decrypt content now: playback has not started, the lease has
    ///   ended, or the display is not sufficient.
    public func contentKey(of key: ContentKey) throws(ContentKeyError) -> TestContentKey {
        var content: TestContentKey?
        switch key.protectedKey {
        case let key as DeviceKey:
            do throws(FPSError) {
                let found = try key.contentKey()
                content = TestContentKey(key: found.key.reveal(), initializationVector: found.iv)
            } catch {
                throw ContentKeyError(
                    .init(rawValue: error.name),
                    .device,
                    reason: error.reason,
                    number: error.code
                )
            }
        case let key as ScriptedKey where key.isUsable: content = key.contentKey
        default: break
        }
        guard let content else {
            throw ContentKeyError(key.stopCause == .leaseExpired ? .leaseExpired : .keyNotLoaded, .session)
        }
        return content
    }

    /// Changes the output route of the content. The new route needs separate keys, which cannot be persistent.
    public func setRoute(_ route: ContentKeyRoute) async { await session.setRoute(route) }

    /// Ends the session, as when the app closes its player: its keys stop. Without this call they stop with the server.
    public func end() async {
        try? await driving { client throws(ContentKeyError) in
            try? await client.delegate.save()
            await client.session.expire()
        }
        running.cancel()
    }

    /// Runs a function while the clock moves.
    private func driving<Value: Sendable>(
        _ body: @escaping @Sendable (TestKeyClient) async throws(ContentKeyError) -> Value
    ) async throws(ContentKeyError) -> Value {
        do {
            return try await server.clock.run { try await body(self) }
        } catch {
            throw error as? ContentKeyError ?? ContentKeyError(.cancelled, .request)
        }
    }
}
