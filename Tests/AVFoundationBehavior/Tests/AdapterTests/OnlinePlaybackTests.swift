import AVFoundation
import AVFoundationTesting
import ContentKeySession
import Foundation
import KeyServerModule
import KeywayTesting
import Testing

@testable import ContentKeySessionAVFoundation

/// Scenarios 1 to 7, 19 to 25: online keys.
@Suite struct OnlinePlaybackTests {
    @Test("Scenario 1: online play requests each key once", arguments: [Switches.IdentifierType.string, .url])
    func play(type: Switches.IdentifierType) async throws {
        try await AdapterScene.run(switches: { $0.identifierType = type }) { scene in
            let online = scene.online()
            let playing = await scene.play(online.session)
            try await scene.until("the film plays") { await playing.isReady }
            #expect(online.events.all.filter { $0.hasPrefix("succeed") } == ["succeed skd://film"])
            #expect(scene.server.licenseRoundTrips == 1)
        }
    }

    @Test("Scenario 2: a preloaded key is not requested again for playback")
    func preload() async throws {
        try await AdapterScene.run { scene in
            let online = scene.online()
            try await scene.finish { try await online.session.load(["skd://film"], by: online.loader) }
            #expect(scene.server.licenseRoundTrips == 1)
            let playing = await scene.play(online.session)
            try await scene.until("the film plays") { await playing.isReady }
            #expect(scene.server.licenseRoundTrips == 1)
        }
    }

    @Test("Scenario 3: keys of a batch end by their own result")
    func batch() async throws {
        try await AdapterScene.run { scene in
            scene.server.setPolicy(.denied(reason: "no-subscription"), for: "bad")
            let online = scene.online()
            let results = try await scene.finish {
                await online.session.results(of: ["skd://film", "skd://song", "skd://bad"], by: online.loader)
            }
            #expect(scene.server.requestCount(on: .batch) == 1)
            #expect((try? results["skd://film"]?.get()) != nil && (try? results["skd://song"]?.get()) != nil)
            #expect(throws: ContentKeyError.self) { try results["skd://bad"]?.get() }
        }
    }

    @Test("Scenario 7: loading a loaded key returns at once")
    func loadedTwice() async throws {
        try await AdapterScene.run { scene in
            let online = scene.online()
            try await scene.finish { try await online.session.load(["skd://film"], by: online.loader) }
            try await scene.finish(within: .seconds(2)) {
                try await online.session.load(["skd://film"], by: online.loader)
            }
            #expect(scene.server.licenseRoundTrips == 1)
        }
    }
}
