import AVFoundation
import AVFoundationTesting
import ContentKeySession
import Foundation
import KeyServerModule
import KeywayTesting
import Testing

@testable import ContentKeySessionAVFoundation

/// Rules 94 and 95, chapter 5 of the guide: persistent keys through the resource loader.
@Suite("Persistent keys through the resource loader", .timeLimit(.minutes(10))) @MainActor
struct ResourceLoaderPersistentKeyTests {
    typealias App = ResourceLoaderApp

    /// Runs a test with a film whose key may be stored.
    private func run(
        _ policy: LicensePolicy = .persistent(3600),
        _ configure: @escaping @Sendable (inout KeyLoaderSettings) -> Void = { _ in },
        _ test: @escaping @MainActor @Sendable (AdapterScene, App, TestPersistentKeys) async throws -> Void
    ) async throws {
        try await App.run { scene in
            scene.server.set(policy, for: "film")
            let store = TestPersistentKeys()
            try await test(scene, App(scene, store: store, configure), store)
        }
    }

    @Test("The key is stored, and answers later playback without an SPC or a server")
    func store() async throws {
        try await run { scene, app, store in
            let url = app.film()
            _ = try await app.playUntilReady(url)
            let key = try #require(store.keys["skd://film"])
            #expect(!key.isEmpty && app.server.requests.count == 1)
            // An SPC would fail, and so would a request.
            scene.device.failNextSPC(with: -42676)
            scene.server.injectAlways(.noConnection)
            _ = try await app.playUntilReady(url)
            #expect(app.server.requests.count == 1)
            #expect(store.keys["skd://film"] == key)
        }
    }

    @Test("A stored key is delivered with the persistent type and without a renewal date")
    func type() async throws {
        try await run(.persistent(3600), { $0.lease = { _ in .seconds(100) } }) { scene, app, store in
            let asset = AVURLAsset(url: app.film())
            let types = [AVStreamingKeyDeliveryContentKeyType, AVStreamingKeyDeliveryPersistentContentKeyType]
            for allowed in [types, []] {
                let request = app.makeRequest(allowedContentTypes: allowed)
                app.begin(request, of: asset)
                try await scene.until("it finishes") { request.isFinished }
                let information = try #require(request.object.contentInformationRequest)
                #expect(information.contentType == AVStreamingKeyDeliveryPersistentContentKeyType)
                #expect(information.renewalDate == nil)
                #expect(store.keys["skd://film"].map { Int64($0.count) } == information.contentLength)
                // The fake makes no persistent SPC without a list, so the second request has the stored key.
            }
        }
    }

    @Test("Over AirPlay, the key is an online key, and the stored key is left unchanged")
    func airPlay() async throws {
        try await run { scene, app, store in
            let playback = try await app.playUntilReady(app.film())
            let key = store.keys["skd://film"]
            scene.system.media.setRoute(.airPlay)
            try await app.waitForKeys(2)
            try await scene.until("AirPlay plays") { await playback.player.timeControlStatus == .playing }
            await scene.system.advance(by: .seconds(10))
            #expect(playback.player.timeControlStatus == .playing && playback.error == nil)
            #expect(playback.player.isExternalPlaybackActive && app.server.requests.count == 2)
            #expect(store.keys["skd://film"] == key)
        }
    }

    @Test("With requiresPersistence, a request over AirPlay fails with the reason")
    func requiresPersistence() async throws {
        try await run(.persistent(3600), { $0.requiresPersistence = true }) { scene, app, store in
            scene.system.media.setRoute(.airPlay)
            let error = try #require(await app.playUntilFailure(app.film()))
            #expect(error.domain == "org.keyway.content-key" && error.code != 0)
            #expect(error.localizedDescription.contains("persistence-not-allowed"))
            #expect(error.localizedRecoverySuggestion?.contains("AirPlay") == true)
            #expect(store.keys.isEmpty && app.server.requests.isEmpty)
        }
    }

