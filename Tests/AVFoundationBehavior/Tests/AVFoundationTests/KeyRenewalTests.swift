import AVFoundation
import AVFoundationTesting
import Foundation
import KeywayTesting
import Testing

/// Rules 46 to 53 and 71 to 75: renewals, leases, retries, cancellation.
@Suite struct KeyRenewalTests {
    @Test("Rules 46, 47 and 50: a renewal comes as a new object or as the earlier one", arguments: [false, true])
    func renew(isEarlier: Bool) async throws {
        try await KeyScene.run(switches: { $0.renewObject = isEarlier ? .earlier : .new }) { scene in
            scene.server.set(.leased(60), for: "skd://a")
            let key = try await scene.play()
            let first = try scene.delegate.last()
            await scene.system.advance(by: .seconds(50))
            scene.session.renewExpiringResponseData(for: first)
            await scene.system.settle()
            let renewing = try scene.delegate.last()
            #expect(scene.delegate.calls.last == .renewing("skd://a"))
            #expect(renewing.renewsExpiringResponseData)
            #expect((renewing === first) == isEarlier)
            #expect(renewing.identifier as? String == "skd://a")
            try await scene.answer(renewing)
            #expect(first.status == .renewed)
            #expect(scene.delegate.calls.last { $0.isAboutRequest } == .succeed("skd://a"))
            await scene.system.advance(by: .seconds(50))
            try key.checkDecryption()
        }
    }

    @Test("Rule 48: a delegate without the renewing method receives no renewal")
    func noRenewingMethod() async throws {
        try await KeyScene.run { scene in
            scene.server.set(.leased(60), for: "skd://a")
            _ = try await scene.play()
            let first = try scene.delegate.last()
            let delegate = CountingDelegate()
            scene.session.setDelegate(delegate, queue: DispatchQueue(label: "without"))
            scene.session.renewExpiringResponseData(for: first)
            await scene.system.settle()
            #expect(delegate.count == 0)
            #expect(first.status == .receivedResponse)
        }
    }

    @Test(
        "Rule 49: the system renews only because the app asked, or shortly before the end: a switch",
        arguments: [false, true]
    )
    func autoRenewal(isAutomatic: Bool) async throws {
        try await KeyScene.run(switches: { $0.autoRenewal = isAutomatic ? .beforeEnd : .never }) { scene in
            scene.server.set(.leased(60), for: "skd://a")
            _ = try await scene.play()
            await scene.system.advance(by: .seconds(59))
            #expect(scene.delegate.calls.contains(.renewing("skd://a")) == isAutomatic)
        }
    }

    @Test("Rule 51: a lease that is not renewed stops playback with -42656")
    func leaseEnd() async throws {
        try await KeyScene.run { scene in
            scene.server.set(.leased(60), for: "skd://a")
            let key = try await scene.play()
            await scene.system.advance(by: .seconds(59))
            try key.checkDecryption()
            await scene.system.advance(by: .seconds(1))
            let error = #expect(throws: NSError.self) { try key.checkDecryption() }
            #expect(error == NSError(domain: NSOSStatusErrorDomain, code: -42656))
            // The key is not usable any more, so the next need is a request.
            _ = await scene.need()
            #expect(scene.delegate.requests.count == 2)
        }
    }

    @Test("Rule 51: a rental that ends during playback does not stop it; the next start is refused")
    func rentalEnd() async throws {
        try await KeyScene.run { scene in
            scene.server.set(.rented(60), for: "skd://a")
            let key = try await scene.play()
            await scene.system.advance(by: .seconds(61))
            try key.checkDecryption()
            key.stopPlaying()
            let needed = await scene.need()
            #expect(throws: NSError.self) { try scene.start(needed) }
        }
    }

