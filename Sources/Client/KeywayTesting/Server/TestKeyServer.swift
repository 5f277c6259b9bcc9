public import ContentKeySession
import FPSCrypto
import Locking

/// A key server in the process of a test: Keyway's Key Server Module with a test certificate, behind the routes and
/// formats of Keyway's server. It is also the transport that an app sends its key requests with, so a test needs no
/// network, no credentials and no Apple device.
///
///     let server = TestKeyServer()
///     let client = server.makeClient()
///     let key = try await client.key(for: "skd://movie")
///
/// Every asset ID has a key, until ``removeContent(_:)`` removes it. ``policy`` and ``setPolicy(_:for:)`` decide on the
/// terms, ``inject(_:on:)`` injects faults, and ``requests`` contains what the app sent. To test an app's own sessions
/// and loaders, use ``service(token:)``, the server as their transport, and ``clock`` as their clock.
///
/// Real devices do not accept its licenses, and its private key is public.
public final class TestKeyServer: KeyTransport {
    /// A route of the server.
    public enum Route: String, Sendable, Hashable, CaseIterable {
        /// `GET /fps/certificate`, the application certificate.
        case certificate = "/fps/certificate"
        /// `POST /fps/license`, one license, or a report about a persistent key.
        case license = "/fps/license"
        /// `POST /fps/licenses`, several licenses.
        case batch = "/fps/licenses"
        /// `POST /fps/challenge`, a challenge for the proof that a persistent key was deleted.
        case challenge = "/fps/challenge"
        /// Any other address. The server answers with status 404.
        case other = ""
    }

    struct State: Sendable {
        var protocolVersions: Set<UInt32> = [1]
        var titleID: [UInt8]?
        var policy = TestKeyPolicy.streaming
        var policies: [String: TestKeyPolicy] = [:]
        var keys: [String: TestContentKey] = [:]
        var removed: Set<String> = []
        var acceptedTokens: Set<String>?
        var expiredTokens: Set<String> = []
        var faults: [(route: Route?, fault: ServerFault)] = []
        var lastingFaults: [(route: Route?, fault: ServerFault)] = []
        var requests: [RecordedRequest] = []
        var reports: [OfflineKeyReport] = []
        var challenges: Set<UInt64> = []
        /// The sessions of the clients: keys end with their session, so it lives as long as the server.
        var sessions: [KeySession] = []
        /// The licenses by SPC: a retry with the same SPC gets the same response.
        var licenses: [[UInt8]: TestLicense] = [:]
    }

    /// The origin of the server's addresses.
    public let url = "https://keys.test"
    /// The clock of the server, and by default of its clients and devices.
    public let clock: TestClock
    let state = Lock(State())

    /// Creates a server.
    ///
    /// - Parameter clock: The clock of the server, its clients and their devices.
    public init(clock: TestClock = TestClock()) { self.clock = clock }

    /// The application certificate in DER. It was made for this library, not by Apple.
    public var certificate: [UInt8] { TestIdentity.certificate }

    /// Returns the addresses of the server for a key loader.
    ///
    /// - Parameter token: The function that returns the bearer token.
    public func service(
        token: @escaping @Sendable (KeyService.Purpose) async throws -> PlaybackToken? = { _ in nil }
    ) -> KeyService {
        .keyway(url, token: token)
    }

    // MARK: Content and policies

    /// The FPS protocol versions that the server supports, by default 1. A device uses the newest version that it has in
    /// common with the KEYFORMATVERSIONS of the playlist; other versions get status 400 and the problem
    /// `protocol-version`.
    public var protocolVersions: Set<UInt32> {
        get { state.withLock { $0.protocolVersions } }
        set { state.withLock { $0.protocolVersions = newValue } }
    }

    /// The ID of the title to which all assets belong, 16 bytes: a device that invalidates a persistent key with two
    /// expiry periods then invalidates those of all assets. Nil, the default, means that each asset is a title.
    public var titleID: [UInt8]? {
        get { state.withLock { $0.titleID } }
        set { state.withLock { $0.titleID = newValue } }
    }

    /// The policy of assets that have no policy of their own.
    public var policy: TestKeyPolicy {
        get { state.withLock { $0.policy } }
        set { state.withLock { $0.policy = newValue } }
    }

