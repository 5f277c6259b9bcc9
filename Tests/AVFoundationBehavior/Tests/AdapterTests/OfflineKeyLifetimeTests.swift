import AVFoundation
import AVFoundationTesting
import ContentKeySession
import Foundation
import KeyServerModule
import KeywayTesting
import Locking
import Testing

@testable import ContentKeySessionAVFoundation

/// Scenarios 12 to 17: the life of persistent keys.
@Suite struct OfflineKeyLifetimeTests {
    @Test(
        "Scenario 12: the first playback replaces the stored key",
        arguments: [Switches.UpdateOrder.afterSuccess, .beforeSuccess]
    )
    func firstPlayback(order: Switches.UpdateOrder) async throws {
        try await AdapterScene.run(switches: { $0.updateOrder = order }) { scene in
            scene.server.set(.dual(storage: 1000, playback: 100), for: "film")
            let keys = scene.persistentKeys(terms: .dual(storage: 1000, playback: 100))
            try await scene.finish { try await keys.acquire(["skd://film"]) }
            let first = await keys.store.key(for: "skd://film")
            let playback = keys.makePlayback()
            let running = scene.background { await playback.run() }
            let events = RecordedEvents(playback.session.events)
            let playing = await scene.play(playback.session)
            try await scene.until("the key is replaced") { events.contains("update skd://film") }
            #expect(await playing.isReady)
            let second = await keys.store.key(for: "skd://film")
            #expect(second != nil && second != first)
            let history = try await keys.store.allRecords()["skd://film"]?.history
            #expect(history?.firstPlayed != nil)
            await playing.stop()
            running.cancel()
            // The new key plays again in another session.
            let again = keys.makePlayback()
            let runningAgain = scene.background { await again.run() }
            let playing2 = await scene.play(again.session)
            try await scene.until("it plays again") { await playing2.isReady }
            runningAgain.cancel()
        }
    }

    @Test(
        "Scenario 13: a key whose storage period has ended is refused and refreshed",
        arguments: [Switches.ExpiredKeySign.retryThenFailure, .failureOnly]
    )
    func storageEnd(sign: Switches.ExpiredKeySign) async throws {
        try await AdapterScene.run(switches: { $0.expiredKeySign = sign }) { scene in
            scene.server.set(.dual(storage: 1000, playback: 100), for: "film")
            let keys = scene.persistentKeys(terms: .dual(storage: 1000, playback: 100))
            try await scene.finish { try await keys.acquire(["skd://film"]) }
            await scene.system.advance(by: .seconds(1001))
            scene.server.injectAlways(.noConnection)
            let playback = keys.makePlayback()
            let running = scene.background { await playback.run() }
            let events = RecordedEvents(playback.session.events)
            let playing = await scene.play(playback.session)
            try await scene.until("playback fails") { await playing.hasFailed }
            try await scene.until("the rejection is reported") { events.contains("reject skd://film") }
            let now = Int64(scene.system.clock.date.timeIntervalSince1970)
            try await scene.until("the rejection is recorded") {
                (try? await keys.store.allRecords()["skd://film"]?.history.state(at: now)) == .storageExpired
            }
            // Recorded from the device, not only computed from the terms.
            try await scene.until("the device's error is recorded") {
                (try? await keys.store.allRecords()["skd://film"]?.history.refusal?.code) == .persistentKeyExpired
            }
            running.cancel()
            // With a network, a new key in another session.
            scene.server.removeFaults()
            try await scene.finish { try await keys.acquire(["skd://film"]) }
            let again = keys.makePlayback()
            let runningAgain = scene.background { await again.run() }
            let playing2 = await scene.play(again.session)
            try await scene.until("it plays") { await playing2.isReady }
            runningAgain.cancel()
        }
    }

    @Test("Scenario 14: playback continues after the playback period; the next start is refused")
    func playbackEnd() async throws {
        try await AdapterScene.run { scene in
            scene.server.set(.dual(storage: 1000, playback: 20), for: "film")
            let keys = scene.persistentKeys(terms: .dual(storage: 1000, playback: 20))
            try await scene.finish { try await keys.acquire(["skd://film"]) }
            let playback = keys.makePlayback()
            let running = scene.background { await playback.run() }
            let events = RecordedEvents(playback.session.events)
            let playing = await scene.play(playback.session)
            try await scene.until("the key is replaced") { events.contains("update skd://film") }
            await scene.system.advance(by: .seconds(30))
            #expect(await playing.isReady)
            await playing.stop()
            running.cancel()
            scene.server.injectAlways(.noConnection)
            let again = keys.makePlayback()
            let runningAgain = scene.background { await again.run() }
            let playing2 = await scene.play(again.session)
            try await scene.until("the next start is refused") { await playing2.hasFailed }
            let now = Int64(scene.system.clock.date.timeIntervalSince1970)
            try await scene.until("the ledger has the reason") {
                (try? await keys.store.allRecords()["skd://film"]?.history.state(at: now)) == .playbackExpired
            }
            runningAgain.cancel()
        }
    }

