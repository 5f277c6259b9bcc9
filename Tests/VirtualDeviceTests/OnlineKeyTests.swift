import FPSCrypto
import Testing
import VirtualDevice

@Suite("Leases and rentals")
struct OnlineKeyTests {
    let bench: Bench

    init() throws { bench = try Bench() }

    @Test("A key decrypts content only during playback, and is discarded afterwards")
    func discarded() throws {
        let key = try bench.key()
        #expect(throws: FPSError.notPlaying) { try key.contentKey() }
        try key.startPlaying()
        #expect(key.status == .playing)
        #expect(try key.givesTestKey)
        try key.startPlaying()
        bench.clock.advance(by: 1_000_000_000)
        #expect(try key.givesTestKey, "no duration means no limit")
        key.stopPlaying()
        #expect(key.status == .discarded)
        #expect(throws: FPSError.keyDiscarded) { try key.contentKey() }
        #expect(throws: FPSError.keyDiscarded) { try key.startPlaying() }
    }

    @Test("An expired lease stops playback and discards the key")
    func lease() throws {
        let key = try bench.key(.lease(600))
        #expect(key.leaseEnd == bench.clock.now + 600)
        try key.startPlaying()
        bench.clock.advance(by: 599)
        #expect(try key.givesTestKey)
        bench.clock.advance(by: 1)
        #expect(key.status == .expired)
        #expect(throws: FPSError.leaseExpired) { try key.contentKey() }
        #expect(throws: FPSError.leaseExpired) { try key.startPlaying() }
        bench.clock.advance(by: -600)
        #expect(throws: FPSError.leaseExpired, "a clock put back does not bring it back") { try key.contentKey() }
    }

    @Test("A lease starts with the CKC, not with first playback")
    func leaseBeforeStart() throws {
        let key = try bench.key(.lease(600))
        bench.clock.advance(by: 600)
        #expect(key.status == .expired)
        #expect(throws: FPSError.leaseExpired) { try key.startPlaying() }
    }

    @Test("A renewal continues playback, with a new key if the CKC contains one")
    func renewal() throws {
        let key = try bench.key(.lease(600))
        try key.startPlaying()
        bench.clock.advance(by: 590)
        let request = try bench.device.makeSPC(renewing: key)
        let spc = try bench.server.open(request.spc)
        #expect(spc[.mediaPlaybackState]?[4..<8] == [0x4f, 0x83, 0x43, 0x30])
        #expect(request.session == key.session)
        #expect(spc[.assetID] == key.assetID)
        let newKey: [UInt8] = Array(100..<116)
        let ckc = try bench.answer(request, [.lease(600)]) { ckc in
            let encrypted = try? AES128.encryptBlock(newKey, key: spc.sessionKey)
            ckc[TestCKC.Tag.encryptedCK] = .init(TestCKC.Tag.encryptedCK, TestCKC.contentIV + (encrypted ?? []))
        }
        let renewed = try bench.device.process(ckc: ckc, for: request)
        #expect(renewed === key)
        bench.clock.advance(by: 599)
        #expect(try key.contentKey().key == SecretBytes(copying: newKey))
        bench.clock.advance(by: 1)
        #expect(throws: FPSError.leaseExpired) { try key.contentKey() }
    }

    @Test("A CKC for state 2 renews the terms and keeps the key")
    func stateTwo() throws {
        let key = try bench.key(.lease(600))
        try key.startPlaying()
        bench.clock.advance(by: 300)
        for contentKey in [nil, TinyServer.Block(TestCKC.Tag.encryptedCK, [UInt8](repeating: 0, count: 32))] {
            let request = try bench.device.makeSPC(renewing: key, state: .playing)
            #expect(try bench.server.open(request.spc)[.mediaPlaybackState]?[4..<8] == [0xa5, 0xd6, 0x73, 0x9e])
            let ckc = try bench.answer(request, [.lease(900)]) { $0[TestCKC.Tag.encryptedCK] = contentKey }
            _ = try bench.device.process(ckc: ckc, for: request)
        }
        bench.clock.advance(by: 899)
        #expect(try key.givesTestKey)
        bench.clock.advance(by: 1)
        #expect(throws: FPSError.leaseExpired) { try key.contentKey() }
    }

