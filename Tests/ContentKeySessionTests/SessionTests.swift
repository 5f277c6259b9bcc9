import KeywayTesting
import Synchronization
import Testing

@testable import ContentKeySession

/// Tests of the session with a scripted device.
@Suite("A session over a scripted device", .timeLimit(.minutes(10)))
struct SessionTests {
    let device = ScriptedDevice()
    let clock = TestClock()
    let delegate = RecordingDelegate()
    static let ckc: [UInt8] = [0xc0]

    private func session(
        _ system: ContentKeySystem = .fairPlayStreaming,
        delegate: RecordingDelegate? = nil,
        reports: InMemoryExpiredSessionReports = .init()
    ) async -> KeySession {
        let session = KeySession(
            keySystem: system,
            device: device,
            clock: clock,
            responseTimeout: .seconds(20),
            renewalLead: .seconds(10),
            expiredSessionReports: reports
        )
        await session.setDelegate(delegate ?? self.delegate)
        return session
    }

    private func firstRequest(_ session: KeySession) async throws -> any ContentKeyLoading {
        var requests = session.requests.makeAsyncIterator()
        return try #require(await requests.next())
    }

    /// Requests a key and answers the request.
    private func load(_ session: KeySession, _ identifier: String = "k") async throws -> any ContentKeyLoading {
        await session.processContentKeyRequest(identifier: identifier)
        let request = try await firstRequest(session)
        _ = try await spc(request)
        await request.processContentKeyResponse(.init(fairPlayStreamingKeyResponseData: Self.ckc))
        return request
    }

    private func spc(_ request: any ContentKeyLoading) async throws -> [UInt8] {
        try await request.makeStreamingContentKeyRequestData(
            certificate: [1],
            contentIdentifier: [2, 3],
            protocolVersions: [1]
        )
    }

    @Test("A key request ends with a key for the recipient")
    func wholeWay() async throws {
        let key = device.give(for: Self.ckc)
        let session = await session()
        let player = Player()
        try await session.addContentKeyRecipient(player)
        async let wanted = session.contentKey(identifier: "skd://k", initializationData: [9], for: player)
        let request = try await firstRequest(session)
        #expect(request.identifier == "skd://k")
        #expect(request.keySystem == .fairPlayStreaming)
        _ = try await spc(request)
        #expect(device.keyRequests.map(\.contentIdentifier) == [[2, 3]])
        let status = await request.processContentKeyResponse(.init(fairPlayStreamingKeyResponseData: Self.ckc))
        #expect(status == .receivedResponse)
        let loaded = try await wanted
        #expect(loaded.protectedKey === key)
        #expect(player.keys.withLock { $0.map(\.identifier) } == ["skd://k"])
        #expect(device.keyRequests.map(\.session.bytes) == [[1, 2, 3, 4, 5, 6, 7, 8]])
        #expect(delegate.notes.withLock(\.self) == ["request 1", "success 1"])
    }

    @Test("The device determines success, and a response counts only once")
    func deviceDecides() async throws {
        let session = await session()
        await session.processContentKeyRequest(identifier: "k")
        let request = try await firstRequest(session)
        _ = try await spc(request)
        let answer = ContentKeyResponse(fairPlayStreamingKeyResponseData: Self.ckc)
        #expect(await request.processContentKeyResponse(answer) == .failed)
        _ = device.give(for: Self.ckc)
        #expect(await request.processContentKeyResponse(answer) == .failed)
        #expect((request as? ContentKeyRequest)?.error?.number == -42668)
        #expect(delegate.notes.withLock(\.self) == ["request 1", "failure 1 invalid-ckc"])
    }

    @Test("A CKC without an SPC, and a response of another key system, fail")
    func wrongAnswers() async throws {
        _ = device.give(for: Self.ckc)
        let session = await session()
        await session.processContentKeyRequest(identifier: "a")
        let first = try await firstRequest(session)
        await first.processContentKeyResponse(.init(fairPlayStreamingKeyResponseData: Self.ckc))
        #expect((first as? ContentKeyRequest)?.error?.code == .noRequestData)
        await session.processContentKeyRequest(identifier: "b")
        let second = try await firstRequest(session)
        await second.processContentKeyResponse(.init(clearKeyData: [UInt8](repeating: 1, count: 16)))
        #expect((second as? ContentKeyRequest)?.error?.code == .wrongResponse)
    }

