import FPSCrypto
import Testing
import VirtualDevice

/// A device, its clock and a test server.
struct Bench {
    let server: TinyServer
    let clock: ManualDeviceClock
    let device: FPSDevice

    /// The first time of the clock.
    static let start: Int64 = 1_800_000_000

    init(
        _ profile: DeviceProfile = .iPhone,
        server: Result<TinyServer, any Error> = TinyServer.rsa2048,
        seed: UInt64 = 1
    )
        throws
    {
        self.server = try server.get()
        clock = ManualDeviceClock(now: Self.start)
        device = FPSDevice(
            profile: profile,
            dask: .development(ask: self.server.ask),
            clock: clock,
            random: .seeded(seed)
        )
    }

    /// A device with a memory.
    init(memory: any DeviceMemory, clock: ManualDeviceClock = ManualDeviceClock(now: Bench.start)) throws {
        server = try TinyServer.rsa2048.get()
        self.clock = clock
        device = try FPSDevice(
            profile: .iPhone,
            dask: .development(ask: server.ask),
            memory: memory,
            clock: clock
        )
    }

    func request(_ options: FPSDevice.SPCOptions = .init(), asset: String = "movie") throws(FPSError) -> KeyRequest {
        try device.makeSPC(
            certificate: server.certificate,
            assetID: Array(asset.utf8),
            versions: [1],
            options: options
        )
    }

    /// Returns the encrypted CKC for a request, with additional blocks, after applying `spoil`.
    func answer(
        _ request: KeyRequest,
        _ extra: [TinyServer.Block] = [],
        spoil: (inout TestCKC) -> Void = { _ in }
    ) throws -> [UInt8] {
        var ckc = try TestCKC(try server.open(request.spc), extra: extra)
        spoil(&ckc)
        return try ckc.sealed()
    }

    /// Returns a key that is not persistent, with these additional blocks in its CKC.
    func key(_ extra: TinyServer.Block...) throws -> DeviceKey {
        let request = try request()
        return try device.process(ckc: try answer(request, extra), for: request)
    }

    /// Returns a persistent key, with these additional blocks in its CKC.
    func persistentKey(_ extra: TinyServer.Block...) throws -> [UInt8] {
        let request = try request()
        return try device.makePersistentKey(ckc: try answer(request, extra), for: request)
    }

    /// Renews a key, with these additional blocks in the CKC.
    func renew(
        _ key: DeviceKey,
        state: FPSDevice.PlaybackState = .leaseAboutToExpire,
        _ extra: TinyServer.Block...
    ) throws -> DeviceKey {
        let request = try device.makeSPC(renewing: key, state: state)
        return try device.process(ckc: try answer(request, extra), for: request)
    }

    /// Decrypts a Sync SPC and returns its Sync block.
    func sync(_ spc: [UInt8]) throws -> [UInt8] { try #require(try server.open(spc)[.sync]) }
}

extension DeviceKey {
    /// Returns whether the key is the key of ``TestCKC``.
    var givesTestKey: Bool {
        get throws(FPSError) {
            let content = try contentKey()
            return content.key == SecretBytes(copying: TestCKC.contentKey) && content.iv == TestCKC.contentIV
        }
    }
}
