import FPSCrypto
import FPSMessages
import KeyServerModule
import Testing
import VirtualDevice

/// Tests of the time after the CKC: the device enforces the limits that the server granted.
@Suite("Leases, rentals and persistent keys over time")
struct LifetimeTests {
    private let minute = Seconds(rawValue: 60)
    private let day: Int64 = 86_400

    @Test("A lease ends playback, unless it is renewed in time")
    func lease() throws {
        let stage = try Stage()
        let device = stage.device(.iPhone)
        let policy = LicensePolicy(lease: minute)
        let key = try stage.key(device, policy)
        try key.startPlaying()
        stage.clock.advance(by: 50)
        let renewal = try device.makeSPC(renewing: key)
        _ = try device.process(ckc: stage.answer(renewal.spc, policy).ckc, for: renewal)
        stage.clock.advance(by: 59)
        #expect(throws: Never.self) { try key.contentKey() }
        stage.clock.advance(by: 1)
        #expect(throws: FPSError.leaseExpired) { try key.contentKey() }
        #expect(FPSError.leaseExpired.code == -42656)
    }

    @Test("A rental cannot start after its end, and continues if playback has started")
    func rental() throws {
        let stage = try Stage()
        let policy = LicensePolicy(rental: minute)
        let playing = try stage.key(stage.device(.iPhone), policy)
        let late = try stage.key(stage.device(.iPhone), policy)
        try playing.startPlaying()
        stage.clock.advance(by: 61)
        #expect(throws: Never.self) { try playing.contentKey() }
        #expect(throws: FPSError.rentalExpired) { try late.startPlaying() }
    }

    @Test("An online key is discarded when playback stops")
    func discarded() throws {
        let stage = try Stage()
        let key = try stage.key(stage.device(.iPhone))
        try key.startPlaying()
        key.stopPlaying()
        #expect(throws: FPSError.keyDiscarded) { try key.startPlaying() }
    }

    @Test("A limited persistent key is valid for its validity period")
    func limited() throws {
        let stage = try Stage()
        let device = stage.device(.iPhone)
        let kept = try stage.persistentKey(device, LicensePolicy(persist: .limited(Seconds(rawValue: 86_400))))
        stage.clock.advance(by: day - 1)
        #expect(throws: Never.self) { try device.loadPersistentKey(kept).startPlaying() }
        stage.clock.advance(by: 1)
        #expect(throws: FPSError.persistentKeyExpired) { try device.loadPersistentKey(kept).startPlaying() }
    }

    @Test("An unlimited persistent key does not expire")
    func unlimited() throws {
        let stage = try Stage()
        let device = stage.device(.iPhone)
        let kept = try stage.persistentKey(device, LicensePolicy(persist: .unlimited))
        stage.clock.advance(by: 3650 * day)
        #expect(throws: Never.self) { try device.loadPersistentKey(kept).startPlaying() }
    }

    @Test("Dual expiry: storage until first play, then playback; the key is replaced and a Sync SPC reports it")
    func dualExpiry() throws {
        let stage = try Stage()
        let device = stage.device(.iPhone)
        let policy = LicensePolicy(
            persist: .dual(storage: Seconds(rawValue: 30 * 86_400), playback: Seconds(rawValue: 86_400), fallback: nil)
        )
        let kept = try stage.persistentKey(device, policy)
        stage.clock.advance(by: 29 * day)
        #expect(try remaining(kept, device, stage) == UInt32(day))

        let key = try device.loadPersistentKey(kept)
        try key.startPlaying()
        let updated = try #require(key.updatedPersistentKey)
        key.stopPlaying()
        #expect(throws: FPSError.invalidPersistentKey) { try device.loadPersistentKey(kept) }
        stage.clock.advance(by: day - 10)
        #expect(try remaining(updated, device, stage) == 10)
        #expect(throws: Never.self) { try device.loadPersistentKey(updated).startPlaying() }
        stage.clock.advance(by: 10)
        #expect(throws: FPSError.persistentKeyExpired) { try device.loadPersistentKey(updated).startPlaying() }
        #expect(try remaining(updated, device, stage) == 0)
    }

    /// Returns the remaining time that a Sync SPC reports to the server, which never returns a key for it.
    private func remaining(_ kept: [UInt8], _ device: FPSDevice, _ stage: Stage) throws -> UInt32? {
        let spc = try device.makeSyncSPC(for: kept, certificate: stage.certificate.der, challenge: 7)
        let opened = try stage.module.open(spc)
        #expect(throws: KSMError(.policy, .syncSPC, "")) { try stage.answer(spc) }
        guard case .version2(let report) = opened.syncReport else { return nil }
        #expect(report.serverChallenge == 7)
        #expect(report.titleID == Stage.titleID)
        #expect(report.flags.contains(.report))
        return report.expiry.rawValue
    }

    @Test("A device with only capability bit 1 gets version 1, and reports by content ID")
    func dualExpiryVersion1() throws {
        let stage = try Stage()
        var profile = DeviceProfile.iPhone
        profile.capabilities = [.hdcpEnforcement, .offlineKey]
        let device = stage.device(profile)
        let kept = try stage.persistentKey(
            device,
            LicensePolicy(persist: .dual(storage: minute, playback: minute, fallback: nil))
        )
        let spc = try device.makeSyncSPC(for: kept, certificate: stage.certificate.der)
        guard case .version1(let contentID, let expiry, _) = try stage.module.open(spc).syncReport else {
            Issue.record("no Sync report of version 1")
            return
        }
        #expect(contentID == Stage.streamID)
        #expect(expiry.rawValue == 60)
    }

    @Test("A device without the capability gets a limited key if the policy has a fallback")
    func fallback() throws {
        let stage = try Stage()
        var profile = DeviceProfile.iPhone
        profile.capabilities = [.hdcpEnforcement]
        let device = stage.device(profile)
        let policy = LicensePolicy(persist: .dual(storage: minute, playback: minute, fallback: minute))
        let kept = try stage.persistentKey(device, policy)
        #expect(throws: Never.self) { try device.loadPersistentKey(kept) }
        #expect(throws: FPSError.invalidPersistentKey) {
            try device.makeSyncSPC(for: kept, certificate: stage.certificate.der)
        }
        stage.clock.advance(by: 60)
        #expect(throws: FPSError.persistentKeyExpired) { try device.loadPersistentKey(kept) }
    }

    @Test("Secure invalidation by title reports every stream")
    func invalidation() throws {
        let stage = try Stage()
        let device = stage.device(.iPhone)
        let policy = LicensePolicy(persist: .dual(storage: minute, playback: minute, fallback: nil))
        let kept = try stage.persistentKey(device, policy)
        let spc = try device.invalidate(.title(kept), certificate: stage.certificate.der, challenge: 99)
        guard case .version2(let report) = try stage.module.open(spc).syncReport else {
            Issue.record("no Sync report of version 2")
            return
        }
        #expect(report.flags == [.secureInvalidation, .success])
        #expect(report.invalidatedStreamIDs == [Stage.streamID])
        #expect(throws: FPSError.invalidPersistentKey) { try device.loadPersistentKey(kept) }
    }
}