    @Test(
        "Scenario 15: a key is refreshed before it ends, and replaced only after success",
        arguments: [Switches.RetryAfterFailure.newRequest, .silent]
    )
    func refresh(retry: Switches.RetryAfterFailure) async throws {
        try await AdapterScene.run(switches: { $0.retryAfterFailure = retry }) { scene in
            scene.server.set(.dual(storage: 1000, playback: 100), for: "film")
            let keys = scene.persistentKeys(terms: .dual(storage: 1000, playback: 100))
            try await scene.finish { try await keys.acquire(["skd://film"]) }
            let first = await keys.store.key(for: "skd://film")
            // A refusal and a lost connection leave the old key, which still plays.
            scene.server.inject(.status(403), on: .license)
            let refused = try await scene.finish { await keys.refresh(["skd://film"]) }
            #expect(throws: ContentKeyError.self) { try refused["skd://film"]?.get() }
            #expect(await keys.store.key(for: "skd://film") == first)
            // A later refresh has a session of its own, so that the failure does not silence it.
            let again = try await scene.finish { await keys.refresh(["skd://film"]) }
            #expect(throws: Never.self) { try again["skd://film"]?.get() }
            #expect(await keys.store.key(for: "skd://film") != first)
            let playback = keys.makePlayback()
            let running = scene.background { await playback.run() }
            let playing = await scene.play(playback.session)
            try await scene.until("the key plays") { await playing.isReady }
            await playing.stop()
            running.cancel()
        }
    }

    @Test("Scenario 15: keys are refreshed automatically when 20 % of their time is left")
    func automaticRefresh() async throws {
        try await AdapterScene.run { scene in
            scene.server.set(.dual(storage: 1000, playback: 100), for: "film")
            let keys = scene.persistentKeys(terms: .dual(storage: 1000, playback: 100))
            try await scene.finish { try await keys.acquire(["skd://film"]) }
            let first = await keys.store.key(for: "skd://film")
            let refreshing = scene.background { await keys.run() }
            try await scene.step()
            await scene.system.advance(by: .seconds(700))
            try await scene.step()
            #expect(await keys.store.key(for: "skd://film") == first && scene.server.licenseRoundTrips == 1)
            await scene.system.advance(by: .seconds(110))
            try await scene.until("the key is replaced") { await keys.store.key(for: "skd://film") != first }
            #expect(scene.server.licenseRoundTrips == 2)
            refreshing.cancel()
        }
    }

    @Test("Scenario 16: a title is deleted and downloaded again in one run")
    func deleteAndAcquireAgain() async throws {
        try await AdapterScene.run { scene in
            scene.server.set(.dual(storage: 1000, playback: 100), for: "film")
            let keys = scene.persistentKeys()
            try await scene.finish { try await keys.acquire(["skd://film"]) }
            _ = try await scene.finish { try await keys.invalidate("skd://film") }
            #expect(scene.server.offlineKeyReports.count == 1)
            #expect(await keys.store.key(for: "skd://film") == nil)
            try await scene.finish { try await keys.acquire(["skd://film"]) }
            #expect(await keys.store.key(for: "skd://film") != nil)
            // Two licenses and the proof of the invalidation, which is sent to the same address.
            #expect(scene.server.licenseRoundTrips == 3)
        }
    }

    @Test(
        "Scenario 17: AirPlay gets an online key; the stored key is unchanged",
        arguments: [
            NSError(domain: AVFoundationErrorDomain, code: -11862), NSError(domain: NSCocoaErrorDomain, code: 1),
        ]
    )
    func airPlay(refusal: NSError) async throws {
        try await AdapterScene.run(switches: { $0.persistRefusal = refusal }) { scene in
            scene.server.set(.persistent(1000), for: "film")
            let keys = scene.persistentKeys(terms: .limited(1000))
            try await scene.finish { try await keys.acquire(["skd://film"]) }
            let stored = await keys.store.key(for: "skd://film")
            let playback = keys.makePlayback()
            let running = scene.background { await playback.run() }
            let playing = await scene.play(playback.session)
            try await scene.until("it plays") { await playing.isReady }
            #expect(scene.server.licenseRoundTrips == 1)
            scene.system.media.setRoute(.airPlay)
            try await scene.until("a key for the receiver", within: .seconds(5)) { scene.server.licenseRoundTrips == 2 }
            try await scene.step()
            #expect(await playing.isReady)
            #expect(await keys.store.key(for: "skd://film") == stored)
            running.cancel()
        }
    }

