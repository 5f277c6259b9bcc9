import ContentKeySession
import ContentKeySessionTesting
import FPSCrypto
import FPSMessages
import KeyServerModule
import Synchronization
import Testing
import VirtualDevice

/// Tests of the session with a real virtual device and a real KSM, with one clock for both.
@Suite("A content key session from SPC to CKC", .timeLimit(.minutes(10)))
struct SessionTests {
    private static let minute = Seconds(rawValue: 60)
    static let persistable = ContentKeyRequestOptions(isPersistable: true)
    private static let dual = LicensePolicy(persist: .dual(storage: minute, playback: minute, fallback: nil))

    @Test("A preloaded key is the server's key, and a second call makes no request")
    func online() async throws {
        let bench = try await Bench()
        let request = try await bench.ask(.init(isPreload: true))
        #expect(try await bench.answer(request) == .receivedResponse)
        let key = try await bench.key()
        try await key.beginPlayback()
        #expect(try bench.content(key) == bench.stage.contentKey.key)
        await bench.session.processContentKeyRequest(identifier: "skd://k")
        await bench.session.processContentKeyRequest(identifier: "skd://other")
        #expect(try await bench.next().identifier == "skd://other")
    }

    @Test("A CKC for another request fails with the device's error number")
    func wrongCKC() async throws {
        let bench = try await Bench()
        let request = try await bench.ask()
        let other = try bench.stage.request(bench.device)
        _ = try await bench.spc(request)
        let ckc = try bench.stage.answer(other.spc).ckc
        let status = await request.processContentKeyResponse(.init(fairPlayStreamingKeyResponseData: ckc))
        #expect(status == .failed)
        #expect((request as? ContentKeyRequest)?.error?.number == -42668)
    }

    @Test("A lease is renewed before its end with a new CKC; a cached CKC is refused")
    func renewal() async throws {
        let bench = try await Bench()
        let policy = LicensePolicy(lease: Self.minute)
        let request = try await bench.ask()
        let cached = try bench.stage.answer(try await bench.spc(request), policy).ckc
        await request.processContentKeyResponse(.init(fairPlayStreamingKeyResponseData: cached))
        let key = try await bench.key()
        try await key.beginPlayback()
        bench.stage.clock.advance(by: 50)
        await bench.session.checkDeadlines()
        let renewal = try await bench.next()
        #expect(renewal.isRenewal)
        _ = try await bench.spc(renewal)
        let status = await renewal.processContentKeyResponse(.init(fairPlayStreamingKeyResponseData: cached))
        #expect(status == .failed)

        await bench.session.renewExpiringResponseData(for: "skd://k")
        #expect(try await bench.answer(try await bench.next(), policy) == .receivedResponse)
        #expect((request as? ContentKeyRequest)?.status == .renewed)
        bench.stage.clock.advance(by: 59)
        #expect(try bench.content(key) == bench.stage.contentKey.key)
        bench.stage.clock.advance(by: 1)
        await bench.session.checkDeadlines()
        #expect(key.stopCause == .leaseExpired)
    }

    @Test("A lease is also renewed before playback has started")
    func renewalOfPreloaded() async throws {
        let bench = try await Bench()
        let policy = LicensePolicy(lease: Self.minute)
        _ = try await bench.answer(try await bench.ask(.init(isPreload: true)), policy)
        bench.stage.clock.advance(by: 50)
        await bench.session.checkDeadlines()
        #expect(try await bench.answer(try await bench.next(), policy) == .receivedResponse)
        bench.stage.clock.advance(by: 50)
        let key = try await bench.key()
        try await key.beginPlayback()
        #expect(try bench.content(key) == bench.stage.contentKey.key)
    }