    @Test("A late renewal does not resume playback")
    func late() throws {
        let key = try bench.key(.lease(600))
        try key.startPlaying()
        let request = try bench.device.makeSPC(renewing: key)
        bench.clock.advance(by: 600)
        #expect(throws: FPSError.leaseExpired) {
            try bench.device.process(ckc: try bench.answer(request, [.lease(600)]), for: request)
        }
        #expect(throws: FPSError.leaseExpired) { try bench.device.makeSPC(renewing: key) }
        #expect(throws: FPSError.leaseExpired) { try key.contentKey() }
    }

    @Test("Only a key in use can be renewed; a halt can be reported at any time")
    func notPlaying() throws {
        let key = try bench.key(.lease(600))
        #expect(throws: FPSError.notPlaying) { try bench.device.makeSPC(renewing: key) }
        try key.startPlaying()
        let pending = try bench.device.makeSPC(renewing: key)
        key.stopPlaying()
        #expect(throws: FPSError.keyDiscarded) { try bench.device.makeSPC(renewing: key) }
        #expect(throws: FPSError.keyDiscarded) {
            try bench.device.process(ckc: try bench.answer(pending), for: pending)
        }
        let halted = try bench.device.makeSPC(renewing: key, state: .halted)
        #expect(try bench.server.open(halted.spc)[.mediaPlaybackState]?[4..<8] == [0x59, 0x91, 0xbf, 0x20])
    }

    @Test("Playback does not start after the rental has expired")
    func rentalBeforeStart() throws {
        let key = try bench.key(.rental(3600))
        bench.clock.advance(by: 3600)
        #expect(key.status == .expired)
        #expect(throws: FPSError.rentalExpired) { try key.startPlaying() }
    }

    @Test("A rental that expires during playback does not stop playback")
    func rentalDuringPlayback() throws {
        let key = try bench.key(.rental(3600))
        bench.clock.advance(by: 3599)
        try key.startPlaying()
        bench.clock.advance(by: 1_000_000)
        #expect(key.status == .playing)
        #expect(try key.givesTestKey)
        key.stopPlaying()
        #expect(throws: FPSError.keyDiscarded) { try key.startPlaying() }
    }

    @Test("Lease and rental together: the lease limits playback, the rental limits its start")
    func both() throws {
        let early = try bench.key(.both(lease: 600, rental: 300))
        bench.clock.advance(by: 299)
        try early.startPlaying()
        bench.clock.advance(by: 300)
        #expect(try early.givesTestKey)
        bench.clock.advance(by: 1)
        #expect(throws: FPSError.leaseExpired) { try early.contentKey() }
        let late = try bench.key(.both(lease: 600, rental: 300))
        bench.clock.advance(by: 300)
        #expect(throws: FPSError.rentalExpired) { try late.startPlaying() }
    }

    @Test("The key type specifies the durations that apply, and 0 means no limit")
    func types() throws {
        for block: TinyServer.Block in [
            .lease(0), .rental(0), .both(lease: 0, rental: 0), .duration(rental: 5, type: 0x1a4b_de7e),
            .duration(lease: 5, type: 0x3dfe_45a0), .duration(lease: 5, rental: 0, type: 0x3dfe_45a0),
        ] {
            let key = try bench.key(block)
            bench.clock.advance(by: 1_000_000)
            try key.startPlaying()
            bench.clock.advance(by: 1_000_000)
            #expect(try key.givesTestKey)
        }
    }

    @Test("The longest durations and extreme clock values do not cause a crash")
    func extremes() throws {
        let key = try bench.key(.both(lease: .max, rental: .max))
        try key.startPlaying()
        bench.clock.advance(by: Int64(UInt32.max) - 1)
        #expect(try key.givesTestKey)
        for now in [Int64.max, .min, -1, 0] {
            bench.clock.now = now
            _ = key.status
            _ = try bench.request()
            _ = try bench.key(.both(lease: .max, rental: .max)).status
        }
    }
}
