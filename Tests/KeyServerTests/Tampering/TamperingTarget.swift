import FPSCrypto
import KeyServerModule
import KeyStore
import KeyStoreTestSupport
import ServerCrypto
import VirtualDevice

@testable import KeyServer

/// A license service without HTTP, with a policy, and with virtual devices.
struct TamperingTarget: Sendable {
    let rule: TamperingRule
    let module: KSM
    let service: LicenseService
    let store: any KeyServerStore = InMemoryKeyStore()
    let certificate: X509Certificate
    let content: Content
    let policy: LicensePolicy
    private let clock = ManualDeviceClock(now: LicenseServer.time)
    private static let ask = SecretBytes(copying: Array("development ask!".utf8))
    private static let privateKey = Result { try RSAPrivateKey.generate(bits: 2048) }

    init(_ rule: TamperingRule, strict: Bool = false, pool: BoundedWorkPool) async throws {
        self.rule = rule
        let key = try Self.privateKey.get()
        certificate = try X509Certificate.selfSigned(subject: "Test", key: key, days: 30)
        let bundle = try CertificateBundle(
            name: "app",
            kind: .development,
            certificate: certificate,
            privateKey: key,
            derivation: .dask(DevelopmentDASk(ask: Self.ask)!)
        )
        module = try KSM(bundles: [bundle])
        let now = clock.now
        var time = ServerTime()
        time.milliseconds = { now * 1_000 }
        service = LicenseService(
            bundles: BundleCache(module),
            store: store,
            pool: pool,
            time: time
        )
        let json = Array(((strict ? rule.strictPolicy : nil) ?? rule.policy).utf8)
        policy = try LicensePolicy(json: json)
        let contentKey = SecretBytes(copying: Array(0..<16))
        let iv = [UInt8](repeating: 9, count: 16)
        content = Content(key: LicensedKey(key: contentKey, iv: iv)!)!
        try await store.putPolicy(ContentDefaults.policy(name: "terms", json: json), replacing: false)
        try await store.putContent(
            try ContentRecord(
                assetID: LicenseServer.asset,
                contentKey: contentKey,
                iv: iv,
                policyName: "terms",
                streamID: nil,
                time: now
            ),
            replacing: false
        )
    }

    func device(_ seed: UInt64) -> FPSDevice {
        FPSDevice(profile: rule.profile, dask: .development(ask: Self.ask), clock: clock, random: .seeded(seed))
    }

    func request(_ device: FPSDevice) throws -> KeyRequest {
        try device.makeSPC(
            certificate: certificate.der,
            assetID: LicenseServer.asset,
            versions: [1],
            options: .init(output: rule.output, mutations: rule.mutations)
        )
    }

    /// Whether a changed SPC gets a key from a server without evidence of earlier SPCs, and the device can use the key.
    func getsKey(_ spc: [UInt8], of seed: UInt64, _ policy: LicensePolicy) throws -> Bool {
        guard let opened = try? module.open(spc),
            let license = try? module.license(
                for: opened,
                content: content,
                policy: policy,
                wantsPersistable: false,
                at: LicenseServer.time
            )
        else { return false }
        // The same seed creates the same device and the same SPC, whose request can be answered again.
        let device = device(seed)
        return (try? device.process(ckc: license.ckc, for: try request(device))) != nil
    }

    /// Returns the response of the server with evidence of earlier SPCs.
    func ask(_ spc: [UInt8]) async throws -> TamperingResult {
        let authorization = PlaybackAuthorization(account: "viewer", expires: LicenseServer.time + 3_600)
        let attempt = LicenseAttempt(
            .spc(LicenseRequest(spc: spc)),
            RequestFacts(route: "/fps/license", requestID: "test", start: service.time.start()),
            authorization: authorization
        )
        do {
            guard case .license = try await service.answer(attempt) else { return .refused("sync") }
            return .license
        } catch let problem as ProblemDocument {
            return problem.type == .unreadableSPC ? .unreadable : .refused(problem.outcome)
        }
    }
}

/// The result of an SPC.
enum TamperingResult: Equatable {
    case license
    /// The response to all SPCs that cannot be decrypted.
    case unreadable
    /// Another response, which may depend on the decrypted payload.
    case refused(String)
}