    @Test("A renewal that arrives too late fails; the key must then be requested again")
    func lateRenewal() async throws {
        let bench = try await Bench()
        let policy = LicensePolicy(lease: Self.minute)
        _ = try await bench.answer(try await bench.ask(), policy)
        let key = try await bench.key()
        try await key.beginPlayback()
        await bench.session.renewExpiringResponseData(for: "skd://k")
        let renewal = try await bench.next()
        let ckc = try bench.stage.answer(try await bench.spc(renewal), policy).ckc
        bench.stage.clock.advance(by: 60)
        let status = await renewal.processContentKeyResponse(.init(fairPlayStreamingKeyResponseData: ckc))
        #expect(status == .failed)
        #expect((renewal as? ContentKeyRequest)?.error?.number == -42656)
        #expect(key.stopCause == .leaseExpired)
        #expect(try await bench.answer(try await bench.ask(), policy) == .receivedResponse)
    }

    @Test("The first play of a persistent key with dual expiry invalidates it; the delegate gets the updated key")
    func dualExpiry() async throws {
        let bench = try await Bench()
        let (request, stored) = try await bench.keep(Self.dual)
        var events = bench.session.events.makeAsyncIterator()
        let status = await request.processContentKeyResponse(.init(fairPlayStreamingKeyResponseData: stored))
        #expect(status == .receivedResponse)
        _ = await events.next()
        let key = try await bench.key()
        try await key.beginPlayback()
        #expect(try bench.content(key) == bench.stage.contentKey.key)
        guard case .didUpdatePersistableKey(let updated, "skd://k") = await events.next() else {
            Issue.record("no updated key")
            return
        }
        await key.revoke()

        let again = try await bench.ask(Self.persistable)
        try await again.respondByRequestingPersistableKey()
        #expect(await again.processContentKeyResponse(.init(fairPlayStreamingKeyResponseData: stored)) == .failed)
        #expect((again as? ContentKeyRequest)?.error?.retryReason == .receivedObsoleteContentKey)
        let third = try await bench.ask(Self.persistable)
        try await third.respondByRequestingPersistableKey()
        let taken = await third.processContentKeyResponse(.init(fairPlayStreamingKeyResponseData: updated.bytes))
        #expect(taken == .receivedResponse)
    }

