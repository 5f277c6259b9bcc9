#if canImport(AVFoundation)
public import ContentKeySession
public import Foundation
public import HLSPlaylist
import Locking

/// The persistent keys of downloaded titles: acquires them before a download, answers playback with them, refreshes
/// them before they end, reports them, and invalidates them.
///
/// AVFoundation does not request a key again that a session has loaded, also after the key was invalidated. So every
/// acquisition, refresh and playback has a session of its own.
///
/// The keys are stored in a ``PersistentKeyFile``, which records their histories too. For a store of your own, use a
/// ``PlatformContentKeySession`` and a `KeyLoader` instead, each with the store in the `persistentKeys` of its settings:
/// `docs/key-loader.md` has the code.
public actor PlatformPersistentKeys {
    /// The settings.
    public struct Settings: Sendable {
        /// The directory for AVFoundation's sessions.
        public var storageDirectory: URL
        /// The terms of a key by its identifier, as the app's service reports them: AVFoundation does not provide them.
        /// Without terms, the remaining time is not known, and keys are not refreshed automatically.
        public var terms: @Sendable (String) -> KeyHistoryEntry.Terms
        /// The margin before the end of a key at which it is refreshed, as a fraction of its duration, 0 to 1.
        public var refreshMargin: Double
        /// The delay after a refresh that failed.
        public var refreshRetryDelay: Duration
        /// The settings of the key loaders.
        public var loader: KeyLoaderSettings
        /// The timeouts and the clock of the sessions.
        public var session: PlatformSessionSettings
        /// Returns the time in seconds since 1970.
        public var now: @Sendable () -> Int64

        /// Creates settings.
        public init(
            storageDirectory: URL,
            terms: @escaping @Sendable (String) -> KeyHistoryEntry.Terms = { _ in .unknown }
        ) {
            (self.storageDirectory, self.terms) = (storageDirectory, terms)
            refreshMargin = 0.2
            refreshRetryDelay = .seconds(900)
            loader = KeyLoaderSettings()
            session = PlatformSessionSettings()
            now = { Int64(Date().timeIntervalSince1970) }
        }
    }

    /// The stored keys.
    public nonisolated let store: PersistentKeyFile
    private let service: OfflineKeyService
    private let transport: any KeyTransport
    private let settings: Settings
    /// The keys whose last refresh failed, with the time of the next attempt in seconds since 1970.
    private var postponed: [String: Int64] = [:]

    /// Creates the persistent keys of an app. Create one instance for each store.
    public init(
        store: PersistentKeyFile,
        service: OfflineKeyService,
        transport: any KeyTransport,
        settings: Settings
    ) {
        (self.store, self.service, self.transport, self.settings) = (store, service, transport, settings)
    }

    // MARK: Acquiring and refreshing

    /// Acquires and stores the keys that are not stored, or that the device would reject. Call it before a download:
    /// the media without its keys cannot be played.
    ///
    /// - Parameters:
    ///   - identifiers: The identifiers of the keys (the URIs of EXT-X-KEY).
    ///   - tags: The EXT-X-KEY and EXT-X-SESSION-KEY tags of the playlist, if the app has it: they declare the protocol
    ///     versions of the keys, which are stored with the keys. Without its tag, a key has version 1.
    /// - Throws: The error of the first key by identifier. After a failure of the key loader, the code is the name of
    ///   its kind: `persistence-refused` if AirPlay is on, `key-not-stored` if the key could not be stored, and
    ///   `ckc-rejected` if the device rejects the CKC, as it does (-42668) if the policy does not allow a persistent key.
    public func acquire(
        _ identifiers: [String],
        declaredBy tags: [KeyTag] = []
    ) async throws(ContentKeyError) {
        let records = try await records()
        let now = settings.now()
        let missing = identifiers.filter { identifier in
            guard let record = records[identifier], record.key != nil else { return true }
            return !record.history.state(at: now).isPlayable
        }
        let results = await request(missing, declaredBy: tags)
        for identifier in missing.sorted() { try results[identifier]?.get() }
    }

    /// Requests new keys from the server, with the protocol versions of the stored ones. A stored key is replaced only
    /// after the device has accepted the new one.
    ///
    /// - Returns: The result for each identifier. After a failure, the old key is still stored. A refusal that cannot be
    ///   recorded is in ``PersistentKeyFile/unrecordedEvents``.
    @discardableResult
    public func refresh(_ identifiers: [String]) async -> [String: Result<Void, ContentKeyError>] {
        let results = await request(identifiers)
        for (identifier, result) in results {
            guard case .failure(let error) = result else {
                postponed[identifier] = nil
                continue
            }
            postponed[identifier] = settings.now() + max(1, settings.refreshRetryDelay.components.seconds)
            if error.isRefusal, let reason = LogSafeWord(error.code.rawValue) {
                await store.noteOrReport(.renewalRefused(reason), for: identifier)
            }
        }
        return results
    }

    /// Refreshes stored keys before they end, until the task is cancelled. Keys whose renewal the server refused are
    /// skipped.
    public func run() async {
        while !Task.isCancelled {
            let now = settings.now()
            let records = (try? await store.allRecords()) ?? [:]
            let times = records.compactMapValues { refreshTime(of: $0, at: now) }
                .reduce(into: [String: Int64]()) { $0[$1.key] = max($1.value, postponed[$1.key] ?? .min) }
            let due = times.filter { $0.value <= now }.keys.sorted()
            if !due.isEmpty {
                await refresh(due)
                continue
            }
            // The stored keys may change in the meantime.
            let wait = min(times.values.min().map { $0 - now } ?? 3600, 3600)
            try? await settings.session.clock.sleep(for: .seconds(max(wait, 1)))
        }
    }

    /// Returns the time at which a key is refreshed, in seconds since 1970; nil if it is not.
    private func refreshTime(of record: PersistentKeyFile.Record, at now: Int64) -> Int64? {
        guard record.key != nil, let end = record.history.end, record.history.state(at: now).isPlayable,
            record.history.renewalRefusal == nil
        else { return nil }
        let begin = record.history.firstPlayed ?? record.history.renewed ?? record.history.issued
        let margin = Double(max(0, end - begin)) * min(max(settings.refreshMargin, 0), 1)
        return end - Int64(margin)
    }

    private func request(
        _ identifiers: [String],
        declaredBy tags: [KeyTag] = []
    ) async -> [String: Result<Void, ContentKeyError>] {
        guard !identifiers.isEmpty else { return [:] }
        let acquired = AcquiredKeys(store: store, terms: settings.terms, now: settings.now)
        let (session, loader) = makeSession(acquired, requiresPersistence: true)
        guard session.isAvailable else {
            return identifiers.reduce(into: [:]) {
                $0[$1] = .failure(ContentKeyError(.notAvailableInSimulator, .device))
            }
        }
        await loader.keysDeclared(tags)
        var results = await withTaskGroup(of: [String: Result<Void, ContentKeyError>]?.self) { group in
            group.addTask {
                await loader.run()
                return nil
            }
            group.addTask { await session.results(of: Set(identifiers), by: loader) }
            var results: [String: Result<Void, ContentKeyError>] = [:]
            for await result in group {
                guard let result else { continue }
                results = result
                break
            }
            group.cancelAll()
            return results
        }
        for identifier in identifiers {
            switch results[identifier] {
            case .success?:
                do throws(ContentKeyError) { try await acquired.commit(identifier) } catch {
                    results[identifier] = .failure(error)
                }
            case .failure?:
                if let failure = await loader.lastFailure(for: identifier) {
                    results[identifier] = .failure(ContentKeyError(failure))
                }
            case nil: results[identifier] = .failure(ContentKeyError(.cancelled, .session))
            }
        }
        return results
    }

    // MARK: Playback

    /// Returns a session that answers with stored keys, and its loader, for the playback or the download of one title.
    /// Keys that are not stored, and keys for another output such as AirPlay, are requested from the server.
    ///
    /// Run ``PersistentKeyPlayback/run()`` until playback has ended.
    public nonisolated func makePlayback() -> PersistentKeyPlayback {
        let (session, loader) = makeSession(store, requiresPersistence: false)
        return PersistentKeyPlayback(session: session, loader: loader, store: store)
    }

    private nonisolated func makeSession(
        _ keys: any PersistentKeyStore,
        requiresPersistence: Bool
    ) -> (PlatformContentKeySession, KeyLoader) {
        var sessionSettings = settings.session
        sessionSettings.storageDirectory = settings.storageDirectory
        sessionSettings.persistentKeys = keys
        sessionSettings.storesKey = { _ in true }
        var loaderSettings = settings.loader
        loaderSettings.persistentKeys = keys
        loaderSettings.requiresPersistence = requiresPersistence
        let session = PlatformContentKeySession(.fairPlayStreaming, settings: sessionSettings)
        let loader = KeyLoader(
            source: session,
            service: service.keys,
            transport: transport,
            settings: loaderSettings,
            clock: settings.session.clock
        )
        return (session, loader)
    }

    // MARK: Reporting and invalidating

    /// Reports the remaining time of a key to the server.
    ///
    /// - Returns: The server's response.
    /// - Throws: ``OfflineKeyError``; ``ContentKeyError`` if the device cannot report the key, for example because it
    ///   does not have two expiry periods.
    @discardableResult
    public func report(_ identifier: String) async throws -> SyncResponse {
        let (session, key) = try await sessionAndKey(identifier)
        let token = try await session.makeSecureTokenForExpirationDate(ofPersistableContentKey: key)
        let response = try await client.send(token, place: identifier)
        try await store.note(.reported, for: identifier)
        return response
    }

    /// Invalidates a key permanently, deletes it, and sends the proof to the server, which can then issue another one.
    ///
    /// The server is contacted first: without its challenge the proof would be worthless, and the key would be lost.
    ///
    /// - Returns: The server's response.
    /// - Throws: ``OfflineKeyError``; with the code `proof-not-delivered`, the key was invalidated and deleted, but the
    ///   server was not notified. ``ContentKeyError`` if the device cannot invalidate the key.
    @discardableResult
    public func invalidate(_ identifier: String) async throws -> SyncResponse {
        let (session, key) = try await sessionAndKey(identifier)
        let certificate = try await client.certificate()
        let context = ServerPlaybackContext(
            certificate: certificate,
            protocolVersions: await store.protocolVersions(for: identifier) ?? [1],
            serverChallenge: try await client.challenge()
        )
        let proof = try await session.invalidatePersistableContentKey(key, context: context)
        try await store.change(identifier) { _ in nil }
        do {
            return try await client.send(proof, place: identifier)
        } catch {
            throw OfflineKeyError(
                code: "proof-not-delivered",
                place: error.place,
                reason: "the key was invalidated, but the server was not notified: \(error.reason)"
            )
        }
    }

    /// Deletes stored keys without a proof for the server.
    ///
    /// - Throws: ``PersistentKeyFileError``.
    public func delete(_ identifiers: [String]) async throws {
        for identifier in identifiers { try await store.change(identifier) { _ in nil } }
    }

    private var client: SyncClient { SyncClient(service: service, transport: transport) }

    private func sessionAndKey(_ identifier: String) async throws -> (PlatformContentKeySession, [UInt8]) {
        guard let key = await store.key(for: identifier) else {
            throw OfflineKeyError(code: "not-stored", place: identifier, reason: "the key is not stored")
        }
        var sessionSettings = settings.session
        sessionSettings.storageDirectory = settings.storageDirectory
        return (PlatformContentKeySession(.fairPlayStreaming, settings: sessionSettings), key)
    }

    private func records() async throws(ContentKeyError) -> [String: PersistentKeyFile.Record] {
        do { return try await store.allRecords() } catch {
            throw ContentKeyError(.keyNotStored, .session, reason: "\(error)")
        }
    }
}

