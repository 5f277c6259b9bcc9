public import ContentKeySession
public import StreamPlayer

/// The keys of downloaded titles: requests them before a download, provides them for offline playback, renews them, and
/// invalidates them.
///
/// Only the device decides whether a key can be used, and only the server decides whether it can be renewed. This type
/// stores the keys, passes requests and responses between device and server, and records what happened.
public struct OfflineKeys: Sendable {
    /// The clocks of the sessions, the key loader and the key history.
    public struct Clocks: Sendable {
        /// The clock for deadlines and leases of sessions.
        public var session: any Clock<Duration> = ContinuousClock()
        /// The clock for delays of the key loader.
        public var loader: any Clock<Duration> = ContinuousClock()
        /// Returns the current time for the key history, in seconds since 1970.
        public var now: @Sendable () -> Int64

        /// Creates clocks with the system's clocks and a function for the current time.
        public init(now: @escaping @Sendable () -> Int64) { self.now = now }
    }

    /// The store of keys.
    public let store: OfflineKeyStore
    /// The device that uses the keys.
    public let device: any PersistentKeyDevice
    /// The key server; nil means that no server is used.
    public let service: OfflineKeyService?
    let transport: any KeyTransport
    let clocks: Clocks
    let content: @Sendable (any ProtectedContentKey) throws -> PlayableKey

    /// Creates the keys of downloaded titles.
    ///
    /// - Parameters:
    ///   - store: The store of keys.
    ///   - device: The device that uses the keys.
    ///   - service: The key server; nil means that no server is used, as without a network.
    ///   - transport: The transport for requests to the key server.
    ///   - clocks: The clocks.
    ///   - content: A function that extracts the content key from a device's key, as in ``PlayerKeySystems/content``.
    public init(
        store: OfflineKeyStore,
        device: any PersistentKeyDevice,
        service: OfflineKeyService?,
        transport: any KeyTransport,
        clocks: Clocks,
        content: @escaping @Sendable (any ProtectedContentKey) throws -> PlayableKey
    ) {
        (self.store, self.device, self.service, self.transport) = (store, device, service, transport)
        (self.clocks, self.content) = (clocks, content)
    }

    /// The origin of the key server; nil if there is none.
    var origin: String? { (service?.keys.licenseURL).flatMap { URLOrigin($0) }?.description }

    /// The sources of a title's keys.
    public enum Reach: Sendable, Hashable {
        /// Only stored keys. No request is sent.
        case storedOnly
        /// Stored keys; the server if a key is not stored or the device rejects it.
        case storedThenServer
        /// Only the server; its keys replace the stored keys.
        case serverOnly
    }

    /// Returns the sessions to play a title with. Create them for each playback.
    public func playback(of title: String, _ reach: Reach) -> OfflinePlayback {
        OfflinePlayback(self, title: title, reach: service == nil ? .storedOnly : reach)
    }
}

/// A transport without a network connection.
struct NoNetwork: KeyTransport {
    func send(_: KeyTransportRequest) async throws(KeyTransportError) -> KeyTransportResponse { throw .noConnection }
}