    @Test(
        "Over AirPlay the persistable request throws, and the response is an online key",
        arguments: [
            ContentKeyRoute.airPlay, .digitalAVAdapter,
        ]
    )
    func otherRoutes(route: ContentKeyRoute) async throws {
        let bench = try await Bench()
        await bench.session.setRoute(route)
        let request = try await bench.ask(Self.persistable)
        #expect(!request.requestsPersistableKey)
        let error = await #expect(throws: ContentKeyError.self) {
            try await request.respondByRequestingPersistableKey()
        }
        #expect(error?.code == .persistenceNotAllowed)
        let spc = try await bench.spc(request)
        let indicator = try bench.stage.module.open(spc).request.streamingIndicator
        #expect(indicator == (route == .airPlay ? .airPlay : .digitalAVAdapter))
        let ckc = try bench.stage.answer(spc).ckc
        let status = await request.processContentKeyResponse(.init(fairPlayStreamingKeyResponseData: ckc))
        #expect(status == .receivedResponse)
    }

    @Test("A device without persistent keys does not get a persistable request")
    func appleTV() async throws {
        let bench = try await Bench(.appleTV)
        let request = try await bench.ask(Self.persistable)
        #expect(!request.requestsPersistableKey)
        #expect(try await bench.answer(request) == .receivedResponse)
    }

    @Test("A CKC that does not allow persistence gives an online key")
    func onlineOnly() async throws {
        let bench = try await Bench()
        let request = try await bench.ask(Self.persistable)
        try await request.respondByRequestingPersistableKey()
        let ckc = try bench.stage.answer(try await bench.spc(request)).ckc
        let error = await #expect(throws: ContentKeyError.self) {
            try await request.persistableContentKey(fromKeyVendorResponse: ckc)
        }
        #expect(error?.code == .persistenceNotAllowed)
        let status = await request.processContentKeyResponse(.init(fairPlayStreamingKeyResponseData: ckc))
        #expect(status == .receivedResponse)
    }

    @Test("A persistent key from before a security update is obsolete: -42799")
    func outdated() async throws {
        let bench = try await Bench()
        let (request, stored) = try await bench.keep(LicensePolicy(persist: .unlimited))
        bench.device.installSecurityUpdate()
        let status = await request.processContentKeyResponse(.init(fairPlayStreamingKeyResponseData: stored))
        #expect(status == .failed)
        let error = try #require((request as? ContentKeyRequest)?.error)
        #expect(error.number == -42799)
        #expect(error.retryReason == .receivedObsoleteContentKey)
    }

    @Test("A secure token reports to the server how long a persistent key is valid")
    func secureToken() async throws {
        let bench = try await Bench()
        let (_, stored) = try await bench.keep(Self.dual)
        bench.stage.clock.advance(by: 20)
        let token = try await bench.session.makeSecureTokenForExpirationDate(
            ofPersistableContentKey: stored,
            context: bench.context(challenge: 7)
        )
        guard case .version2(let report) = try bench.stage.module.open(token).syncReport else {
            Issue.record("no Sync report of version 2")
            return
        }
        #expect(report.serverChallenge == 7)
        #expect(report.expiry.rawValue == 40)
    }

    @Test("Secure invalidation stops the key in use and answers the server's challenge", arguments: [false, true])
    func invalidation(all: Bool) async throws {
        let bench = try await Bench()
        let (request, stored) = try await bench.keep(Self.dual)
        await request.processContentKeyResponse(.init(fairPlayStreamingKeyResponseData: stored))
        let key = try await bench.key()
        let context = bench.context(challenge: 99)
        let proof =
            all
            ? try await bench.session.invalidateAllPersistableContentKeys(context: context)
            : try await bench.session.invalidatePersistableContentKey(stored, context: context)
        guard case .version2(let report) = try bench.stage.module.open(proof).syncReport else {
            Issue.record("no Sync report of version 2")
            return
        }
        #expect(report.serverChallenge == 99)
        #expect(report.flags == [all ? .secureInvalidationAll : .secureInvalidation, .success])
        #expect(report.invalidatedStreamIDs == [Stage.streamID])
        #expect(key.stopCause == .revoked)
        #expect(throws: FPSError.invalidPersistentKey) { try bench.device.loadPersistentKey(stored) }
    }

    @Test("An SPC reports the end of a session, with the session's identifier")
    func expiredSessionReport() async throws {
        let bench = try await Bench()
        _ = try await bench.answer(try await bench.ask())
        let key = try await bench.key()
        try await key.beginPlayback()
        await bench.session.expire()
        #expect(key.stopCause == .sessionExpired)
        let reports = bench.reports.pendingExpiredSessionReports(withAppIdentifier: bench.stage.certificate.der)
        #expect(reports.count == 1)
        let report = try #require(reports.first)
        #expect(throws: KSMError(.policy, .playbackHalted, "")) { try bench.stage.answer(report.data) }
        let opened = try bench.stage.module.open(report.data)
        let session = bench.session.contentProtectionSessionIdentifier.bytes.reduce(0) { $0 << 8 | UInt64($1) }
        #expect(opened.request.mediaPlaybackState?.sessionID == session)
    }

    @Test("The delegate is notified of a display with insufficient protection, and again when protection is sufficient")
    func externalProtection() async throws {
        let bench = try await Bench()
        _ = try await bench.answer(try await bench.ask(), LicensePolicy(hdcp: .type1))
        let key = try await bench.key()
        try await key.beginPlayback()
        var events = bench.session.events.makeAsyncIterator()
        for display in [DeviceProfile.Display.hdcpType0, .hdcpType1] {
            bench.device.display = display
            await bench.session.checkExternalProtection()
            guard case .externalProtectionStatusDidChange(let changed) = await events.next() else {
                Issue.record("no notification")
                return
            }
            #expect(changed === key)
            #expect(changed.externalContentProtectionStatus == (display == .hdcpType1 ? .sufficient : .insufficient))
        }
    }
}
