import FPSCrypto
import Testing
import VirtualDevice

@Suite("Persistent keys")
struct PersistentKeyTests {
    let bench: Bench

    init() throws { bench = try Bench() }

    private func play(_ sealed: [UInt8]) throws -> DeviceKey {
        let key = try bench.device.loadPersistentKey(sealed)
        try key.startPlaying()
        #expect(try key.givesTestKey)
        return key
    }

    @Test("An unlimited key can be played at any time")
    func unlimited() throws {
        let sealed = try bench.persistentKey(.persistent)
        for _ in 0..<3 {
            let key = try play(sealed)
            #expect(key.updatedPersistentKey == nil)
            #expect(key.assetID == Array("movie".utf8))
            key.stopPlaying()
            try key.startPlaying()
            key.stopPlaying()
            bench.clock.advance(by: 100_000_000)
        }
    }

    @Test("The validity of a limited key starts at acquisition: playback does not start afterwards, but can continue")
    func limited() throws {
        let sealed = try bench.persistentKey(.persistent(rental: 3600))
        bench.clock.advance(by: 3599)
        let key = try play(sealed)
        let waiting = try bench.device.loadPersistentKey(sealed)
        bench.clock.advance(by: 1)
        #expect(try key.givesTestKey)
        key.stopPlaying()
        #expect(throws: FPSError.persistentKeyExpired) { try key.startPlaying() }
        #expect(throws: FPSError.persistentKeyExpired) { try waiting.startPlaying() }
        #expect(waiting.status == .expired)
        #expect(throws: FPSError.persistentKeyExpired) { try bench.device.loadPersistentKey(sealed) }
        #expect(FPSError.persistentKeyExpired.code == -42800)
    }

    @Test("A limit of zero means no limit")
    func zero() throws {
        let sealed = try bench.persistentKey(.persistent(rental: 0))
        bench.clock.advance(by: 1_000_000_000)
        _ = try play(sealed)
    }

    @Test("A CKC without persistence yields no persistent key, but still an online key")
    func notAllowed() throws {
        for block: TinyServer.Block? in [nil, .lease(60), .rental(60), .both(lease: 60, rental: 60)] {
            let request = try bench.request()
            let ckc = try bench.answer(request, block.map { [$0] } ?? [])
            #expect(throws: FPSError.persistenceNotAllowed) {
                try bench.device.makePersistentKey(ckc: ckc, for: request)
            }
            try bench.device.process(ckc: ckc, for: request).startPlaying()
        }
    }

    @Test("A device without persistent keys can still play")
    func noStore() throws {
        let bench = try Bench(.appleTV)
        let request = try bench.request()
        let ckc = try bench.answer(request, [.persistent])
        #expect(throws: FPSError.persistenceNotAllowed) { try bench.device.makePersistentKey(ckc: ckc, for: request) }
        let key = try bench.device.process(ckc: ckc, for: request)
        try key.startPlaying()
        key.stopPlaying()
        #expect(key.status == .discarded, "an ordinary key, although the CKC allows persistence")
    }

    @Test("An invalid CKC yields no persistent key")
    func invalidCKC() throws {
        #expect(throws: FPSError.invalidCKC) {
            try bench.persistentKey(.persistent, .offlineKey(storage: 1, playback: 1))
        }
    }

    @Test("Every changed byte and every truncation of a persistent key is refused")
    func tampered() throws {
        let sealed = try bench.persistentKey(.offlineKey(storage: 60, playback: 60))
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 0x01
            #expect(throws: FPSError.invalidPersistentKey) { try bench.device.loadPersistentKey(changed) }
            #expect(throws: FPSError.invalidPersistentKey) {
                try bench.device.loadPersistentKey(Array(sealed[..<index]))
            }
        }
        _ = try play(sealed)
        #expect(FPSError.invalidPersistentKey.code == -42803)
    }

    @Test("A persistent key does not show the content key")
    func opaque() throws {
        let sealed = try bench.persistentKey(.persistent)
        let windows = (0...sealed.count - 16).map { Array(sealed[$0..<$0 + 16]) }
        #expect(!windows.contains(TestCKC.contentKey))
    }

    @Test("Another device cannot use the key, not even a device of the same kind")
    func otherDevice() throws {
        let sealed = try bench.persistentKey(.persistent)
        let other = try Bench(seed: 2)
        #expect(throws: FPSError.invalidPersistentKey) { try other.device.loadPersistentKey(sealed) }
        // A device with the secret but without its memory: the key is authentic, but has no record.
        let reset = try Bench(seed: 1)
        #expect(reset.device.hu(for: .local) == bench.device.hu(for: .local))
        #expect(throws: FPSError.invalidPersistentKey) { try reset.device.loadPersistentKey(sealed) }
    }

    @Test("After a security update old keys are no longer supported, but new keys are")
    func securityUpdate() throws {
        let sealed = try bench.persistentKey(.persistent)
        bench.device.installSecurityUpdate()
        #expect(throws: FPSError.persistentKeyOutdated) { try bench.device.loadPersistentKey(sealed) }
        #expect(FPSError.persistentKeyOutdated.code == -42799)
        _ = try play(try bench.persistentKey(.persistent))
        var tampered = sealed
        tampered[sealed.count - 1] ^= 1
        #expect(throws: FPSError.invalidPersistentKey) { try bench.device.loadPersistentKey(tampered) }
    }

    @Test("A persistent key contains its HDCP requirement")
    func hdcp() throws {
        let sealed = try bench.persistentKey(.persistent, .hdcp(OutputTests.type1))
        bench.device.display = .hdcpType0
        let key = try bench.device.loadPersistentKey(sealed)
        #expect(throws: FPSError.outputRestricted) { try key.startPlaying() }
    }

    @Test("A persistent key cannot be renewed, because it has no lease")
    func renewal() throws {
        let key = try play(try bench.persistentKey(.persistent))
        #expect(throws: FPSError.spcCreationFailed) { try bench.device.makeSPC(renewing: key) }
    }
}
