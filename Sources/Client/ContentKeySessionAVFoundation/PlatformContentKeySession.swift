#if canImport(AVFoundation)
public import AVFoundation
public import ContentKeySession

/// An AVContentKeySession for a key loader, on Apple's platforms.
///
///     let session = PlatformContentKeySession(.fairPlayStreaming)
///     let loader = KeyLoader(source: session, service: service, transport: URLSessionTransport())
///     async let running: Void = loader.run()
///     session.platform.addContentKeyRecipient(asset)      // before the asset loads anything
///
/// This object is the delegate of its session. The other notifications of a delegate are available as ``events``.
public final class PlatformContentKeySession: ContentKeySource {
    /// AVFoundation's session, to add recipients to. Do not set another delegate.
    public var platform: AVContentKeySession { session.object }

    // AVContentKeySession is not Sendable. It calls its delegate on a separate queue while another thread adds
    // recipients, so it must support calls from several threads.
    let session: PlatformObject<AVContentKeySession>
    let ledger: RequestLedger
    let eventBroadcast = Broadcast<PlatformContentKeyEvent>()
    private let delegate: PlatformSessionDelegate
    private let storageDirectory: URL?

    /// Starts a session.
    ///
    /// - Parameters:
    ///   - keySystem: The method of key delivery.
    ///   - storageDirectory: The directory in which AVFoundation records sessions, so that a session that ends without
    ///     ``expire()`` is reported after the next launch; nil disables these reports.
    ///   - persistentKeys: The store in which an updated persistent key replaces the old one. Pass the same store to the
    ///     loader's settings.
    ///   - storesKey: A function that returns whether a key is stored. By default none is.
    ///   - retries: The maximum number of consecutive retries of AVFoundation for a key.
    ///   - resultTimeout: The timeout for AVFoundation to report the result of a response.
    public init(
        _ keySystem: ContentKeySystem = .fairPlayStreaming,
        storageDirectory: URL? = nil,
        persistentKeys: (any PersistentKeyStore)? = nil,
        retries: Int = 2,
        resultTimeout: Duration = .seconds(15),
        storesKey: @escaping @Sendable (String) -> Bool = { _ in false }
    ) {
        let session =
            storageDirectory.map { AVContentKeySession(keySystem: keySystem.platform, storageDirectoryAt: $0) }
            ?? AVContentKeySession(keySystem: keySystem.platform)
        self.session = PlatformObject(session)
        self.storageDirectory = storageDirectory
        ledger = RequestLedger(keySystem, resultTimeout: resultTimeout, storesKey: storesKey)
        delegate = PlatformSessionDelegate(ledger, eventBroadcast, persistentKeys, retries: retries)
        session.setDelegate(delegate, queue: DispatchQueue(label: "org.keyway.content-key-session"))
    }

    deinit {
        ledger.end()
        eventBroadcast.finish()
        delegate.end()
    }

    /// The requests as they are made. Each access starts a new sequence, which begins with the requests without a
    /// response.
    public var requests: AsyncStream<any ContentKeyLoading> { ledger.broadcast.sequence() }

    /// The events from now on. Each access starts a new sequence.
    public var events: AsyncStream<PlatformContentKeyEvent> { eventBroadcast.sequence() }

    /// Requests a key before it is needed. AVFoundation does nothing if the key is loaded.
    public func processContentKeyRequest(
        identifier: String,
        initializationData: [UInt8]?,
        options: ContentKeyRequestOptions
    ) async {
        session.object.processContentKeyRequest(
            withIdentifier: identifier,
            initializationData: initializationData.map { Data($0) },
            options: nil
        )
    }

    /// Requests the renewal of a key's lease. Does nothing if this session has not loaded the key.
    public func renewExpiringResponseData(for identifier: String) async {
        guard let request = ledger.loaded(identifier) else { return }
        session.object.renewExpiringResponseData(for: request)
    }

    /// Loads keys with a loader and waits until they are loaded, for example the keys of a title to download.
    ///
    /// - Throws: The error of a key; ``ContentKeyError/Code/sessionExpired`` or ``ContentKeyError/Code/cancelled`` if
    ///   the session ends or the task is cancelled.
    public func load(_ identifiers: [String], by loader: KeyLoader) async throws(ContentKeyError) {
        let events = events
        var missing = Set(identifiers)
        missing = missing.filter { ledger.loaded($0) == nil }
        guard !missing.isEmpty else { return }
        await loader.preload(missing.sorted())
        for await event in events {
            switch event {
            case .didSucceed(let identifier): missing.remove(identifier)
            case .didFail(let identifier, let error) where missing.contains(identifier): throw error
            default: break
            }
            if missing.isEmpty { return }
        }
        throw ContentKeyError(Task.isCancelled ? .cancelled : .sessionExpired, .session)
    }

    /// Ends the session and its keys.
    public func expire() {
        session.object.expire()
        ledger.end()
    }

    /// The identifier of this playback session for the server; nil before there is one.
    public var contentProtectionSessionIdentifier: [UInt8]? {
        session.object.contentProtectionSessionIdentifier.map { Array($0) }
    }
}
#endif