/// A playback with stored keys: a session, its loader, and the store that follows what the device reports.
public struct PersistentKeyPlayback: Sendable {
    /// The session. Add the asset as a recipient before it loads anything.
    public let session: PlatformContentKeySession
    /// The loader that answers the session's requests.
    public let loader: KeyLoader
    let store: PersistentKeyFile

    /// Answers requests, and records in the store what happens to the keys, until the session ends or the task is
    /// cancelled. What cannot be recorded is in ``PersistentKeyFile/unrecordedEvents``.
    public func run() async {
        let events = session.events
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await loader.run() }
            group.addTask {
                for await event in events {
                    switch event {
                    case .didSucceed(let identifier, true): await store.noteOrReport(.taken, for: identifier)
                    case .didRejectStoredKey(let identifier, let error):
                        await store.noteOrReport(.refused(error.code), for: identifier)
                    default: break
                    }
                }
            }
        }
    }
}

/// The keys of an acquisition. A key that replaces a stored one is stored only after the device has accepted it.
actor AcquiredKeys: VersionedPersistentKeyStore {
    private let store: PersistentKeyFile
    private let terms: @Sendable (String) -> KeyHistoryEntry.Terms
    private let now: @Sendable () -> Int64
    private var waiting: [String: (key: [UInt8], versions: [UInt32])] = [:]

    init(
        store: PersistentKeyFile,
        terms: @escaping @Sendable (String) -> KeyHistoryEntry.Terms,
        now: @escaping @Sendable () -> Int64
    ) {
        (self.store, self.terms, self.now) = (store, terms, now)
    }

    /// Nil, so that the server is asked.
    func key(for _: String) -> [UInt8]? { nil }

    func protocolVersions(for identifier: String) async -> [UInt32]? {
        await store.protocolVersions(for: identifier)
    }

    func save(_ key: [UInt8], for identifier: String) async throws {
        try await save(key, protocolVersions: protocolVersions(for: identifier) ?? [1], for: identifier)
    }

    func save(_ key: [UInt8], protocolVersions: [UInt32], for identifier: String) async throws {
        if await store.key(for: identifier) == nil {
            try await write(key, protocolVersions, identifier)
        } else {
            waiting[identifier] = (key, protocolVersions)
        }
    }

    /// Stores the key that the device has accepted.
    func commit(_ identifier: String) async throws(ContentKeyError) {
        guard let (key, versions) = waiting.removeValue(forKey: identifier) else {
            guard await store.key(for: identifier) != nil else {
                throw ContentKeyError(.keyNotStored, .session, reason: "no persistent key was created")
            }
            return
        }
        do { try await write(key, versions, identifier) } catch {
            throw ContentKeyError(.keyNotStored, .session, reason: "\(error)")
        }
    }

    private func write(_ key: [UInt8], _ versions: [UInt32], _ identifier: String) async throws {
        let time = now()
        var entry = KeyHistoryEntry(terms: terms(identifier), issued: time)
        entry.protocolVersions = versions
        try await store.change(identifier) { [entry] old in
            var record = PersistentKeyFile.Record(key: key, history: old?.history ?? entry)
            record.history.note(old == nil ? .taken : .renewed(entry), at: time)
            return record
        }
    }
}

extension ContentKeyError {
    /// Creates an error from the failure of a key loader, with its advice.
    init(_ failure: KeyFailure) {
        self.init(
            Code(rawValue: failure.kind.rawValue),
            .response,
            reason: "\(failure): \(failure.advice)",
            number: failure.platformCode?.number,
            domain: failure.platformCode?.domain
        )
    }

    /// True if the server refused the key, so that another attempt would be refused too.
    fileprivate var isRefusal: Bool { code.rawValue == KeyFailure.Kind.forbidden.rawValue }
}
#endif
