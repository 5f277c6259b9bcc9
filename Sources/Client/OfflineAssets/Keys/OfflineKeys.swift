public import ContentKeySession
public import StreamPlayer

/// The keys of downloaded titles: gets them before a download, answers for them when a title is played without a network,
/// has them renewed, and gives them back.
///
/// The device alone decides whether a key may be used, the server alone whether there is another. This keeps the keys,
/// carries what the one says to the other, and writes down what happened.
public struct OfflineKeys: Sendable {
    /// Which time it is, and by what is waited.
    public struct Clocks: Sendable {
        /// Measures deadlines and leases of sessions.
        public var session: any Clock<Duration> = ContinuousClock()
        /// Measures the key loader's pauses.
        public var loader: any Clock<Duration> = ContinuousClock()
        /// Seconds since 1970: what the ledger takes for the time.
        public var now: @Sendable () -> Int64

        /// The system's clocks, but for the time.
        public init(now: @escaping @Sendable () -> Int64) { self.now = now }
    }

    /// Where keys are kept.
    public let store: KeptKeyStore
    /// What uses them.
    public let device: any KeptKeyDevice
    /// Where they come from; nil: nobody is asked.
    public let service: OfflineKeyService?
    let transport: any KeyTransport
    let clocks: Clocks
    let content: @Sendable (any ProtectedContentKey) throws -> PlayableKey

    /// Puts together what keys are kept with.
    ///
    /// - Parameters:
    ///   - service: where keys come from; nil: nobody is asked, as without a network.
    ///   - content: takes the content key out of a device's key, as ``PlayerKeySystems/content``.
    public init(
        store: KeptKeyStore,
        device: any KeptKeyDevice,
        service: OfflineKeyService?,
        transport: any KeyTransport,
        clocks: Clocks,
        content: @escaping @Sendable (any ProtectedContentKey) throws -> PlayableKey
    ) {
        (self.store, self.device, self.service, self.transport) = (store, device, service, transport)
        (self.clocks, self.content) = (clocks, content)
    }

    /// Who is asked for a title's keys.
    public enum Reach: Sendable, Hashable {
        /// Only what is kept. Nothing is sent.
        case keptAlone
        /// What is kept; the server where the device does not take that, or nothing is.
        case keptThenServer
        /// The server, and what it gives takes the place of what is kept.
        case serverAlone
    }

    /// What a title is played with. Ask for one for each playback.
    public func playback(of title: String, _ reach: Reach) -> OfflinePlayback {
        OfflinePlayback(self, title: title, reach: service == nil ? .keptAlone : reach)
    }
}

/// A key server, as what is kept needs it.
public struct OfflineKeyService: Sendable {
    /// Certificate and licenses.
    public var keys: KeyService
    /// Where a challenge for a secure invalidation is had.
    public var challengeURL: String

    /// Describes a server.
    public init(keys: KeyService, challengeURL: String) { (self.keys, self.challengeURL) = (keys, challengeURL) }

    /// The routes of Keyway's server.
    ///
    /// - Parameter server: such as `https://keys.example`, without a slash at its end.
    public static func keyway(
        _ server: String,
        token: @escaping @Sendable (KeyService.Purpose) async throws -> PlaybackToken? = { _ in nil }
    ) -> OfflineKeyService {
        OfflineKeyService(keys: .keyway(server, token: token), challengeURL: server + "/fps/challenge")
    }
}

/// A network that is cut.
struct NoNetwork: KeyTransport {
    func send(_: KeyTransportRequest) async throws(KeyTransportError) -> KeyTransportAnswer { throw .noConnection }
}