    /// Sets the policy of an asset; nil means ``policy``.
    ///
    /// - Parameter assetID: The asset ID: for the URI `skd://movie/hd`, `movie/hd`.
    public func setPolicy(_ policy: TestKeyPolicy?, for assetID: String) {
        state.withLock { $0.policies[assetID] = policy }
    }

    /// Returns the content key and the IV of an asset, 16 bytes each. By default they are derived from the asset ID.
    public func contentKey(for assetID: String) -> TestContentKey {
        state.withLock { $0.keys[assetID] } ?? TestContentKey(derivedFrom: assetID)
    }

    /// Sets the content key of an asset, for media that is already encrypted.
    public func setContentKey(_ key: TestContentKey, for assetID: String) {
        state.withLock { state in
            state.keys[assetID] = key
            state.removed.remove(assetID)
        }
    }

    /// Removes an asset: requests for its key get status 404 and the problem `unknown-asset`.
    public func removeContent(_ assetID: String) { state.withLock { _ = $0.removed.insert(assetID) } }

    // MARK: Tokens

    /// Accepts a playback token. From the first call on, requests without an accepted token get status 401.
    public func acceptToken(_ token: String) {
        state.withLock { state in
            state.acceptedTokens = (state.acceptedTokens ?? []).union([token])
            state.expiredTokens.remove(token)
        }
    }

    /// Lets a playback token expire: requests with it get status 401 and the problem `token-expired`.
    public func expireToken(_ token: String) {
        state.withLock { state in
            state.acceptedTokens = (state.acceptedTokens ?? []).subtracting([token])
            state.expiredTokens.insert(token)
        }
    }

    // MARK: Faults

    /// Injects faults into the next requests, one each, in this order. After them the server answers normally.
    ///
    ///     server.inject(.noConnection, .noConnection)                           // then it works again
    ///     server.inject(.rateLimited(retryAfter: .seconds(2)), on: .license)
    ///
    /// - Parameter route: The route of the requests; nil means any route, including the certificate.
    public func inject(_ faults: ServerFault..., on route: Route? = nil) {
        state.withLock { $0.faults += faults.map { (route, $0) } }
    }

    /// Injects a fault into all requests, until ``removeFaults()``. Faults of ``inject(_:on:)`` come first.
    public func injectAlways(_ fault: ServerFault, on route: Route? = nil) {
        state.withLock { $0.lastingFaults.append((route, fault)) }
    }

    /// Removes all faults: the server answers normally again.
    public func removeFaults() {
        state.withLock { state in
            state.faults = []
            state.lastingFaults = []
        }
    }

    // MARK: Records

    /// The requests so far, in the order of their arrival.
    public var requests: [RecordedRequest] { state.withLock { $0.requests } }

    /// The number of round trips for licenses so far, including failed ones.
    public var licenseRoundTrips: Int { requests.count { [.license, .batch].contains($0.route) } }

    /// The number of requests on a route so far.
    public func requestCount(on route: Route) -> Int { requests.count { $0.route == route } }

    /// The reports of devices about persistent keys (Sync) so far.
    public var offlineKeyReports: [OfflineKeyReport] { state.withLock { $0.reports } }

    /// Removes the records of requests and reports.
    public func removeRecords() {
        state.withLock { state in
            state.requests = []
            state.reports = []
        }
    }
}

/// A content key and its IV, 16 bytes each, of a ``TestKeyServer``.
public struct TestContentKey: Sendable, Hashable {
    /// The AES-128 key, 16 bytes.
    public let key: [UInt8]
    /// The IV, 16 bytes.
    public let initializationVector: [UInt8]

    /// Creates a key. Returns nil unless the key and the IV have 16 bytes each.
    public init?(key: [UInt8], initializationVector: [UInt8]) {
        guard key.count == 16, initializationVector.count == 16 else { return nil }
        (self.key, self.initializationVector) = (key, initializationVector)
    }

    init(derivedFrom assetID: String) {
        let hash = SHA256.hash(Array("Keyway test key \(assetID)".utf8))
        (key, initializationVector) = (Array(hash[..<16]), Array(hash[16..<32]))
    }
}