    @Test("A request fails unless shouldRetry returns true, which makes another request", arguments: [false, true])
    func retry(retries: Bool) async throws {
        let delegate = RecordingDelegate(retries: retries)
        device.reject(Self.ckc, with: Bench.expired)
        let session = await session(delegate: delegate)
        let request = try await load(session)
        let status = try #require(request as? ContentKeyRequest).status
        #expect(status == (retries ? .retried : .failed))
        let asked = ["request 1", "retry 1 receivedResponseWithExpiredLease?"]
        #expect(delegate.notes.withLock(\.self) == asked + [retries ? "request 2" : "failure 1 lease-expired"])
        if retries { #expect(try await firstRequest(session).id == 2) }
    }

    @Test("A response that does not arrive in time is overdue by the session's clock")
    func overdue() async throws {
        let session = await session()
        var events = session.events.makeAsyncIterator()
        await session.processContentKeyRequest(identifier: "k")
        _ = await events.next()
        await clock.advance(by: .seconds(20))
        guard case .didFail(let request, let error) = await events.next() else {
            Issue.record("the request did not fail")
            return
        }
        #expect(error.code == .timedOut)
        #expect(await request.processContentKeyResponse(.init(fairPlayStreamingKeyResponseData: Self.ckc)) == .failed)
        #expect(delegate.notes.withLock(\.self) == ["request 1", "retry 1 timedOut?", "failure 1 timed-out"])
    }

    @Test("A lease is renewed in time, and the key stays the same object")
    func renewal() async throws {
        let first = device.give(ScriptedKey(leaseRemaining: .seconds(60)), for: Self.ckc)
        let session = await session()
        let player = Player()
        try await session.addContentKeyRecipient(player)
        let old = try await load(session)
        let key = try await session.contentKey(identifier: "k", for: player)
        try await key.beginPlayback()
        await clock.advance(by: .seconds(50))
        await session.checkDeadlines()
        let renewal = try await firstRequest(session)
        #expect(renewal.isRenewal)
        _ = try await spc(renewal)
        #expect(device.keyRequests.last?.renewing === first)
        let second = device.give(ScriptedKey(leaseRemaining: .seconds(60)), for: [0xc1])
        let status = await renewal.processContentKeyResponse(.init(fairPlayStreamingKeyResponseData: [0xc1]))
        #expect(status == .receivedResponse)
        #expect((old as? ContentKeyRequest)?.status == .renewed)
        #expect(key.protectedKey === second)
        // The new key continues where the old one stopped.
        #expect(second.isPlaying && !first.isUsable)
        await clock.advance(by: .seconds(49))
        await session.checkDeadlines()
        #expect(key.stopCause == nil)
    }

    @Test("A lease that ends stops the key")
    func leaseEnds() async throws {
        let protected = device.give(ScriptedKey(leaseRemaining: .seconds(60)), for: Self.ckc)
        let session = await session()
        let player = Player()
        try await session.addContentKeyRecipient(player)
        _ = try await load(session)
        let key = try await session.contentKey(identifier: "k", for: player)
        await clock.advance(by: .seconds(60))
        await session.checkDeadlines()
        #expect(!protected.isUsable)
        #expect(key.protectedKey == nil)
        let error = await #expect(throws: ContentKeyError.self) { try await key.beginPlayback() }
        #expect(error?.code == .leaseExpired)
        #expect(delegate.notes.withLock { $0.last } == "stop k leaseExpired")
    }

    @Test("An updated persistable key is delivered before playback starts")
    func update() async throws {
        _ = device.give(ScriptedKey(updatedPersistableKey: [7]), for: Self.ckc)
        let session = await session()
        let player = Player()
        try await session.addContentKeyRecipient(player)
        await session.processContentKeyRequest(identifier: "k", options: .init(isPersistable: true))
        let request = try await firstRequest(session)
        #expect(request.requestsPersistableKey)
        try await request.respondByRequestingPersistableKey()
        _ = try await spc(request)
        #expect(device.keyRequests.map(\.isPersistable) == [true])
        let kept = try await request.persistableContentKey(fromKeyVendorResponse: Self.ckc)
        await request.processContentKeyResponse(.init(fairPlayStreamingKeyResponseData: kept))
        let key = try await session.contentKey(identifier: "k", for: player)
        try await key.beginPlayback()
        try await key.beginPlayback()
        #expect(delegate.notes.withLock(\.self) == ["request 1", "persistable 1", "success 1", "update k [7]"])
    }

    @Test("A CKC that does not allow persistence is still a response with an online key")
    func onlineInstead() async throws {
        _ = device.give(for: Self.ckc)
        let session = await session()
        await session.processContentKeyRequest(identifier: "k", options: .init(isPersistable: true))
        let request = try await firstRequest(session)
        try await request.respondByRequestingPersistableKey()
        _ = try await spc(request)
        device.reject(Self.ckc, with: ContentKeyError(.persistenceNotAllowed, .device))
        let error = await #expect(throws: ContentKeyError.self) {
            try await request.persistableContentKey(fromKeyVendorResponse: Self.ckc)
        }
        #expect(error?.code == .persistenceNotAllowed)
        _ = device.give(for: Self.ckc)
        let status = await request.processContentKeyResponse(.init(fairPlayStreamingKeyResponseData: Self.ckc))
        #expect(status == .receivedResponse)
    }

