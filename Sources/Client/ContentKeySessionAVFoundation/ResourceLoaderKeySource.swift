#if canImport(AVFoundation) && !os(visionOS)
public import AVFoundation
public import ContentKeySession
import Locking

/// FairPlay keys through AVAssetResourceLoader, for apps that do not use AVContentKeySession. A key loader answers the
/// requests for `skd://` addresses that a ``ResourceLoaderDelegate`` receives.
///
///     var settings = KeyLoaderSettings()
///     settings.lease = { _ in .seconds(300) }
///     let keys = ResourceLoaderKeySource(settings)
///     let loader = KeyLoader(source: keys, service: service, transport: URLSessionTransport(), settings: settings)
///     async let running: Void = loader.run()
///     let delegate = ResourceLoaderDelegate(keys: keys)
///     delegate.attach(to: asset)                          // before the asset loads anything
///
/// Differences from a ``PlatformContentKeySession``:
///
/// | AVContentKeySession | AVAssetResourceLoader |
/// |---|---|
/// | requests keys that the app wants in advance | only `preloadsEligibleContentKeys`, for EXT-X-SESSION-KEY tags |
/// | the app starts renewals | AVFoundation starts a renewal at the `renewalDate` of the response |
/// | reports whether the device accepted a response | only the error of the player item: ``playbackDidFail(_:of:)`` |
/// | provides the persistent key that replaces one with two expiry periods at first playback | no replacement |
///
/// Apple deprecated FairPlay through the resource loader in iOS 18, macOS 15 and tvOS 18. It does not exist in visionOS.
public final class ResourceLoaderKeySource: ContentKeySource {
    let core: ResourceLoaderKeys

    /// Creates a source of requests. Several assets can use it.
    ///
    /// - Parameters:
    ///   - settings: The settings of the key loader that answers the requests. The source uses the lease and the time
    ///     of its renewal, the deadlines, and whether there is a store of persistent keys.
    ///   - clock: The clock of the timeouts.
    ///   - now: Returns the time, for the date of a renewal.
    ///   - storesKey: Returns whether a key is persistent, by its identifier. Without a store, no key is.
    public init(
        _ settings: KeyLoaderSettings = KeyLoaderSettings(),
        clock: any Clock<Duration> = ContinuousClock(),
        now: @escaping @Sendable () -> Date = { Date() },
        storesKey: @escaping @Sendable (String) -> Bool = { _ in true }
    ) {
        core = ResourceLoaderKeys(settings, clock, now, storesKey, PlatformEnvironment.forNewSessions.get())
    }

    deinit { core.end() }

    /// The requests of AVFoundation as they are made. Each access starts a new sequence, which begins with the requests
    /// without a response.
    public var requests: AsyncStream<any ContentKeyLoading> { core.broadcast.sequence() }

    /// Does nothing: an app cannot request a key of the resource loader. Use `preloadsEligibleContentKeys` of
    /// ``ResourceLoaderDelegate/attach(to:preloadsEligibleContentKeys:)``.
    public func processContentKeyRequest(
        identifier: String,
        initializationData: [UInt8]?,
        options: ContentKeyRequestOptions
    ) async {}

    /// Does nothing: AVFoundation requests the renewal at the date that the last response contained.
    public func renewExpiringResponseData(for identifier: String) async {}

    /// Reports the error of a player item, because the resource loader does not report that a device rejects a key.
    ///
    /// | Number | Next request |
    /// |---|---|
    /// | -42799, -42800, -42803 | the stored keys of the asset are not used again: the server gives new ones, or refuses |
    /// | -42656: the lease has ended | a new license |
    ///
    /// - Returns: True if playback should be started again, with a new asset and a new player item.
    @discardableResult
    public func playbackDidFail(_ error: any Error, of asset: AVURLAsset) -> Bool {
        let failure = ContentKeyError(platform: error)
        if failure.isStoredKeyRejection { return core.rejectStoredKeys(of: asset.resourceLoader) }
        return failure.code == .leaseExpired
    }

    /// Ends the source: open requests and later ones fail, and the sequences of requests finish.
    public func end() { core.end() }
}

/// The open requests of a ``ResourceLoaderKeySource``, and the stored keys that AVFoundation has received.
final class ResourceLoaderKeys: Sendable {
    private struct State {
        var lastID: UInt64 = 0
        var open: [ObjectIdentifier: ResourceLoaderKeyRequest] = [:]
        var persistent: [PersistentKey] = []
        /// The keys that the device rejected, until they are requested again.
        var rejected: Set<String> = []
        var isEnded = false
    }

