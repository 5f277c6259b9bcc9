import AVFoundation
import AVFoundationTesting
import ContentKeySession
import Foundation
import KeyServerModule
import KeywayTesting
import Testing

@testable import ContentKeySessionAVFoundation

/// Scenarios 8 to 17: persistent keys.
@Suite struct OfflineKeyTests {
    @Test("Scenarios 8 and 9: a persistent key is created and stored", arguments: [false, true])
    func acquire(needsStorage: Bool) async throws {
        try await AdapterScene.run(switches: { $0.persistNeedsStorage = needsStorage }) { scene in
            scene.server.set(.dual(storage: 1000, playback: 100), for: "film")
            let keys = scene.persistentKeys()
            try await scene.finish { try await keys.acquire(["skd://film"]) }
            #expect(await keys.store.key(for: "skd://film") != nil)
            #expect(scene.server.licenseRoundTrips == 1)
            // A second acquisition uses the stored key.
            try await scene.finish { try await keys.acquire(["skd://film"]) }
            #expect(scene.server.licenseRoundTrips == 1)
        }
    }

    @Test("Scenario 10: without permission to persist, nothing is stored, and the cause is reported")
    func notPermitted() async throws {
        try await AdapterScene.run { scene in
            let keys = scene.persistentKeys()
            await #expect(throws: ContentKeyError.self) {
                try await scene.finish { try await keys.acquire(["skd://film"]) }
            }
            #expect(await keys.store.key(for: "skd://film") == nil)
        }
    }

    @Test("Scenario 11: offline playback needs no server")
    func offline() async throws {
        try await AdapterScene.run { scene in
            scene.server.set(.dual(storage: 1000, playback: 100), for: "film")
            let keys = scene.persistentKeys()
            try await scene.finish { try await keys.acquire(["skd://film"]) }
            scene.server.injectAlways(.noConnection)
            let before = scene.server.requests.count
            let playback = keys.makePlayback()
            let running = scene.background { await playback.run() }
            defer { running.cancel() }
            let events = RecordedEvents(playback.session.events)
            let playing = await scene.play(playback.session)
            try await scene.until("the film plays") { await playing.isReady }
            #expect(events.contains("succeed skd://film stored"))
            #expect(scene.server.requests.count == before)
        }
    }
}
