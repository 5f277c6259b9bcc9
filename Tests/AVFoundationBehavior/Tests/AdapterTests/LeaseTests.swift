import AVFoundation
import AVFoundationTesting
import ContentKeySession
import Foundation
import KeyServerModule
import KeywayTesting
import Locking
import Testing
import VirtualDevice

@testable import ContentKeySessionAVFoundation

/// Scenarios 18 to 25: leases, rotation, and the end of a session.
@Suite(.timeLimit(.minutes(10))) struct LeaseTests {
    @Test(
        "Scenario 19: a lease is renewed during playback",
        arguments: [Switches.RenewObject.new, .earlier],
        [Switches.StatusTiming.duringCall, .later]
    )
    func renewal(object: Switches.RenewObject, timing: Switches.StatusTiming) async throws {
        try await AdapterScene.run(switches: { ($0.renewObject, $0.statusTiming) = (object, timing) }) { scene in
            scene.server.set(.leased(60), for: "film")
            let online = scene.online { _, loader in loader.lease = { _ in .seconds(60) } }
            let playing = await scene.play(online.session)
            try await scene.until("it plays") { await playing.isReady }
            for _ in 0..<3 {
                let before = scene.server.licenseRoundTrips
                try await scene.until("the lease is renewed", within: .seconds(59)) {
                    scene.server.licenseRoundTrips == before + 1
                }
            }
            #expect(await playing.isReady)
            #expect(online.events.count("fail") == 0)
        }
    }

    @Test("Scenario 21: 300 keys, then the first again: nothing waits")
    func manyKeys() async throws {
        try await AdapterScene.run { scene in
            let online = scene.online()
            let identifiers = (0..<300).map { "skd://key-\($0)" }
            for chunk in stride(from: 0, to: 300, by: 30) {
                let part = Array(identifiers[chunk..<chunk + 30])
                try await scene.finish { try await online.session.load(part, by: online.loader) }
            }
            try await scene.finish(within: .seconds(2)) {
                try await online.session.load([identifiers[0]], by: online.loader)
            }
            // The requests of the oldest keys are dropped, not their names.
            #expect(online.session.core.requestThatLoaded(identifiers[0]) == nil)
            #expect(online.session.core.requestThatLoaded(identifiers[299]) != nil)
        }
    }

    @Test(
        "Scenario 7: a key that AVFoundation does not request ends at the timeout",
        arguments: [Switches.PendingDuplicate.silent]
    )
    func silence(duplicate: Switches.PendingDuplicate) async throws {
        try await AdapterScene.run(switches: { $0.pendingDuplicate = duplicate }) { scene in
            let online = scene.online(runs: false) { session, _ in session.loadTimeout = .seconds(5) }
            // The app forgot to run its loader, so nothing answers.
            await #expect(throws: ContentKeyError(.timedOut, .session)) {
                try await scene.finish { try await online.session.load(["skd://film"], by: online.loader) }
            }
        }
    }

    @Test("Scenario 23: an expired session leaves a report, and is not used again")
    func report() async throws {
        try await AdapterScene.run { scene in
            let directory = scene.folder.appendingPathComponent("reports")
            let online = scene.online { session, _ in session.storageDirectory = directory }
            let playing = await scene.play(online.session)
            try await scene.until("it plays") { await playing.isReady }
            let store = PlatformExpiredSessionReports(storageDirectory: directory)
            let certificate = Array(scene.server.certificate)
            #expect(await store.pendingExpiredSessionReports(withAppIdentifier: certificate).isEmpty)
            online.session.expire()
            await scene.system.settle()
            let reports = await store.pendingExpiredSessionReports(withAppIdentifier: certificate)
            #expect(reports.count == 1)
            await store.removePendingExpiredSessionReports(reports)
            #expect(await store.pendingExpiredSessionReports(withAppIdentifier: certificate).isEmpty)
            // No call reaches the expired session.
            await online.session.processContentKeyRequest(
                identifier: "skd://song",
                initializationData: nil,
                options: .init()
            )
            await online.session.renewExpiringResponseData(for: "skd://film")
        }
    }

    @Test("Scenario 25: a request keeps its session until its result")
    func requestKeepsSession() async throws {
        try await AdapterScene.run { scene in
            let request = try await {
                let session = PlatformContentKeySession(.fairPlayStreaming, settings: .init(clock: scene.system.clock))
                var requests = session.requests.makeAsyncIterator()
                await session.processContentKeyRequest(
                    identifier: "skd://film",
                    initializationData: nil,
                    options: .init()
                )
                let request = try #require(await requests.next())
                _ = try await request.makeStreamingContentKeyRequestData(
                    certificate: Array(scene.server.certificate),
                    contentIdentifier: Array("film".utf8),
                    protocolVersions: [1]
                )
                return request
            }()
            // The session was released; its request was not.
            let spc = try await request.makeStreamingContentKeyRequestData(
                certificate: Array(scene.server.certificate),
                contentIdentifier: Array("film".utf8),
                protocolVersions: [1]
            )
            let ckc = try scene.server.ckc(for: Data(spc))
            let status = await request.processContentKeyResponse(
                ContentKeyResponse(fairPlayStreamingKeyResponseData: Array(ckc))
            )
            #expect(status == .receivedResponse)
        }
    }

    @Test("Scenario 18: a display without the required protection is reported, and not retried")
    func weakDisplay() async throws {
        try await AdapterScene.run { scene in
            scene.server.set(.highHDCP, for: "film")
            scene.device.device.display = .unprotected
            let online = scene.online()
            let playing = await scene.play(online.session)
            try await scene.until("the status is reported") { online.events.contains("output skd://film insufficient") }
            scene.device.device.display = .hdcpType1
            online.session.platform.updateOutputs()
            try await scene.until("the change is reported") { online.events.contains("output skd://film sufficient") }
            #expect(scene.server.licenseRoundTrips == 1)
            await playing.stop()
        }
    }

    @Test("Scenario 18: a device that is not secure enough gets -42811, and is not asked again")
    func weakDevice() async throws {
        var profile = DeviceProfile.iPhone
        profile.securityLevel = .baseline
        profile.reportsSecurityLevel = false
        try await AdapterScene.run(profile: profile) { scene in
            scene.server.set(.mainLevel, for: "film")
            let online = scene.online()
            let playing = await scene.play(online.session)
            try await scene.until("playback fails") { await playing.hasFailed }
            #expect(online.events.contains("fail skd://film -42811") && scene.server.licenseRoundTrips == 1)
        }
    }

    @Test("Scenario 22: several keys of one initialization data have a request each")
    func severalKeys() async throws {
        try await AdapterScene.run { scene in
            let online = scene.online()
            let data = Array("skd://film\nskd://song".utf8)
            online.session.platform.processContentKeyRequest(withIdentifier: nil, initializationData: Data(data))
            try await scene.until("both are loaded") {
                online.events.contains("succeed skd://film") && online.events.contains("succeed skd://song")
            }
        }
    }

    @Test(
        "Scenario 19: a lease that AVFoundation renews by itself is renewed once",
        arguments: [Switches.AutoRenewal.never, .beforeEnd],
        [Switches.RenewPersist.throwsError, .works]
    )
    func automaticRenewal(automatic: Switches.AutoRenewal, persist: Switches.RenewPersist) async throws {
        try await AdapterScene.run(
            switches: { ($0.autoRenewal, $0.renewPersist) = (automatic, persist) }
        ) { scene in
            scene.server.set(.leased(60), for: "film")
            // The app does not know the lease, so only AVFoundation can renew it. Renewals are never persistent.
            let online = scene.online { session, _ in session.storesKey = { $0 != "skd://film" } }
            let playing = await scene.play(online.session)
            try await scene.until("it plays") { await playing.isReady }
            await scene.system.advance(by: .seconds(57))
            if automatic == .beforeEnd {
                try await scene.until("the lease is renewed", within: .seconds(2)) {
                    scene.server.licenseRoundTrips == 2
                }
                try await scene.until("it plays on", within: .seconds(30)) { await playing.isReady }
                await scene.system.advance(by: .seconds(20))
                #expect(await playing.isReady)
            } else {
                try await scene.step()
                #expect(scene.server.licenseRoundTrips == 1)
            }
        }
    }

    @Test(
        "A key that is requested twice at once is loaded",
        arguments: [Switches.PendingDuplicate.silent, .secondRequest]
    )
    func twiceAtOnce(duplicate: Switches.PendingDuplicate) async throws {
        try await AdapterScene.run(switches: { $0.pendingDuplicate = duplicate }) { scene in
            let online = scene.online()
            let (session, loader) = (online.session, online.loader)
            try await scene.finish {
                async let first: Void = session.load(["skd://film"], by: loader)
                await session.processContentKeyRequest(
                    identifier: "skd://film",
                    initializationData: nil,
                    options: ContentKeyRequestOptions()
                )
                try await first
            }
            #expect(online.events.count("fail") == 0)
        }
    }
}