    @Test("A new key from the server is a renewal, not a playback")
    func renewalByPlayback() async throws {
        try await AdapterScene.run { scene in
            let store = scene.makeStore()
            try await store.save([1], for: "skd://film")
            try await store.change("skd://film") { old in
                old.map { .init(key: $0.key, history: .init(terms: .limited(100), issued: $0.history.issued)) }
            }
            await scene.system.advance(by: .seconds(200))
            try await store.save([2], for: "skd://film")
            let record = try #require(try await store.allRecords()["skd://film"])
            #expect(record.key == [2] && record.history.firstPlayed == nil && record.history.renewals == 1)
            let now = Int64(scene.system.clock.date.timeIntervalSince1970)
            #expect(record.history.remaining(at: now) == 100)
            // Another instance reads the same from the file.
            #expect(try await scene.makeStore().allRecords()["skd://film"] == record)
        }
    }

    @Test("What a refresh and a playback cannot record in the history of a key is reported")
    func unrecordedEvents() async throws {
        try await AdapterScene.run { scene in
            scene.server.set(.dual(storage: 1000, playback: 100), for: "film")
            let keys = scene.persistentKeys(terms: .dual(storage: 1000, playback: 100))
            try await scene.finish { try await keys.acquire(["skd://film"]) }
            let unrecorded = Lock<[PersistentKeyFile.UnrecordedEvent]>([])
            let stream = keys.store.unrecordedEvents
            let reading = scene.background {
                for await event in stream { unrecorded.withLock { $0.append(event) } }
            }
            // A folder in place of the file.
            let file = scene.folder.appendingPathComponent("keys.plist")
            try FileManager.default.removeItem(at: file)
            let content = file.appendingPathComponent("content")
            try FileManager.default.createDirectory(at: content, withIntermediateDirectories: true)
            scene.server.inject(.status(403), on: .license)
            _ = try await scene.finish { await keys.refresh(["skd://film"]) }
            try await scene.until("the refusal is reported") { unrecorded.withLock { $0.count } == 1 }
            await scene.system.advance(by: .seconds(1001))
            scene.server.injectAlways(.noConnection)
            let playback = keys.makePlayback()
            let running = scene.background { await playback.run() }
            let playing = await scene.play(playback.session)
            try await scene.until("the rejection is reported") { unrecorded.withLock { $0.count } == 2 }
            await playing.stop()
            running.cancel()
            reading.cancel()
            let events = unrecorded.withLock { $0 }
            #expect(events.allSatisfy { $0.identifier == "skd://film" && $0.error == .notWritten })
            #expect(events.last?.event == .refused(.persistentKeyExpired))
            guard case .renewalRefused? = events.first?.event else {
                Issue.record("the first event is not the refusal")
                return
            }
        }
    }

    @Test("A file that cannot be read is not replaced")
    func damagedFile() async throws {
        try await AdapterScene.run { scene in
            let file = scene.folder.appendingPathComponent("keys.plist")
            try FileManager.default.createDirectory(at: scene.folder, withIntermediateDirectories: true)
            try Data("damaged".utf8).write(to: file)
            let keys = scene.persistentKeys()
            await #expect(throws: ContentKeyError.self) {
                try await scene.finish { try await keys.acquire(["skd://film"]) }
            }
            await #expect(throws: PersistentKeyFileError.unreadable) {
                try await keys.store.save([1], for: "skd://film")
            }
            #expect(try Data(contentsOf: file) == Data("damaged".utf8))
            #expect(scene.server.licenseRoundTrips == 0)
        }
    }

    @Test("Scenario 15: a key that replaces another is stored after the device has accepted it")
    func replacement() async throws {
        try await AdapterScene.run { scene in
            let store = scene.makeStore()
            let acquired = AcquiredKeys(store: store, terms: { _ in .limited(100) }, now: { 1000 })
            // The first key is stored before the response, the next one after it.
            try await acquired.save([1], for: "skd://film")
            #expect(await store.key(for: "skd://film") == [1])
            try await acquired.save([2], for: "skd://film")
            #expect(await store.key(for: "skd://film") == [1])
            try await acquired.commit("skd://film")
            #expect(await store.key(for: "skd://film") == [2])
            await #expect(throws: ContentKeyError(.keyNotStored, .session)) { try await acquired.commit("skd://other") }
        }
    }
}
