import AVFoundation
import AVFoundationTesting
import ContentKeySession
import Foundation
import KeyServerModule
import KeywayTesting
import Testing

@testable import ContentKeySessionAVFoundation

/// Rule 98 and chapter 4 of the guide: leases through the resource loader.
@Suite("Leases through the resource loader", .timeLimit(.minutes(10))) @MainActor
struct ResourceLoaderLeaseTests {
    typealias App = ResourceLoaderApp

    /// A lease of 1000 seconds, which is renewed after 500.
    private static func leased(_ settings: inout KeyLoaderSettings) {
        settings.lease = { _ in .seconds(1000) }
        settings.renewal = LeaseRenewal(margin: 0.5, jitter: 0)
    }

    private func renewals(_ app: App) async -> Int {
        await app.loader.accessLog.entries.count { $0.kind == .renewal }
    }

    @Test("AVFoundation renews a lease at the date of the response, each time with a new CKC")
    func renewal() async throws {
        try await App.run { scene in
            scene.server.set(.leased(1000), for: "film")
            let app = App(scene, Self.leased)
            let playback = try await app.playUntilReady(app.film())
            for count in 1...3 {
                await scene.system.advance(by: .seconds(510))
                try await scene.until("the lease is renewed") { await renewals(app) == count }
            }
            #expect(Set(app.server.requests).count == 4)
            #expect(playback.player.timeControlStatus == .playing && playback.error == nil)
            #expect(playback.item.currentTime().seconds > 1500)
            #expect(scene.system.media.log == [])
        }
    }

    @Test("The renewal is before the end of the lease by the margin")
    func date() async throws {
        try await App.run { scene in
            let app = App(scene, Self.leased)
            let asset = AVURLAsset(url: app.film())
            let request = app.makeRequest(allowedContentTypes: [AVStreamingKeyDeliveryContentKeyType])
            let begin = scene.system.clock.date
            app.begin(request, of: asset)
            try await scene.until("it finishes") { request.isFinished }
            let date = try #require(request.object.contentInformationRequest?.renewalDate)
            let end = scene.system.clock.date
            #expect((begin.addingTimeInterval(500)...end.addingTimeInterval(500)).contains(date))
        }
    }

    @Test("No renewal is requested after playback has ended")
    func noRenewal() async throws {
        try await App.run { scene in
            let app = App(scene, Self.leased)
            let playback = try await app.playUntilReady(app.film())
            playback.player.replaceCurrentItem(with: nil)
            await scene.system.advance(by: .seconds(5000))
            #expect(app.server.requests.count == 1)
        }
    }

    @Test("A lease that the server does not renew ends playback, and a new start gets a new license")
    func refusedRenewal() async throws {
        try await App.run { scene in
            scene.server.set(.leased(1000), for: "film")
            let app = App(scene, Self.leased)
            let playback = try await app.playUntilReady(app.film())
            scene.server.injectAlways(.forbidden(reason: "streams-exceeded"), on: .license)
            await scene.system.advance(by: .seconds(510))
            try await scene.until("the renewal is refused") { app.server.requests.count == 2 }
            // Playback continues until the end of the lease.
            #expect(playback.player.timeControlStatus == .playing)
            await scene.system.advance(by: .seconds(500))
            try await scene.until("it stops") { await playback.error != nil }
            #expect(playback.numbers.contains(-42656))
            let error = try #require(playback.error)
            #expect(app.keys.playbackDidFail(error, of: playback.asset))
            let requests = app.server.requests.count
            scene.server.removeFaults()
            _ = try await app.playUntilReady(app.film())
            #expect(app.server.requests.count == requests + 1)
        }
    }

    @Test("Without the duration of the lease, nothing is renewed and playback ends")
    func unknownLease() async throws {
        try await App.run { scene in
            scene.server.set(.leased(1000), for: "film")
            let app = App(scene)
            let playback = try await app.playUntilReady(app.film())
            await scene.system.advance(by: .seconds(1010))
            try await scene.until("it stops") { await playback.error != nil }
            #expect(playback.numbers.contains(-42656) && app.server.requests.count == 1)
        }
    }

    @Test("A renewal is retried until the lease ends")
    func slowRenewal() async throws {
        try await App.run { scene in
            scene.server.set(.leased(1000), for: "film")
            let app = App(scene, Self.leased)
            let playback = try await app.playUntilReady(app.film())
            scene.server.inject(.status(503), .noConnection, .status(500), on: .license)
            await scene.system.advance(by: .seconds(510))
            try await scene.until("the lease is renewed", within: .seconds(400)) { await renewals(app) == 1 }
            #expect(app.server.requests.count == 5)
            await scene.system.advance(by: .seconds(400))
            #expect(playback.player.timeControlStatus == .playing && playback.error == nil)
        }
    }

    @Test("A renewal that the key loader does not answer fails at the end of the lease")
    func noAnswer() async throws {
        try await App.run { scene in
            let app = App(scene, isRunning: false, Self.leased)
            var requests = app.keys.requests.makeAsyncIterator()
            let asset = AVURLAsset(url: app.film())
            let renewal = app.makeRequest(
                allowedContentTypes: [AVStreamingKeyDeliveryContentKeyType],
                isRenewal: true
            )
            app.begin(renewal, of: asset)
            let request = try #require(await requests.next())
            #expect(request.isRenewal && !request.requestsPersistableKey)
            await scene.system.advance(by: .seconds(400))
            #expect(!renewal.isFinished)
            await scene.system.advance(by: .seconds(600))
            try await scene.until("it fails") { renewal.isFinished }
            #expect(renewal.error?.code == 90)
        }
    }
}