    /// A persistent key that an asset has received.
    private struct PersistentKey: @unchecked Sendable {
        // Only its identity is used.
        weak var loader: AVAssetResourceLoader?
        let identifier: String
    }

    /// More persistent keys than the assets in use have.
    private static let maximumPersistentKeys = 1024

    let settings: KeyLoaderSettings
    let clock: any Clock<Duration>
    let now: @Sendable () -> Date
    let environment: PlatformEnvironment
    let broadcast = Broadcast<any ContentKeyLoading>()
    private let storesKey: @Sendable (String) -> Bool
    private let state = Lock(State())

    init(
        _ settings: KeyLoaderSettings,
        _ clock: any Clock<Duration>,
        _ now: @escaping @Sendable () -> Date,
        _ storesKey: @escaping @Sendable (String) -> Bool,
        _ environment: PlatformEnvironment
    ) {
        (self.settings, self.clock, self.now) = (settings, clock, now)
        (self.storesKey, self.environment) = (storesKey, environment)
    }

    /// Returns whether an address is that of a FairPlay key.
    static func accepts(_ url: String) -> Bool { url.prefix(4).lowercased() == "skd:" }

    /// Starts to answer a request. Called on the delegate's queue.
    func begin(
        _ object: AVAssetResourceLoadingRequest,
        _ resource: ResourceRequest,
        of loader: AVAssetResourceLoader,
        isRenewal: Bool,
        queue: DispatchQueue
    ) {
        let stores = !isRenewal && settings.persistentKeys != nil && storesKey(resource.url)
        add(
            .init(
                object: PlatformObject(object),
                resource: resource,
                loader: PlatformObject(loader),
                queue: queue,
                isRenewal: isRenewal,
                requestsPersistableKey: stores
            )
        )
    }

    /// Passes the request on again after the device rejected its stored key.
    func retry(_ call: ResourceLoaderKeyRequest.Call) { add(call) }

    private func add(_ call: ResourceLoaderKeyRequest.Call) {
        let (request, isEnded) = state.withLock { state in
            state.lastID += 1
            let request = ResourceLoaderKeyRequest(call, id: state.lastID, core: self)
            if !state.isEnded { state.open[ObjectIdentifier(call.object.object)] = request }
            return (request, state.isEnded)
        }
        guard !isEnded else { return request.fail(PlatformFailure.sessionEnded) }
        request.startTimeout()
        broadcast.add(request, waitingAs: request.id)
        // The source may have ended in the meantime.
        if !request.isOpen { broadcast.resolve(request.id) }
    }

    /// Ends a request that AVFoundation has cancelled.
    func cancel(_ object: AVAssetResourceLoadingRequest) {
        state.withLock { $0.open[ObjectIdentifier(object)] }?.cancel()
    }

    /// Removes a request that has ended.
    func close(_ request: ResourceLoaderKeyRequest) {
        state.withLock { state in
            let key = ObjectIdentifier(request.call.object.object)
            if state.open[key] === request { state.open[key] = nil }
        }
        broadcast.resolve(request.id)
    }

    func end() {
        let open = state.withLock { state in
            state.isEnded = true
            return state.open.values.map(\.self)
        }
        for request in open { request.fail(PlatformFailure.sessionEnded) }
        broadcast.finish()
    }

    // MARK: Persistent keys

    /// Notes that an asset has received a persistent key.
    func note(persistent identifier: String, for loader: AVAssetResourceLoader) {
        state.withLock { state in
            state.persistent.removeAll { $0.loader == nil || ($0.loader === loader && $0.identifier == identifier) }
            state.persistent.append(PersistentKey(loader: loader, identifier: identifier))
            if state.persistent.count > Self.maximumPersistentKeys { state.persistent.removeFirst() }
        }
    }

    /// Marks the persistent keys of an asset as rejected. Returns false if it has received none.
    func rejectStoredKeys(of loader: AVAssetResourceLoader) -> Bool {
        state.withLock { state in
            let identifiers = state.persistent.filter { $0.loader === loader }.map(\.identifier)
            state.persistent.removeAll { $0.loader === loader }
            state.rejected.formUnion(identifiers)
            return !identifiers.isEmpty
        }
    }

    /// Returns whether the device has rejected a stored key. The key loader then remembers it.
    func takeRejection(of identifier: String) -> Bool { state.withLock { $0.rejected.remove(identifier) != nil } }
}
#endif
