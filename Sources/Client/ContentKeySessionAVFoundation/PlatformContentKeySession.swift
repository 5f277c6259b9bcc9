#if canImport(AVFoundation)
public import AVFoundation
public import ContentKeySession

/// AVContentKeySession for a key loader: the real one, on Apple's systems.
///
///     let session = PlatformContentKeySession(.fairPlayStreaming)
///     let loader = KeyLoader(source: session, service: service, transport: URLSessionTransport())
///     async let running: Void = loader.run()
///     session.platform.addContentKeyRecipient(asset)      // before the asset loads anything
///
/// It is the delegate of its session. What a delegate of one's own would be told beside requests is in ``events``.
public final class PlatformContentKeySession: ContentKeySource {
    /// AVFoundation's session, to add recipients to. Do not set another delegate.
    public var platform: AVContentKeySession { session.object }

    // AVFoundation does not call its session Sendable. Its delegate runs on a queue of its own beside the thread that adds
    // recipients, so it has to bear calls from several.
    let session: PlatformObject<AVContentKeySession>
    let ledger: RequestLedger
    let eventFeed = Feed<PlatformContentKeyEvent>()
    private let delegate: PlatformSessionDelegate
    private let storageDirectory: URL?

    /// Begins a session.
    ///
    /// - Parameters:
    ///   - keySystem: How keys are delivered.
    ///   - storageDirectory: Where AVFoundation notes sessions, so that those that end without ``expire()`` are reported at
    ///     the next start; nil: they are not.
    ///   - keptKeys: Where an updated persistable key takes the old one's place. Give the same to the loader's settings.
    ///   - keepsKey: Which keys are to be kept. By default none.
    ///   - retries: How often in a row AVFoundation may try a key again.
    ///   - patience: How long AVFoundation may take to say what became of an answer.
    public init(
        _ keySystem: ContentKeySystem = .fairPlayStreaming,
        storageDirectory: URL? = nil,
        keptKeys: (any KeptKeys)? = nil,
        retries: Int = 2,
        patience: Duration = .seconds(15),
        keepsKey: @escaping @Sendable (String) -> Bool = { _ in false }
    ) {
        let session =
            storageDirectory.map { AVContentKeySession(keySystem: keySystem.platform, storageDirectoryAt: $0) }
            ?? AVContentKeySession(keySystem: keySystem.platform)
        self.session = PlatformObject(session)
        self.storageDirectory = storageDirectory
        ledger = RequestLedger(keySystem, patience: patience, keepsKey: keepsKey)
        delegate = PlatformSessionDelegate(ledger, eventFeed, keptKeys, retries: retries)
        session.setDelegate(delegate, queue: DispatchQueue(label: "org.keyway.content-key-session"))
    }

    deinit {
        ledger.end()
        eventFeed.finish()
        delegate.end()
    }

    /// Requests as they come. Each access begins a new sequence, which starts with those that wait for an answer.
    public var requests: AsyncStream<any ContentKeyLoading> { ledger.feed.sequence() }

    /// What happens from now on. Each access begins a new sequence.
    public var events: AsyncStream<PlatformContentKeyEvent> { eventFeed.sequence() }

    /// Asks for a key before anything needs it. AVFoundation does nothing where it is loaded.
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

    /// Asks for the lease of a key to be renewed. Does nothing where the key did not come by this session.
    public func renewExpiringResponseData(for identifier: String) async {
        guard let request = ledger.loaded(identifier) else { return }
        session.object.renewExpiringResponseData(for: request)
    }

    /// Has a loader get keys, and waits until they are there: those of a title that is to be downloaded.
    ///
    /// - Throws: why one of them is not there; ``ContentKeyError/Code/sessionExpired`` and
    ///   ``ContentKeyError/Code/cancelled`` when nobody will say any more.
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

    /// Ends the session, and its keys with it.
    public func expire() {
        session.object.expire()
        ledger.end()
    }

    /// What the server knows this playback by; nil before there is one.
    public var contentProtectionSessionIdentifier: [UInt8]? {
        session.object.contentProtectionSessionIdentifier.map { Array($0) }
    }
}
#endif
