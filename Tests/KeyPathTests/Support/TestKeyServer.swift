import FPSCrypto
import Foundation
import Hummingbird
import KeyServerModule
import KeyStore
import KeyStoreSQLite
import Logging
import ServerCrypto
import ServiceLifecycle
import SimulatedClocks
import Synchronization
import VirtualDevice

@testable import KeyServer

/// A key server as in production: SQLite in a separate folder, a development certificate, tokens, policies, a port.
final class TestKeyServer: Sendable {
    /// The key ID of the Clear Key for the audio.
    static let clearKeyID = [UInt8](repeating: 0xab, count: 16)
    /// The content with its policy; "" means no policy.
    private static let contents: [(asset: String, policy: String)] = [
        ("film/audio", ""), ("film/sd", ""), ("film/hd", ""), ("film/uhd", #"{"lease":"PT60S"}"#),
        ("film/leased", #"{"lease":"PT60S"}"#), ("film/long-lease", #"{"lease":"PT600S"}"#),
        ("film/kept", #"{"persist":{"validity":"P1D"}}"#),
        ("film/at-home", #"{"airplay":"deny","adapter":"deny"}"#),
        ("film/clear", #"{"otherClients":"allow"}"#),
        ("channel/1", ""), ("channel/2", ""),
    ]
    private static let privateKeys = [0, 1].map { _ in Result { try RSAPrivateKey.generate(bits: 2048) } }

    let certificate: X509Certificate
    let ask = SecretBytes(copying: Array("development ask!".utf8))
    let keys: [String: SecretBytes]
    /// The IV of each key, 16 bytes.
    let vectors: [String: [UInt8]]
    let folder: String
    private let store: SQLiteKeyStore
    private let pool = BoundedWorkPool(threads: 1, capacity: 64)
    private let service: LicenseService
    private let bundle: CertificateBundle
    private let running = Mutex<(group: ServiceGroup, task: Task<Void, Never>)?>(nil)
    private let lastPort = Mutex(0)

    var port: Int { lastPort.withLock { $0 } }

    /// Runs a server for the duration of `test`.
    static func run(_ time: SimulatedTime, _ test: @Sendable (TestKeyServer) async throws -> Void) async throws {
        let server = try await TestKeyServer(time)
        let result: Result<Void, any Error>
        do {
            try await server.start()
            result = .success(try await test(server))
        } catch {
            result = .failure(error)
        }
        await server.stop()
        server.pool.stop()
        try? FileManager.default.removeItem(atPath: server.folder)
        try result.get()
    }

    private init(_ time: SimulatedTime) async throws {
        let key = try Self.privateKeys[0].get()
        certificate = try X509Certificate.selfSigned(subject: "Key path", key: key, days: 30)
        folder = NSTemporaryDirectory() + "/key-path-\(UUID().uuidString)"
        store = try SQLiteKeyStore(dataFolder: folder, key: .dataFolder)
        var random = SecureRandom()
        var keys: [String: SecretBytes] = [:]
        var vectors: [String: [UInt8]] = [:]
        for (asset, policy) in Self.contents {
            let name = policy.isEmpty ? nil : asset.replacingOccurrences(of: "/", with: "-")
            if let name {
                try await store.putPolicy(
                    ContentDefaults.policy(name: name, json: Array(policy.utf8)),
                    replacing: false
                )
            }
            let key = SecretBytes(count: 16, randomFrom: &random)
            keys[asset] = key
            let vector = random.bytes(16)
            vectors[asset] = vector
            let record = try ContentRecord(
                assetID: Array(asset.utf8),
                keyID: asset == "film/clear" ? Self.clearKeyID : nil,
                contentKey: key,
                iv: vector,
                policyName: name,
                streamID: ContentDefaults.streamID(forAssetID: Array(asset.utf8)),
                time: SimulatedDeviceClock.start
            )
            try await store.putContent(record, replacing: false)
        }
        (self.keys, self.vectors) = (keys, vectors)
        bundle = try CertificateBundle(
            name: "app",
            kind: .development,
            certificate: certificate,
            privateKey: key,
            derivation: .dask(DevelopmentDASk(ask: ask)!)
        )
        let clock = SimulatedDeviceClock(time: time)
        var serverTime = ServerTime()
        serverTime.milliseconds = { clock.milliseconds }
        service = LicenseService(
            bundles: BundleCache(try KSM(bundles: [bundle])),
            store: store,
            pool: pool,
            time: serverTime
        )
    }

    /// Listens, on the port of the previous start if there was one.
    ///
    /// The system gives ports from 32,768 to clients and to servers without a wish. The port is below these, so that
    /// nothing takes it between a stop and the next start.
    func start() async throws {
        guard port == 0 else { return try await listen(on: port) }
        for _ in 0..<100 {
            do { return try await listen(on: Int.random(in: 20_000..<32_768)) } catch is NotListening {}
        }
        throw NotListening()
    }

    private func listen(on port: Int) async throws {
        let router = Listener.makeRouter(proxies: TrustedProxies([]))
        let tokens = Tokens()
        LicenseRoutes(service: service, authorizer: tokens, limits: ListenerLimits()).add(to: router)
        let others = OtherClientService(licenses: service, authorizer: tokens, signer: nil)
        OtherClientRoutes(service: others, clients: [.aes128]).add(to: router)
        let (ports, onPort) = AsyncStream.makeStream(of: Int.self)
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let application = try Listener.makeApplication(
            router: router,
            host: "127.0.0.1",
            port: port,
            limits: ListenerLimits(),
            logger: logger,
            onRunning: { onPort.yield($0) }
        )
        let group = ServiceGroup(configuration: .init(services: [application], logger: logger))
        let task = Task.detached {
            try? await group.run()
            onPort.finish()
        }
        running.withLock { $0 = (group, task) }
        var iterator = ports.makeAsyncIterator()
        guard let port = await iterator.next() else { throw NotListening() }
        lastPort.withLock { $0 = port }
    }

    /// Stops the server gracefully.
    func stop() async {
        guard let (group, task) = running.withLock({ $0 }) else { return }
        running.withLock { $0 = nil }
        await group.triggerGracefulShutdown()
        await task.value
    }

    struct NotListening: Error {}

    /// Creates an iPhone whose SPCs this server accepts.
    func device(_ time: SimulatedTime, skew: Int64 = 0) -> FPSDevice {
        FPSDevice(
            profile: .iPhone,
            dask: .development(ask: ask),
            clock: SimulatedDeviceClock(time: time, skew: skew)
        )
    }

    /// Adds content whose key may be persisted, and returns the key.
    func rent(_ asset: String, policy: String, titleID: [UInt8], at time: Int64) async throws -> SecretBytes {
        let name = asset.replacingOccurrences(of: "/", with: "-")
        try await store.putPolicy(ContentDefaults.policy(name: name, json: Array(policy.utf8)), replacing: false)
        var random = SecureRandom()
        let key = SecretBytes(count: 16, randomFrom: &random)
        let record = try ContentRecord(
            assetID: Array(asset.utf8),
            contentKey: key,
            iv: random.bytes(16),
            policyName: name,
            streamID: ContentDefaults.streamID(forAssetID: Array(asset.utf8)),
            titleID: titleID,
            time: time
        )
        try await store.putContent(record, replacing: false)
        return key
    }

    /// Returns the server's record of the persistent key on the viewer's device for an asset.
    func offlineLicense(_ asset: String) async throws -> OfflineLicenseRecord? {
        try await store.offlineLicenses(account: "viewer").first { $0.assetID == Array(asset.utf8) }
    }

    /// Returns a certificate that this server does not have.
    static func foreignCertificate() throws -> [UInt8] {
        try X509Certificate.selfSigned(subject: "Another", key: privateKeys[1].get(), days: 30).der
    }
}

/// An authorizer that accepts tokens with the prefix ``good``.
struct Tokens: PlaybackAuthorizer {
    static let good = "good-secret-token"

    func authorize(_ request: PlaybackRequest) async throws -> PlaybackAuthorization {
        guard let token = request.token else { throw ProblemDocument(.tokenMissing) }
        guard token.hasPrefix(Self.good) else { throw ProblemDocument(.tokenExpired) }
        return PlaybackAuthorization(account: "viewer", expires: request.now + 3_600)
    }
}
