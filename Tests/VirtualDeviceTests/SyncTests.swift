import Testing
import VirtualDevice

@Suite("Sync SPCs")
struct SyncTests {
    let bench: Bench
    static let unlimited = bigEndian(UInt32.max)

    init() throws { bench = try Bench() }

    private func report(_ sealed: [UInt8], challenge: UInt64 = 0x0102_0304_0506_0708) throws -> [UInt8] {
        try bench.sync(
            try bench.device.makeSyncSPC(for: sealed, certificate: bench.server.certificate, challenge: challenge)
        )
    }

    /// Version 2 of the block without stream IDs.
    private func expected(
        flags: UInt64,
        remaining: UInt32,
        title: UInt8 = 9,
        challenge: UInt64 = 0x0102_0304_0506_0708,
        streams: [UInt8] = []
    ) -> [UInt8] {
        bigEndian(UInt32(2)) + bigEndian(UInt32(0)) + bigEndian(challenge) + bigEndian(flags)
            + [UInt8](repeating: title, count: 16) + bigEndian(remaining) + bigEndian(UInt32(streams.count))
            + streams.flatMap { [UInt8](repeating: $0, count: 16) }
    }

    @Test("Version 1 reports the content ID and the remaining time, before and after first playback")
    func version1() throws {
        let sealed = try bench.persistentKey(
            .offlineKey(version: 1, stream: 5, storage: 1000, playback: 50, title: nil)
        )
        let head = bigEndian(UInt32(1)) + bigEndian(UInt32(0)) + [UInt8](repeating: 5, count: 16)
        bench.clock.advance(by: 100)
        #expect(try report(sealed) == head + bigEndian(UInt32(900)))
        let key = try bench.device.loadPersistentKey(sealed)
        try key.startPlaying()
        let updated = try #require(key.updatedPersistentKey)
        bench.clock.advance(by: 20)
        #expect(try report(updated) == head + bigEndian(UInt32(30)))
        bench.clock.advance(by: 30)
        #expect(try report(updated) == head + bigEndian(UInt32(0)))
        #expect(throws: FPSError.invalidPersistentKey, "version 1 cannot say that a key is gone") {
            try report(sealed)
        }
    }

    @Test("Version 2 reports the challenge, REPORT and SUCCESS, the title ID and the remaining time")
    func version2() throws {
        let sealed = try bench.persistentKey(.offlineKey(storage: 1000, playback: 50))
        bench.clock.advance(by: 100)
        #expect(try report(sealed) == expected(flags: 0x1_0001, remaining: 900))
        bench.clock.advance(by: 900)
        #expect(try report(sealed) == expected(flags: 0x5_0001, remaining: 0))
    }

    @Test("A key that never expires reports 0xFFFFFFFF; a key with the longest duration reports less")
    func unlimited() throws {
        let endless = try bench.persistentKey(.offlineKey(stream: 1, storage: 0, playback: 50))
        #expect(try report(endless) == expected(flags: 0x1_0001, remaining: .max))
        let key = try bench.device.loadPersistentKey(endless)
        try key.startPlaying()
        #expect(try report(try #require(key.updatedPersistentKey)) == expected(flags: 0x1_0001, remaining: 50))
        let longest = try bench.persistentKey(.offlineKey(stream: 2, storage: .max, playback: 50))
        #expect(try report(longest) == expected(flags: 0x1_0001, remaining: .max - 1))
    }

    @Test("A replaced key is reported as not found")
    func replaced() throws {
        let sealed = try bench.persistentKey(.offlineKey(storage: 1000, playback: 50))
        try bench.device.loadPersistentKey(sealed).startPlaying()
        #expect(try report(sealed) == expected(flags: 0x2_0001, remaining: 0))
    }

    @Test("A key whose CKC had no Offline Key TLLV, or that cannot be decrypted, has no Sync SPC")
    func noOfflineKey() throws {
        for sealed in [try bench.persistentKey(.persistent), try bench.persistentKey(.persistent(rental: 60)), [], [1]]
        {
            #expect(throws: FPSError.invalidPersistentKey) { try report(sealed) }
            #expect(throws: FPSError.invalidPersistentKey) {
                try bench.device.invalidate(.stream(sealed), certificate: bench.server.certificate, challenge: 1)
            }
        }
    }

    @Test("A Sync SPC is a complete SPC for the key's asset, with the same errors as other SPCs")
    func whole() throws {
        let sealed = try bench.persistentKey(.offlineKey(storage: 1000, playback: 50))
        let certificate = bench.server.certificate
        let spc = try bench.server.open(
            try bench.device.makeSyncSPC(for: sealed, certificate: certificate, mutations: [.createdAt(7)])
        )
        #expect(spc[.assetID] == Array("movie".utf8))
        #expect(spc[.integrity] == spc.integrity)
        #expect(spc[.mediaPlaybackState]?.prefix(4) == [0, 0, 0, 7])
        #expect(throws: FPSError.missingCertificate) { try bench.device.makeSyncSPC(for: sealed, certificate: nil) }
        #expect(throws: FPSError.missingVersionList) {
            try bench.device.makeSyncSPC(for: sealed, certificate: certificate, versions: nil)
        }
    }

    // MARK: Invalidation

    private func invalidate(_ target: FPSDevice.Invalidation) throws -> [UInt8] {
        try bench.sync(
            try bench.device.invalidate(target, certificate: bench.server.certificate, challenge: 0x0102_0304_0506_0708)
        )
    }

    private func isUsable(_ sealed: [UInt8]) -> Bool { (try? bench.device.loadPersistentKey(sealed)) != nil }

    @Test("Only one stream is invalidated")
    func stream() throws {
        let one = try bench.persistentKey(.offlineKey(stream: 1, storage: 1000, playback: 50))
        let two = try bench.persistentKey(.offlineKey(stream: 2, storage: 1000, playback: 50))
        #expect(try invalidate(.stream(one)) == expected(flags: 0x1_0002, remaining: 0, streams: [1]))
        #expect(!isUsable(one))
        #expect(isUsable(two))
        #expect(try invalidate(.stream(one)) == expected(flags: 0x2_0002, remaining: 0), "not found the second time")
        #expect(try report(one) == expected(flags: 0x2_0001, remaining: 0))
    }

    @Test("A title is invalidated with all its streams; other titles are not")
    func title() throws {
        let one = try bench.persistentKey(.offlineKey(stream: 3, storage: 1000, playback: 50))
        let two = try bench.persistentKey(.offlineKey(stream: 2, storage: 1000, playback: 50))
        let other = try bench.persistentKey(.offlineKey(stream: 4, storage: 1000, playback: 50, title: 8))
        #expect(try invalidate(.title(two)) == expected(flags: 0x1_0002, remaining: 0, streams: [2, 3]))
        #expect(!isUsable(one))
        #expect(!isUsable(two))
        #expect(isUsable(other))
    }

    @Test("A key of version 1 has no title and is invalidated alone")
    func version1Alone() throws {
        let one = try bench.persistentKey(.offlineKey(version: 1, stream: 1, storage: 1000, playback: 50, title: nil))
        let two = try bench.persistentKey(.offlineKey(version: 1, stream: 2, storage: 1000, playback: 50, title: nil))
        #expect(try invalidate(.title(one)) == expected(flags: 0x1_0002, remaining: 0, title: 0, streams: [1]))
        #expect(isUsable(two))
    }

    /// A key of another app, with the stream ID and title ID that the tests use.
    private func otherAppsKey() throws -> [UInt8] {
        let other = try TinyServer.other.get()
        let request = try bench.device.makeSPC(certificate: other.certificate, assetID: [1, 2], versions: [1])
        let block = TinyServer.Block.offlineKey(stream: 1, storage: 1000, playback: 50)
        let ckc = try TestCKC(try other.open(request.spc), extra: [block]).sealed()
        return try bench.device.makePersistentKey(ckc: ckc, for: request)
    }

    @Test("Keys of another app with the same stream and title IDs are not invalidated")
    func sameIDsElsewhere() throws {
        let foreign = try otherAppsKey()
        for target in [FPSDevice.Invalidation.stream, FPSDevice.Invalidation.title] {
            let key = try bench.persistentKey(.offlineKey(stream: 1, storage: 1000, playback: 50))
            #expect(try invalidate(target(key)) == expected(flags: 0x1_0002, remaining: 0, streams: [1]))
        }
        #expect(isUsable(foreign))
    }

    @Test("All keys of the app are invalidated, and no key of another app")
    func all() throws {
        let one = try bench.persistentKey(.offlineKey(stream: 1, storage: 1000, playback: 50))
        let two = try bench.persistentKey(.offlineKey(stream: 2, storage: 1000, playback: 50, title: 8))
        let plain = try bench.persistentKey(.persistent)
        let foreign = try otherAppsKey()
        let target = FPSDevice.Invalidation.all(assetID: [1, 2])
        #expect(try invalidate(target) == expected(flags: 0x1_0004, remaining: 0, title: 0, streams: [1, 2]))
        for gone in [one, two, plain] { #expect(!isUsable(gone)) }
        #expect(isUsable(foreign))
        #expect(try invalidate(target) == expected(flags: 0x1_0004, remaining: 0, title: 0))
        #expect(throws: FPSError.invalidPersistentKey) { try invalidate(.stream(foreign)) }
        #expect(isUsable(foreign))
    }

    @Test("An expired key is invalidated too, and reported as expired")
    func expired() throws {
        let sealed = try bench.persistentKey(.offlineKey(storage: 10, playback: 50))
        bench.clock.advance(by: 10)
        #expect(try invalidate(.stream(sealed)) == expected(flags: 0x5_0002, remaining: 0, streams: [1]))
        #expect(throws: FPSError.invalidPersistentKey) { try bench.device.loadPersistentKey(sealed) }
    }

    @Test("Invalidation stops a key in use")
    func playing() throws {
        let sealed = try bench.persistentKey(.offlineKey(storage: 1000, playback: 50))
        let key = try bench.device.loadPersistentKey(sealed)
        try key.startPlaying()
        _ = try invalidate(.title(try #require(key.updatedPersistentKey)))
        #expect(throws: FPSError.invalidPersistentKey) { try key.contentKey() }
        #expect(key.status == .discarded)
    }

    @Test("A failed request invalidates nothing, and a device without the capability throws an error")
    func failures() throws {
        let sealed = try bench.persistentKey(.offlineKey(storage: 1000, playback: 50))
        #expect(throws: FPSError.missingCertificate) {
            try bench.device.invalidate(.stream(sealed), certificate: nil, challenge: 1)
        }
        #expect(throws: FPSError.invalidVersionList) {
            try bench.device.invalidate(
                .all(assetID: [1, 2]),
                certificate: bench.server.certificate,
                challenge: 1,
                versions: [9]
            )
        }
        #expect(isUsable(sealed))
        var profile = DeviceProfile.iPhone
        profile.capabilities = [.offlineKey, .offlineKeyVersion2]
        let old = try Bench(profile)
        #expect(throws: FPSError.invalidationNotSupported) {
            try old.device.invalidate(.all(assetID: [1, 2]), certificate: old.server.certificate, challenge: 1)
        }
    }
}
