#if canImport(AVFoundation)
public import AVFoundation
public import ContentKeySession
import Locking

/// An AVContentKeySession for a key loader, on Apple's platforms.
///
///     let session = PlatformContentKeySession(.fairPlayStreaming)
///     let loader = KeyLoader(source: session, service: service, transport: URLSessionTransport())
///     async let running: Void = loader.run()
///     session.platform.addContentKeyRecipient(asset)      // before the asset loads anything
///
/// This object is the delegate of its session. The other notifications of a delegate are available as ``events``.
///
/// In a simulator and in a preview, FairPlay Streaming does not exist. The session can be created there and has clear
/// keys; a FairPlay request fails with ``ContentKeySession/ContentKeyError/Code/notAvailableInSimulator``.
public final class PlatformContentKeySession: ContentKeySource {
    let core: SessionCore

    /// AVFoundation's session, to add recipients to. Do not set another delegate.
    public var platform: AVContentKeySession { core.session.object }

    /// Starts a session.
    ///
    /// - Parameters:
    ///   - keySystem: The method of key delivery.
    ///   - settings: The storage, timeouts and options of the session.
    public init(
        _ keySystem: ContentKeySystem = .fairPlayStreaming,
        settings: PlatformSessionSettings = PlatformSessionSettings()
    ) {
        if let directory = settings.storageDirectory {
            // If it cannot be created, AVFoundation keeps no reports; keys are not affected.
            try? FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        }
        core = SessionCore(keySystem, settings, PlatformEnvironment.forNewSessions.get())
    }

    deinit { core.detach() }

    /// True if the key system is available in this process: false for FairPlay Streaming in a simulator.
    public var isAvailable: Bool { platform.keySystem == core.keySystem.platform }

    /// The requests as they are made. Each access starts a new sequence, which begins with the requests without a
    /// response.
    public var requests: AsyncStream<any ContentKeyLoading> { core.broadcast.sequence() }

    /// The events from now on. Each access starts a new sequence.
    public var events: AsyncStream<PlatformContentKeyEvent> { core.events.sequence() }

    /// Requests a key before it is needed. AVFoundation does nothing if the key is loaded.
    public func processContentKeyRequest(
        identifier: String,
        initializationData: [UInt8]?,
        options: ContentKeyRequestOptions
    ) async {
        guard !core.isEnded else { return }
        guard isAvailable else {
            return core.events.add(
                .didFail(identifier: identifier, ContentKeyError(.notAvailableInSimulator, .device))
            )
        }
        // A string: AVFoundation compares it with the URI in the playlist.
        platform.processContentKeyRequest(
            withIdentifier: identifier,
            initializationData: initializationData.map { Data($0) },
            options: nil
        )
    }

    /// Requests the renewal of a key's lease. Does nothing if this session has not loaded the key.
    public func renewExpiringResponseData(for identifier: String) async {
        guard !core.isEnded, let request = core.requestThatLoaded(identifier) else { return }
        platform.renewExpiringResponseData(for: request)
    }

    /// Returns true if this session has loaded a key; nil if it is not known, because another output may need a key of
    /// its own.
    public func hasKey(for identifier: String) async -> Bool? { core.hasLoaded(identifier) ? true : nil }

    /// Revokes a loaded key, so that AVFoundation requests it again when it is needed. Playback with the key fails.
    /// Stored keys are not affected.
    ///
    /// - Returns: False if the key is not loaded, or if the system is older than iOS 17.4, macOS 14.4, tvOS 17.4 or
    ///   visionOS 1.1: then only a new session can request the key again.
    @discardableResult
    public func revokeKey(for identifier: String) -> Bool {
        guard #available(iOS 17.4, macOS 14.4, tvOS 17.4, visionOS 1.1, *),
            let key = core.requestThatLoaded(identifier)?.contentKey
        else { return false }
        key.revoke()
        core.note(unloaded: identifier)
        return true
    }

    /// Loads keys with a loader and waits until they are loaded, for example the keys of a live channel's next program.
    /// Keys that this session has loaded are skipped.
    ///
    /// - Throws: The error of the first key by identifier; ``ContentKeyError/Code/timedOut`` if AVFoundation reports no
    ///   result for it before the timeout; ``ContentKeyError/Code/sessionExpired`` or
    ///   ``ContentKeyError/Code/cancelled`` if the session ends or the task is cancelled.
    public func load(_ identifiers: [String], by loader: KeyLoader) async throws(ContentKeyError) {
        let results = await results(of: Set(identifiers), by: loader)
        for (_, result) in results.sorted(by: { $0.key < $1.key }) { try result.get() }
    }

    /// Loads keys and returns the result for each.
    func results(
        of identifiers: Set<String>,
        by loader: KeyLoader
    ) async -> [String: Result<Void, ContentKeyError>] {
        let events = events
        let missing = identifiers.filter { !core.hasLoaded($0) }
        var results: [String: Result<Void, ContentKeyError>] = [:]
        for identifier in identifiers.subtracting(missing) { results[identifier] = .success(()) }
        guard !missing.isEmpty else { return results }
        guard isAvailable else {
            for key in missing { results[key] = .failure(ContentKeyError(.notAvailableInSimulator, .device)) }
            return results
        }
        await loader.preload(missing.sorted())
        let settings = core.settings
        let received = Lock(results)
        let other: ContentKeyError = await withTaskGroup(of: ContentKeyError.self) { group in
            group.addTask { await Self.collect(missing, from: events, into: received) }
            group.addTask {
                guard (try? await settings.clock.sleep(for: settings.loadTimeout)) != nil else {
                    return ContentKeyError(.cancelled, .session)
                }
                let reason = "AVFoundation reported no result: it does not request a key that it has loaded before"
                return ContentKeyError(.timedOut, .session, reason: reason)
            }
            let first = await group.next() ?? ContentKeyError(.cancelled, .session)
            group.cancelAll()
            return first
        }
        results = received.withLock { $0 }
        for identifier in missing where results[identifier] == nil { results[identifier] = .failure(other) }
        return results
    }

    /// Collects the results of keys. Returns when there is one for each; otherwise the error for the others.
    private static func collect(
        _ identifiers: Set<String>,
        from events: AsyncStream<PlatformContentKeyEvent>,
        into results: Lock<[String: Result<Void, ContentKeyError>]>
    ) async -> ContentKeyError {
        var missing = identifiers
        for await event in events {
            switch event {
            case .didSucceed(let identifier, _) where missing.contains(identifier):
                missing.remove(identifier)
                results.withLock { $0[identifier] = .success(()) }
            case .didFail(let identifier, let error) where missing.contains(identifier):
                missing.remove(identifier)
                results.withLock { $0[identifier] = .failure(error) }
            default: break
            }
            if missing.isEmpty { break }
        }
        return ContentKeyError(Task.isCancelled ? .cancelled : .sessionExpired, .session)
    }

    /// Ends the session and its keys.
    public func expire() { core.expire() }

    /// The identifier of this playback session for the server; nil before there is one.
    public var contentProtectionSessionIdentifier: [UInt8]? {
        platform.contentProtectionSessionIdentifier.map { Array($0) }
    }
}
#endif
