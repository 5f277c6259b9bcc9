import FPSCrypto
import KeyServerModule
import KeyStore
import KeyStoreTestSupport
import ServerCrypto
import TextCoding
import VirtualDevice

@testable import KeyServer

/// A complete key server on separate ports, with an in-memory store, and with virtual devices.
struct LicenseServer: Sendable {
    static let token = "a token of more than thirty-two characters"
    static let asset = Array("movie".utf8)
    /// The initial time of its clock.
    static let time: Int64 = 1_800_000_000

    let running: RunningApplication
    let store: any KeyServerStore
    let log: LogRecorder
    let certificate: X509Certificate
    let contentKey: SecretBytes
    let clock: ManualDeviceClock
    let pool: BoundedWorkPool

    static let ask = SecretBytes(copying: Array("development ask!".utf8))
    var ask: SecretBytes { Self.ask }
    private static let privateKey = Result { try RSAPrivateKey.generate(bits: 2048) }

    /// Runs a server while `test` runs. It trusts the X-Forwarded-For header of every client.
    ///
    /// - Parameters:
    ///   - rates: The rate limits, with a clock that does not advance; nil means none.
    ///   - nanoseconds: The monotonic clock.
    static func run(
        pool: BoundedWorkPool = BoundedWorkPool(threads: 2, capacity: 64),
        authorizer: any PlaybackAuthorizer = AccountAuthorizer(),
        rates: RateLimits? = nil,
        nanoseconds: (@Sendable () -> Int64)? = nil,
        encoderWork: EncoderWork = EncoderWork(threads: 1, capacity: 64),
        rules: LicenseRequestRules = LicenseRequestRules(),
        configure: (inout ServerConfiguration) -> Void = { _ in },
        _ test: @Sendable (LicenseServer) async throws -> Void
    ) async throws {
        let key = try privateKey.get()
        let certificate = try X509Certificate.selfSigned(subject: "Test", key: key, days: 30)
        let bundle = try CertificateBundle(
            name: "app",
            kind: .development,
            certificate: certificate,
            privateKey: key,
            derivation: .dask(DevelopmentDASk(ask: ask)!)
        )
        var random = SecureRandom()
        let contentKey = SecretBytes(count: 16, randomFrom: &random)
        let clock = ManualDeviceClock(now: time)
        var setup = TestApplication()
        setup.pool = pool
        setup.bundles = BundleCache(try KSM(bundles: [bundle]))
        setup.configuration.limits.rates = rates ?? .unlimited
        setup.configuration.licenses.requests = rules
        configure(&setup.configuration)
        setup.environment.authorizer = authorizer
        setup.environment.encoderWork = encoderWork
        setup.environment.time.milliseconds = { clock.now * 1_000 }
        if let nanoseconds { setup.environment.time.nanoseconds = nanoseconds }
        if rates != nil { setup.environment.time.nanoseconds = { 0 } }
        try await setup.run { [setup] running in
            let server = LicenseServer(
                running: running,
                store: setup.store,
                log: setup.log,
                certificate: certificate,
                contentKey: contentKey,
                clock: clock,
                pool: pool
            )
            try await server.store.putContent(server.record(asset: asset), replacing: false)
            try await test(server)
        }
    }

    /// The port of the listener that serves a path.
    func port(of path: String) -> Int {
        let prefixes = ["/admin", "/dashboard", "/openapi.json", "/metrics", "/speke"]
        return prefixes.contains { path.hasPrefix($0) } ? running.adminPort : running.port
    }

    var application: KeyServerApplication { running.application }
    var adminPort: Int { running.adminPort }

    /// Returns the metrics in their text format.
    func exposition() async throws -> String { try await send("GET", "/metrics").text }

    func record(asset: [UInt8], policy: String? = nil, validFrom: Int64? = nil) throws -> ContentRecord {
        try ContentRecord(
            assetID: asset,
            contentKey: contentKey,
            iv: [UInt8](repeating: 9, count: 16),
            policyName: policy,
            streamID: ContentDefaults.streamID(forAssetID: asset),
            validFrom: validFrom,
            time: clock.now
        )
    }