    @Test("Requests and keys end with their session, and the end is reported after the keys have stopped")
    func expiry() async throws {
        let protected = device.give(for: Self.ckc)
        let reports = InMemoryExpiredSessionReports()
        let session = await session(reports: reports)
        let loaded = try await load(session)
        await session.processContentKeyRequest(identifier: "other")
        let waiting = try await firstRequest(session)
        await session.expire()
        #expect(!protected.isUsable)
        #expect((loaded as? ContentKeyRequest)?.status == .receivedResponse)
        #expect((waiting as? ContentKeyRequest)?.status == .cancelled)
        let error = await #expect(throws: ContentKeyError.self) { try await spc(waiting) }
        #expect(error?.code == .sessionExpired)
        let pending = reports.pendingExpiredSessionReports(withAppIdentifier: [])
        #expect(pending.map(\.data) == [[0]])
        #expect(reports.pendingExpiredSessionReports(withAppIdentifier: [0xbb]) == [])
        reports.removePendingExpiredSessionReports(pending)
        #expect(reports.pendingExpiredSessionReports(withAppIdentifier: []) == [])
        #expect(delegate.notes.withLock(\.self).suffix(2) == ["stop k sessionExpired", "report"])
        for await _ in session.requests { Issue.record("a request after the end") }
    }

    @Test("A deallocated session ends its requests and keys")
    func letGo() async throws {
        let protected = device.give(for: Self.ckc)
        var session: KeySession? = await session()
        _ = try await load(try #require(session))
        await session?.processContentKeyRequest(identifier: "other")
        let request = try await firstRequest(try #require(session))
        session = nil
        // A call in progress returns before the session is deallocated.
        let error = await #expect(throws: ContentKeyError.self) { try await spc(request) }
        #expect(error?.code == .sessionExpired)
        #expect((request as? ContentKeyRequest)?.status == .cancelled)
        #expect(!protected.isUsable)
    }

    @Test("A key that the device creates after the session's end is stopped at once")
    func tooLate() async throws {
        let protected = device.give(for: Self.ckc)
        device.responseTime = .seconds(1)
        let session = await session()
        await session.processContentKeyRequest(identifier: "k")
        let request = try await firstRequest(session)
        _ = try await spc(request)
        async let status = request.processContentKeyResponse(.init(fairPlayStreamingKeyResponseData: Self.ckc))
        while await session.machine.state(ofRequest: request.id) != .processing {
            try Task.checkCancellation()
            await Task.yield()
        }
        await session.expire()
        await device.clock.advance(by: .seconds(1))
        #expect(await status == .cancelled)
        #expect(!protected.isUsable)
    }

    @Test("A cancelled waiter does not wait")
    func cancelledWaiting() async throws {
        let session = await session()
        let player = Player()
        try await session.addContentKeyRecipient(player)
        let waiting = Task { try await session.contentKey(identifier: "k", for: player) }
        _ = try await firstRequest(session)
        waiting.cancel()
        let error = await #expect(throws: ContentKeyError.self) { try await waiting.value }
        #expect(error?.code == .cancelled)
    }

    @Test("A recipient that has started to load, or was not added, is rejected")
    func recipients() async throws {
        let session = await session()
        let late = Player(hasBegunLoading: true)
        let first = await #expect(throws: ContentKeyError.self) { try await session.addContentKeyRecipient(late) }
        #expect(first?.code == .recipientAlreadyLoading)
        let second = await #expect(throws: ContentKeyError.self) {
            try await session.contentKey(identifier: "k", for: late)
        }
        #expect(second?.code == .unknownRecipient)
        #expect(await session.contentKeyRecipients.isEmpty)
    }

    @Test("Invalidation stops the key in use and returns the proof")
    func invalidation() async throws {
        let protected = device.give(for: Self.ckc)
        let session = await session()
        _ = try await load(session)
        let context = ServerPlaybackContext(certificate: [1], serverChallenge: 5)
        let proof = try await session.invalidatePersistableContentKey(Self.ckc, context: context)
        #expect(!proof.isEmpty)
        #expect(!protected.isUsable)
        #expect(delegate.notes.withLock { $0.last } == "stop k revoked")
    }

    @Test("A change of external protection is reported once, for the affected keys")
    func protection() async throws {
        let protected = device.give(for: Self.ckc)
        let session = await session()
        _ = try await load(session)
        await session.checkExternalProtection()
        protected.externalProtectionStatus = .insufficient
        await session.checkExternalProtection()
        await session.checkExternalProtection()
        #expect(delegate.notes.withLock { $0.filter { $0.hasPrefix("protection") } } == ["protection insufficient"])
    }

    @Test("A sequence of requests that starts late misses none")
    func lateSequence() async throws {
        let session = await session()
        for identifier in ["a", "b", "c"] { await session.processContentKeyRequest(identifier: identifier) }
        try await firstRequest(session).processContentKeyResponseError(Bench.noResponse)
        var requests = session.requests.makeAsyncIterator()
        let (second, third) = (await requests.next(), await requests.next())
        #expect([second?.identifier, third?.identifier] == ["b", "c"])
    }
}

extension ScriptedDevice {
    /// Loads a key for this response, and returns the key.
    fileprivate func give(_ key: ScriptedKey = ScriptedKey(), for response: [UInt8]) -> ScriptedKey {
        accept(response, as: key)
        return key
    }
}