    @Test("A key that the app does not store is an online key")
    func onlineKey() async throws {
        try await App.run { scene in
            var settings = KeyLoaderSettings()
            let store = TestPersistentKeys()
            settings.persistentKeys = store
            let clock = scene.system.clock
            let keys = ResourceLoaderKeySource(settings, clock: clock, now: { clock.date }) { $0 == "skd://film" }
            let delegate = ResourceLoaderDelegate(keys: keys)
            var requests = keys.requests.makeAsyncIterator()
            for (identifier, isStored) in [("skd://film", true), ("skd://other", false)] {
                let asset = AVURLAsset(url: scene.publishFilm([identifier], name: isStored ? "a" : "b"))
                delegate.attach(to: asset)
                let item = AVPlayerItem(asset: asset)
                let player = AVPlayer(playerItem: item)
                player.play()
                let request = try #require(await requests.next())
                #expect(request.identifier == identifier && request.requestsPersistableKey == isStored)
                player.replaceCurrentItem(with: nil)
            }
            keys.end()
        }
    }

    @Test("A CKC that the device cannot store is reported with the device's number")
    func notPersistable() async throws {
        try await run { scene, app, store in
            scene.server.set(.default, for: "film")
            let error = try #require(await app.playUntilFailure(app.film()))
            #expect(App.numbers(error).contains(-42668) && error.localizedRecoverySuggestion != nil)
            #expect(store.keys.isEmpty)
        }
    }

    // Chapter 5 of the guide: always ask the server, which decides whether to give a new key.
    @Test("After the device has rejected the stored key, the server gives a new one")
    func expired() async throws {
        try await run { scene, app, store in
            let url = app.film()
            try await app.playUntilReady(url).player.replaceCurrentItem(with: nil)
            let key = store.keys["skd://film"]
            await scene.system.advance(by: .seconds(7200))
            let playback = app.play(url)
            try await scene.until("the device rejects the key") { await playback.error != nil }
            #expect(playback.numbers.contains(-42800) && app.server.requests.count == 1)
            let error = try #require(playback.error)
            #expect(app.keys.playbackDidFail(error, of: playback.asset))
            _ = try await app.playUntilReady(url)
            #expect(app.server.requests.count == 2)
            #expect(store.keys["skd://film"] != key)
            // The new key is used from now on.
            scene.server.injectAlways(.noConnection)
            _ = try await app.playUntilReady(url)
            #expect(scene.system.media.log == [])
        }
    }

    @Test("The server may refuse a new key for one that the device has rejected")
    func refused() async throws {
        try await run { scene, app, _ in
            let url = app.film()
            try await app.playUntilReady(url).player.replaceCurrentItem(with: nil)
            await scene.system.advance(by: .seconds(7200))
            let playback = app.play(url)
            try await scene.until("the device rejects the key") { await playback.error != nil }
            let error = try #require(playback.error)
            app.keys.playbackDidFail(error, of: playback.asset)
            scene.server.injectAlways(.forbidden(reason: "title-withdrawn"), on: .license)
            let refusal = try #require(await app.playUntilFailure(url))
            #expect(refusal.code == 403 && refusal.localizedDescription.contains("title-withdrawn"))
        }
    }

    @Test("A failure of one asset does not affect the stored keys of another, and other failures affect none")
    func otherAsset() async throws {
        try await run { scene, app, store in
            let url = app.film()
            let playback = try await app.playUntilReady(url)
            let other = AVURLAsset(url: app.film("skd://other", name: "other"))
            let expired = NSError(domain: NSOSStatusErrorDomain, code: -42800)
            #expect(!app.keys.playbackDidFail(expired, of: other))
            #expect(!app.keys.playbackDidFail(NSError(domain: NSURLErrorDomain, code: -1009), of: playback.asset))
            scene.server.injectAlways(.noConnection)
            _ = try await app.playUntilReady(url)
            #expect(app.server.requests.count == 1)
        }
    }
}