    func device(_ profile: DeviceProfile = .iPhone) -> FPSDevice {
        FPSDevice(profile: profile, dask: .development(ask: ask), clock: clock)
    }

    func request(
        _ device: FPSDevice,
        asset: [UInt8] = LicenseServer.asset,
        session: FPSDevice.PlaybackSession? = nil,
        state: FPSDevice.PlaybackState = .readyToStart,
        output: DeviceProfile.Output? = nil,
        _ mutations: SPCMutation...
    ) throws -> KeyRequest {
        try device.makeSPC(
            certificate: certificate.der,
            assetID: asset,
            versions: [1],
            options: .init(session: session, playbackState: state, output: output, mutations: mutations)
        )
    }

    /// Sets the policy of the asset.
    func setPolicy(_ json: String) async throws {
        try await store.putPolicy(ContentDefaults.policy(name: "terms", json: Array(json.utf8)), replacing: true)
        try await store.putContent(record(asset: LicenseServer.asset, policy: "terms"), replacing: true)
    }

    func send(
        _ method: String,
        _ path: String,
        type: String? = nil,
        _ body: [UInt8]? = nil,
        token: String? = nil,
        from address: String? = nil
    ) async throws -> ReceivedResponse {
        var headers: [String: String] = [:]
        if let address { headers["X-Forwarded-For"] = address }
        if let type { headers["Content-Type"] = type }
        if let token { headers["Authorization"] = "Bearer \(token)" }
        return try await ReceivedResponse.of(method, "http://127.0.0.1:\(port(of: path))\(path)", headers, body)
    }

    func license(
        _ spc: [UInt8],
        query: String = "",
        token: String? = nil,
        from address: String? = nil
    ) async throws -> ReceivedResponse {
        let type = "application/octet-stream"
        return try await send("POST", "/fps/license\(query)", type: type, spc, token: token, from: address)
    }

    /// Requests a batch; returns the result of each item.
    func batch(
        _ spcs: [[UInt8]],
        token: String? = nil,
        from address: String? = nil
    ) async throws -> (answer: ReceivedResponse, items: [JSONObject]) {
        let items = spcs.enumerated().map { #"{"id":\#($0.offset),"spc":"\#(Base64.encode($0.element))"}"# }
        let body = #"{"fairplay-streaming-request":{"version":1,"create-ckc":[\#(items.joined(separator: ","))]}}"#
        let type = "application/json"
        let answer = try await send(
            "POST",
            "/fps/licenses",
            type: type,
            Array(body.utf8),
            token: token,
            from: address
        )
        guard case .object(let outer)? = answer.json["fairplay-streaming-response"],
            case .array(let values)? = outer["create-ckc"]
        else { return (answer, []) }
        return (answer, values.map { if case .object(let fields) = $0 { fields } else { [:] } })
    }

    /// Returns a challenge for a Sync SPC.
    func challenge() async throws -> UInt64 {
        let given = try await send("POST", "/fps/challenge")
        guard case .string(let digits)? = given.json["challenge"], let challenge = UInt64(digits, radix: 16) else {
            throw LicenseServerError()
        }
        return challenge
    }

    /// Requests a persistent key for the asset.
    func keep(_ device: FPSDevice) async throws -> [UInt8] {
        let request = try request(device)
        let answer = try await license(request.spc, query: "?persist=true")
        guard answer.status == 200 else { throw LicenseServerError() }
        return try device.makePersistentKey(ckc: answer.body, for: request)
    }

    func auditOutcomes() async throws -> [String] {
        try await store.auditEntries(before: nil, limit: 100).map(\.record.outcome).reversed()
    }
}

/// Uses the token as the name of the account, and lets a test set permissions.
struct AccountAuthorizer: PlaybackAuthorizer {
    var change: @Sendable (inout PlaybackAuthorization) -> Void = { _ in }

    func authorize(_ request: PlaybackRequest) async throws -> PlaybackAuthorization {
        var authorization = PlaybackAuthorization(account: request.token ?? "viewer", expires: request.now + 3_600)
        change(&authorization)
        return authorization
    }
}
