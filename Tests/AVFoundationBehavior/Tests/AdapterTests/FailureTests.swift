import AVFoundation
import AVFoundationTesting
import Foundation
import KeyServerModule
import KeywayTesting
import Locking
import Testing

@testable import ContentKeySession
@testable import ContentKeySessionAVFoundation

/// Scenarios 4 to 6, 20, 22, 24, 31, 32 and 34: failures, clear keys and options.
@Suite(.timeLimit(.minutes(10))) struct FailureTests {
    @Test(
        "Scenario 4: a response that is not a CKC fails with -42668, and no success is reported",
        arguments: [Switches.StatusTiming.duringCall, .later]
    )
    func badCKC(timing: Switches.StatusTiming) async throws {
        try await AdapterScene.run(switches: { $0.statusTiming = timing }) { scene in
            scene.server.inject(.truncatedLicense, on: .license)
            let online = scene.online()
            let results = try await scene.finish {
                await online.session.results(of: ["skd://bad"], by: online.loader)
            }
            guard case .failure(let error) = results["skd://bad"] else {
                Issue.record("the CKC was accepted")
                return
            }
            #expect(error.number == -42668)
            #expect(online.events.count("succeed skd://bad") == 0)
            try await scene.until("the failure is noted") { await online.loader.lastFailure(for: "skd://bad") != nil }
            let failure = await online.loader.lastFailure(for: "skd://bad")
            #expect(failure?.kind == .ckcRejected && failure?.code == "invalid-ckc")
            #expect(failure?.platformCode?.number == -42668)
        }
    }

    @Test("A key that cannot be stored fails with the advice for that")
    func fullStorage() async throws {
        try await AdapterScene.run { scene in
            scene.server.set(.dual(storage: 1000, playback: 100), for: "film")
            let link = scene.folder.appendingPathComponent("link")
            try FileManager.default.createDirectory(at: scene.folder, withIntermediateDirectories: true)
            try FileManager.default.createSymbolicLink(
                at: link,
                withDestinationURL: scene.folder.appendingPathComponent("missing")
            )
            // There is no file, and none can be created.
            let store = PersistentKeyFile(link.appendingPathComponent("keys.plist"), protection: [])
            let keys = scene.persistentKeys(store)
            let error = await #expect(throws: ContentKeyError.self) {
                try await scene.finish { try await keys.acquire(["skd://film"]) }
            }
            #expect(error?.code == .keyNotStored)
            #expect(error?.reason?.contains("Free storage") == true)
        }
    }

    @Test("Scenario 5: a refusal of the server reaches the player item, and is not repeated")
    func forbidden() async throws {
        try await AdapterScene.run { scene in
            scene.server.inject(.status(403), on: .license)
            let online = scene.online()
            let playing = await scene.play(online.session)
            try await scene.until("playback fails") { await playing.hasFailed }
            let error = await playing.error
            #expect(error?.domain == "org.keyway.content-key" && error?.code == 403)
            #expect(scene.server.licenseRoundTrips == 1)
        }
    }

    @Test("Errors for AVFoundation have a code other than 0", arguments: KeyFailure.Kind.allCases)
    func codes(kind: KeyFailure.Kind) {
        let error = PlatformFailure.error(KeyFailure(kind)) as NSError
        #expect(error.code == kind.number && (1..<90).contains(error.code))
    }

    @Test("Scenario 6: a server that does not answer ends the request after a bounded number of retries")
    func silentServer() async throws {
        try await AdapterScene.run { scene in
            scene.server.injectAlways(.noResponse)
            let online = scene.online { _, loader in
                // Longer than AVFoundation waits.
                loader.retry.onDemandDeadline = .seconds(600)
                loader.retry.attemptTimeout = .seconds(600)
            }
            let playing = await scene.play(online.session)
            try await scene.until("playback fails", within: .seconds(300)) { await playing.hasFailed }
            #expect(online.events.count("retry skd://film") == 3)
            #expect(online.events.all.filter { $0.hasSuffix("timedOut true") }.count == 2)
        }
    }

    @Test(
        "Rule 14: a device that cannot create an SPC fails the request",
        arguments: [Switches.SPCFailure.failsByApp, .failsByItself]
    )
    func noSPC(failure: Switches.SPCFailure) async throws {
        try await AdapterScene.run(switches: { $0.spcFailure = failure }) { scene in
            scene.server.injectAlways(.response(KeyTransportResponse(status: 200, body: [1, 2, 3])), on: .certificate)
            let online = scene.online()
            let playing = await scene.play(online.session)
            try await scene.until("playback fails") { await playing.hasFailed }
            #expect(online.events.count("fail skd://film") == 1)
        }
    }

    @Test("Scenario 24: a session whose process ended leaves a report at the next launch")
    func crash() async throws {
        try await AdapterScene.run { scene in
            let directory = scene.folder.appendingPathComponent("reports")
            let store = PlatformExpiredSessionReports(storageDirectory: directory)
            let certificate = Array(scene.server.certificate)
            let online = scene.online { session, _ in session.storageDirectory = directory }
            let playing = await scene.play(online.session)
            try await scene.until("it plays") { await playing.isReady }
            #expect(await store.pendingExpiredSessionReports(withAppIdentifier: certificate).isEmpty)
            scene.system.terminate()
            #expect(await store.pendingExpiredSessionReports(withAppIdentifier: certificate).count == 1)
        }
    }

    @Test("Scenario 31: in the Simulator, nothing raises, and FairPlay keys fail with a plain error")
    func simulator() async throws {
        try await AdapterScene.run(switches: { $0.isSimulator = true }) { scene in
            await PlatformEnvironment.forNewSessions.withValue(.simulator) {
                let online = scene.online()
                #expect(!online.session.isAvailable)
                await #expect(throws: ContentKeyError(.notAvailableInSimulator, .device)) {
                    try await scene.finish { try await online.session.load(["skd://film"], by: online.loader) }
                }
                await #expect(throws: ContentKeyError(.notAvailableInSimulator, .device)) {
                    let keys = scene.persistentKeys()
                    try await scene.finish { try await keys.acquire(["skd://film"]) }
                }
            }
        }
    }

    @Test(
        "Scenario 32: AES-128 keys are requested from their URI without an SPC",
        arguments: [Switches.IdentifierType.string, .url]
    )
    func clearKey(type: Switches.IdentifierType) async throws {
        try await AdapterScene.run(switches: { $0.identifierType = type }) { scene in
            let response = KeyTransportResponse(status: 200, body: [UInt8](repeating: 7, count: 16))
            scene.server.injectAlways(.response(response), on: .other)
            let online = scene.online(keySystem: .clearKey)
            let url = URL(string: "https://media.example/clear.m3u8")!
            let key = StreamContent.Key("https://keys.example/clear-key", method: .aes128)
            scene.system.media.publish(StreamContent(variants: [.init(keys: [key])]), at: url)
            let asset = AVURLAsset(url: url)
            online.session.platform.addContentKeyRecipient(asset)
            let playing = await Playing(asset)
            try await scene.until("it plays") { await playing.isReady }
            #expect(scene.server.requests.map(\.url) == ["https://keys.example/clear-key"])
        }
    }

    @Test("Scenario 34: a random device identifier is used where the output supports it")
    func randomIdentifier() async throws {
        try await AdapterScene.run { scene in
            scene.server.set(.leased(3600), for: "film")
            let seed = [UInt8](repeating: 9, count: 16)
            let online = scene.online { session, _ in session.deviceIdentifier = .random(seed: seed) }
            let playing = await scene.play(online.session)
            try await scene.until("it plays") { await playing.isReady }
            scene.system.media.setRoute(.airPlay)
            try await scene.until("a key for the receiver") { scene.server.licenseRoundTrips == 2 }
            #expect(online.events.count("fail") == 0)
        }
    }

    @Test(
        "Scenario 20: an expired lease is renewed with a new license, or playback ends with -42656",
        arguments: [true, false]
    )
    func lateRenewal(isOnline: Bool) async throws {
        try await AdapterScene.run { scene in
            scene.server.set(.leased(30), for: "film")
            let online = scene.online { _, loader in loader.lease = { _ in .seconds(30) } }
            let playing = await scene.play(online.session)
            try await scene.until("it plays") { await playing.isReady }
            scene.server.injectAlways(.noConnection)
            await scene.system.advance(by: .seconds(20))
            if isOnline { scene.server.removeFaults() }
            try await scene.step()
            if isOnline {
                try await scene.until("the lease is renewed") { scene.server.licenseRoundTrips >= 2 }
                #expect(await playing.isReady)
            } else {
                try await scene.until("playback ends") { await playing.hasFailed }
                let error = await playing.error
                let under = error?.userInfo[NSUnderlyingErrorKey] as? NSError
                #expect(error?.code == -42656 || under?.code == -42656)
            }
        }
    }

    @Test("The key requests of an item are measured")
    func metrics() async throws {
        try await AdapterScene.run { scene in
            let online = scene.online()
            let playing = await scene.play(online.session)
            try await scene.until("it plays") { await playing.isReady }
            var metrics = playing.item.contentKeyMetrics().makeAsyncIterator()
            let first = await metrics.next()
            #expect(first?.identifier == "skd://film" && first?.isClientInitiated == false)
        }
    }

    #if os(iOS)
    @Test("Scenario 34: an advisory key answers a request without an SPC", arguments: [true, false])
    func advisoryKeys(hasKey: Bool) async throws {
        try await AdapterScene.run { scene in
            let online = scene.online { session, _ in session.allowsAdvisoryKeys = true }
            if hasKey { online.session.platform.setAdvisoryKeys(["skd://film"]) }
            try await scene.finish { try await online.session.load(["skd://film"], by: online.loader) }
            #expect(scene.server.licenseRoundTrips == (hasKey ? 0 : 1))
        }
    }
    #endif
}