    @Test("Rule 52: a response whose lease is over leads to shouldRetry", arguments: [0, 1])
    func lateRenewal(retries: Int) async throws {
        try await KeyScene.run(delegate: RecordingDelegate(retries: retries)) { scene in
            scene.server.set(.leased(60), for: "skd://a")
            _ = try await scene.play()
            await scene.system.advance(by: .seconds(50))
            scene.session.renewExpiringResponseData(for: try scene.delegate.last())
            await scene.system.settle()
            let renewing = try scene.delegate.last()
            let ckc = try await scene.server.ckc(for: scene.spc(renewing))
            await scene.system.advance(by: .seconds(15))
            _ = scene.delegate.takeCalls()
            await scene.respond(renewing, ckc)
            let retry = RecordingDelegate.Call.retry("skd://a", .receivedResponseWithExpiredLease)
            #expect(
                scene.delegate.calls
                    == (retries == 0 ? [retry, .fail("skd://a", status: -42656)] : [retry, .renewing("skd://a")])
            )
        }
    }

    @Test("Rule 53: respondBy… on a renewing request throws, or works: a switch", arguments: [false, true])
    func renewPersist(works: Bool) async throws {
        try await KeyScene.run(switches: { $0.renewPersist = works ? .works : .throwsError }) { scene in
            _ = try await scene.play()
            scene.session.renewExpiringResponseData(for: try scene.delegate.last())
            await scene.system.settle()
            let renewing = try scene.delegate.last()
            try? renewing.respondByRequestingPersistableContentKeyRequest()
            await scene.system.settle()
            #expect((scene.delegate.calls.last == .persistable("skd://a")) == works)
            #expect(try scene.delegate.last().renewsExpiringResponseData)
        }
    }

    @Test("Rules 71 and 72: shouldRetry comes before didFail; true restarts the request as a plain one")
    func retry() async throws {
        try await KeyScene.run(delegate: RecordingDelegate(retries: 1)) { scene in
            let needed = await scene.need()
            let first = try scene.delegate.last()
            let spc = try await scene.spc(first)
            let late = try scene.server.ckc(for: spc)
            await scene.system.advance(by: .seconds(40))
            #expect(first.status == .retried)
            let second = try scene.delegate.last()
            #expect(second !== first)
            #expect(second.status == .requestingResponse)
            // The answer to the first try has no effect.
            _ = scene.delegate.takeCalls()
            await scene.respond(first, late)
            #expect(scene.delegate.calls.isEmpty)
            #expect(try await scene.spc(second) != spc)
            await scene.system.advance(by: .seconds(40))
            #expect(scene.delegate.calls.filter(\.isAboutRequest).count == 2)
            #expect(scene.delegate.calls.first { $0.isAboutRequest } == .retry("skd://a", .timedOut))
            #expect(second.status == .failed)
            #expect(needed.count == 1)
        }
    }

    @Test("Rule 72: an obsolete response leads to shouldRetry")
    func obsolete() async throws {
        try await KeyScene.run(delegate: RecordingDelegate(retries: 1)) { scene in
            let request = try await scene.request()
            scene.session.makeNextResponseObsolete(for: "skd://a")
            try await scene.answer(request)
            #expect(scene.delegate.calls.contains(.retry("skd://a", .receivedObsoleteContentKey)))
            try await scene.answer(scene.delegate.last())
            #expect(scene.delegate.calls.contains(.succeed("skd://a")))
        }
    }

    @Test("Rule 73: the system sets no limit of retries")
    func manyRetries() async throws {
        try await KeyScene.run(delegate: RecordingDelegate(retries: 50)) { scene in
            _ = await scene.need()
            await scene.system.advance(by: .seconds(3600))
            #expect(scene.delegate.requests.count == 51)
        }
    }

    @Test("Rule 74: a request that is cancelled ends without a verdict")
    func cancelled() async throws {
        try await KeyScene.run { scene in
            let needed = await scene.need()
            let request = try scene.delegate.last()
            _ = scene.delegate.takeCalls()
            scene.session.removeContentKeyRecipient(scene.recipient)
            await scene.system.settle()
            #expect(request.status == .cancelled)
            #expect(request.error == nil)
            #expect(scene.delegate.calls.isEmpty)
            #expect(needed.error?.code == -11879)
            request.processContentKeyResponseError(NSError(domain: "X", code: 1))
            await scene.system.settle()
            #expect(scene.delegate.calls.isEmpty)
            #expect(scene.system.secondAnswers == 0)
        }
    }
}

/// A delegate that counts, without the renewing method.
private final class CountingDelegate: NSObject, AVContentKeySessionDelegate, @unchecked Sendable {
    private let lock = NSLock()
    private var calls = 0
    var count: Int { lock.withLock { calls } }

    func contentKeySession(_ session: AVContentKeySession, didProvide keyRequest: AVContentKeyRequest) {
        lock.withLock { calls += 1 }
    }
}
