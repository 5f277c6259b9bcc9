import FPSCrypto
import FPSMessages
import KeyServerModule
import ServerCrypto
import VirtualDevice

/// A key server without HTTP: one bundle, one content item, and the devices that request its key.
struct Stage {
    static let now: Int64 = 1_800_000_000
    static let assetID = Array("skd://movie/hd".utf8)
    static let streamID = [UInt8](repeating: 0x51, count: 16)
    static let titleID = [UInt8](repeating: 0x71, count: 16)

    let clock = ManualDeviceClock(now: Stage.now)
    let ask = SecretBytes(copying: Array("development ask!".utf8))
    let certificate: X509Certificate
    let module: KSM
    let contentKey: LicensedKey

    // RSA keys take long to generate, so all tests share one of each size.
    private static let keys: [Int: Result<RSAPrivateKey, any Error>] = [
        1024: Result { try RSAPrivateKey.generate(bits: 1024) },
        2048: Result { try RSAPrivateKey.generate(bits: 2048) },
    ]

    init(bits: Int = 2048, versions: Set<UInt32> = [1], paranoid: Bool = true) throws {
        let key = try Self.keys[bits]!.get()
        certificate = try X509Certificate.selfSigned(subject: "Stage", key: key, days: 30)
        let bundle = try CertificateBundle(
            name: "stage",
            kind: .development,
            certificate: certificate,
            privateKey: key,
            derivation: .dask(DevelopmentDASk(ask: ask)!)
        )
        var configuration = KSM.Configuration()
        configuration.protocolVersions = versions
        configuration.checksBeforeIssuing = paranoid
        module = try KSM(bundles: [bundle], configuration: configuration)
        var random = SecureRandom()
        contentKey = LicensedKey(key: SecretBytes(count: 16, randomFrom: &random), iv: random.bytes(16))!
    }

    func device(_ profile: DeviceProfile, seed: UInt64 = 1) -> FPSDevice {
        FPSDevice(profile: profile, dask: .development(ask: ask), clock: clock, random: .seeded(seed))
    }

    func request(
        _ device: FPSDevice,
        versions: [UInt32] = [1],
        _ options: FPSDevice.SPCOptions = .init()
    ) throws -> KeyRequest {
        try device.makeSPC(
            certificate: certificate.der,
            assetID: Self.assetID,
            versions: versions,
            options: options
        )
    }

    /// Returns the server's result for an SPC.
    func answer(
        _ spc: [UInt8],
        _ policy: LicensePolicy = .default,
        persistable: Bool = false
    ) throws(KSMError) -> License {
        let opened = try module.open(spc)
        return try module.license(
            for: opened,
            content: Content(key: contentKey, streamID: Self.streamID, titleID: Self.titleID)!,
            policy: policy,
            wantsPersistable: persistable,
            at: clock.now
        )
    }

    /// Requests a license and returns the key, ready to play.
    func key(
        _ device: FPSDevice,
        _ policy: LicensePolicy = .default,
        _ options: FPSDevice.SPCOptions = .init()
    ) throws -> DeviceKey {
        let request = try request(device, options)
        return try device.process(ckc: answer(request.spc, policy).ckc, for: request)
    }

    /// Requests a license and returns the persistent key.
    func persistentKey(_ device: FPSDevice, _ policy: LicensePolicy) throws -> [UInt8] {
        let request = try request(device)
        let license = try answer(request.spc, policy, persistable: true)
        return try device.makePersistentKey(ckc: license.ckc, for: request)
    }
}
