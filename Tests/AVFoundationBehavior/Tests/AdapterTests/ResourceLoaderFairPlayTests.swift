import AVFoundation
import AVFoundationTesting
import ContentKeySession
import Foundation
import HLSPlaylist
import KeyServerModule
import KeywayTesting
import Locking
import Testing

@testable import ContentKeySessionAVFoundation

/// Scenario 33, rules 92 to 101: FairPlay through the resource loader.
@Suite("FairPlay through the resource loader", .timeLimit(.minutes(10))) @MainActor
struct ResourceLoaderFairPlayTests {
    typealias App = ResourceLoaderApp

    @Test("An skd key plays after one license request, and the request finishes once")
    func online() async throws {
        try await App.run { scene in
            let app = App(scene)
            let playback = try await app.playUntilReady(app.film())
            #expect(app.server.requests.count == 1)
            await scene.system.advance(by: .seconds(120))
            #expect(playback.player.timeControlStatus == .playing && playback.error == nil)
            #expect(scene.system.media.log == [])
            #expect(await app.loader.accessLog.entries.map(\.kind) == [.certificate, .onDemand])
        }
    }

    @Test("The SPC has the protocol versions of the playlist: the device rejects one that it does not know")
    func versions() async throws {
        try await App.run { scene in
            let app = App(scene)
            await app.loader.keysDeclared([KeyTag("skd://film", versions: "99")])
            let error = try #require(await app.playUntilFailure(app.film()))
            #expect(App.numbers(error).contains(-42681))
            #expect(app.server.requests.isEmpty)
            // The server refuses version 1, which is that of a key without a tag.
            scene.server.protocolVersions = [2]
            await app.loader.keysDeclared([KeyTag("skd://film", versions: "1/2")])
            _ = try await app.playUntilReady(app.film())
            _ = try #require(await app.playUntilFailure(app.film("skd://other", name: "other")))
        }
    }

    @Test("One delegate has several assets, whose keys are requested separately")
    func severalAssets() async throws {
        try await App.run { scene in
            let app = App(scene)
            let first = app.play(app.film("skd://first", name: "first"))
            let second = app.play(app.film("SKD://second", name: "second"))
            try await scene.until("both play") {
                let isFirstReady = await first.isReady
                return await second.isReady && isFirstReady
            }
            #expect(app.server.requests.count == 2)
        }
    }

    @Test("With preloadsEligibleContentKeys, the keys of EXT-X-SESSION-KEY tags are requested first")
    func preload() async throws {
        try await App.run { scene in
            let app = App(scene)
            let url = app.film()
            let keys: [StreamContent.Key] = [
                .init("skd://first", range: 0..<5000), .init("skd://second", range: 5000..<10_000),
            ]
            scene.system.media.publish(
                StreamContent(
                    duration: 10_000,
                    variants: [.init(keys: keys)],
                    sessionKeys: keys.map { .init($0.uri) }
                ),
                at: url
            )
            let playback = app.play(url, preloads: true)
            try await scene.until("it plays") { await playback.isReady }
            try await app.waitForKeys(2)
            await scene.system.advance(by: .seconds(6000))
            #expect(app.server.requests.count == 2 && playback.error == nil)
            #expect(playback.player.timeControlStatus == .playing)
        }
    }

    // MARK: Errors

    @Test("The reason of a refusal reaches the player item")
    func refusal() async throws {
        try await App.run { scene in
            let app = App(scene)
            scene.server.injectAlways(.forbidden(reason: "streams-exceeded"), on: .license)
            let error = try #require(await app.playUntilFailure(app.film()))
            #expect(error.domain == "org.keyway.content-key" && error.code == 403)
            #expect(error.localizedDescription.contains("streams-exceeded"))
            #expect(error.localizedRecoverySuggestion == KeyFailure.Kind.forbidden.rule.advice)
            #expect(app.server.requests.count == 1)
            #expect(scene.system.media.log == [])
        }
    }

    @Test("The device's error reaches the player item, as the guide requires, with advice")
    func spcFailure() async throws {
        try await App.run { scene in
            let app = App(scene)
            scene.device.failNextSPC(with: -42679)
            let error = try #require(await app.playUntilFailure(app.film()))
            #expect(error.domain == AVFoundationErrorDomain && App.numbers(error) == [-11800, -42679])
            #expect(error.localizedRecoverySuggestion == KeyFailure.Kind.spcCreationFailed.rule.advice)
            #expect(app.server.requests.isEmpty)
            // Playback can be started again.
            _ = try await app.playUntilReady(app.film())
        }
    }

    @Test("A temporary failure is retried within the same request")
    func retry() async throws {
        try await App.run { scene in
            let app = App(scene)
            scene.server.inject(.status(503), .captivePortal, on: .license)
            _ = try await app.playUntilReady(app.film())
            #expect(app.server.requests.count == 3)
            #expect(scene.system.media.log == [])
        }
    }

    @Test("A URI that does not follow the policy is an error")
    func badURI() async throws {
        try await App.run { scene in
            let app = App(scene)
            let error = try #require(await app.playUntilFailure(app.film("skd://a")))
            #expect(error.domain == "org.keyway.content-key" && error.code != 0)
        }
    }

    @Test("In a simulator, the error names the simulator")
    func simulator() async throws {
        try await App.run(isSimulator: true) { scene in
            let app = PlatformEnvironment.forNewSessions.withValue(.simulator) { App(scene) }
            let error = try #require(await app.playUntilFailure(app.film()))
            #expect(error.domain == "org.keyway.content-key" && error.code != 0)
            #expect(error.localizedDescription.contains("not-available-in-simulator"))
            #expect(error.localizedRecoverySuggestion?.contains("simulator") == true)
        }
    }

    // MARK: Ends

    @Test("A request that the key loader does not answer fails at a timeout")
    func noAnswer() async throws {
        try await App.run { scene in
            let app = App(scene, isRunning: false)
            let playback = app.play(app.film())
            await scene.system.advance(by: .seconds(60))
            #expect(playback.error == nil)
            await scene.system.advance(by: .seconds(100))
            try await scene.until("it fails") { await playback.error != nil }
            #expect(playback.error?.domain == "org.keyway.content-key" && playback.error?.code == 90)
        }
    }

    @Test("A silent server: the key loader's deadline ends the request")
    func silentServer() async throws {
        try await App.run { scene in
            let app = App(scene)
            scene.server.injectAlways(.noResponse)
            let playback = app.play(app.film())
            try await scene.until("it fails") { await playback.error != nil }
            #expect(playback.error?.localizedDescription.contains("deadline-exceeded") == true)
            scene.server.removeFaults()
        }
    }

    @Test("A cancelled request ends, and its response is not delivered", arguments: [true, false])
    func cancel(isAnswered: Bool) async throws {
        try await App.run { scene in
            let app = App(scene)
            scene.server.injectAlways(.noResponse)
            let requests = Lock<[any ContentKeyLoading]>([])
            let reader = Task { [stream = app.keys.requests] in
                for await request in stream { requests.withLock { $0.append(request) } }
            }
            let playback = app.play(app.film())
            try await scene.until("it is requested") { requests.withLock { $0.count } == 1 }
            let request = try #require(requests.withLock { $0.first })
            #expect(request.isOpen)
            playback.player.replaceCurrentItem(with: nil)
            await scene.system.settle()
            #expect(!request.isOpen)
            if isAnswered {
                let response = ContentKeyResponse(fairPlayStreamingKeyResponseData: [1, 2, 3])
                #expect(await request.processContentKeyResponse(response) == .cancelled)
                await #expect(throws: ContentKeyError(.requestAnswered, .request)) {
                    _ = try await request.makeStreamingContentKeyRequestData(
                        certificate: [1],
                        contentIdentifier: [1, 2],
                        protocolVersions: [1]
                    )
                }
            }
            await request.processContentKeyResponseError(ContentKeyError(.timedOut, .session))
            await scene.system.advance(by: .seconds(300))
            // Rule 96: a second finish would be logged.
            #expect(scene.system.media.log == [])
            reader.cancel()
            scene.server.removeFaults()
        }
    }

    @Test("A request has one end, whatever comes after it")
    func oneEnd() async throws {
        try await App.run { scene in
            let app = App(scene, isRunning: false)
            var requests = app.keys.requests.makeAsyncIterator()
            let playback = app.play(app.film())
            let request = try #require(await requests.next())
            await request.processContentKeyResponseError(ContentKeyError(.timedOut, .session))
            let response = ContentKeyResponse(fairPlayStreamingKeyResponseData: [1, 2, 3])
            #expect(await request.processContentKeyResponse(response) == .failed)
            await request.processContentKeyResponseError(ContentKeyError(.timedOut, .session))
            app.keys.end()
            try await scene.until("it fails") { await playback.error != nil }
            await scene.system.advance(by: .seconds(300))
            #expect(playback.error?.domain == "org.keyway.content-key")
            #expect(scene.system.media.log == [])
        }
    }

    @Test("The end of the source ends open requests and later ones")
    func end() async throws {
        try await App.run { scene in
            let app = App(scene, isRunning: false)
            let open = app.play(app.film())
            await scene.system.settle()
            app.keys.end()
            try await scene.until("it fails") { await open.error != nil }
            let later = app.play(app.film("skd://later", name: "later"))
            try await scene.until("it fails") { await later.error != nil }
            #expect([open, later].map { $0.error?.code } == [91, 91])
            for await _ in app.keys.requests { Issue.record("a request after the end") }
        }
    }

    @Test("A request is answered although the app has released the delegate")
    func releasedDelegate() async throws {
        try await App.run { scene in
            let app = App(scene, isRunning: false)
            let playback = app.play(app.film())
            await scene.system.settle()
            app.delegate = nil
            #expect(playback.asset.resourceLoader.delegate == nil)
            let running = Task { [loader = app.loader] in await loader.run() }
            try await scene.until("it plays") { await playback.isReady }
            running.cancel()
        }
    }

    // MARK: Content types

    @Test(
        "A list without the type of the key is an error, not an exception",
        arguments: [["public.m3u-playlist"], [AVStreamingKeyDeliveryPersistentContentKeyType]]
    )
    func typeNotAllowed(types: [String]) async throws {
        try await App.run { scene in
            let app = App(scene)
            let asset = AVURLAsset(url: app.film())
            let request = app.makeRequest(allowedContentTypes: types)
            app.begin(request, of: asset)
            try await scene.until("it finishes") { request.isFinished }
            #expect(request.error?.localizedDescription.contains("content-type-not-allowed") == true)
            #expect(request.error?.code != 0 && request.error?.localizedRecoverySuggestion != nil)
            #expect(app.server.requests.isEmpty)
        }
    }

    @Test("The response has a type, its length, and no renewal date without a lease", arguments: [true, false])
    func contentInformation(hasList: Bool) async throws {
        try await App.run { scene in
            let app = App(scene)
            let asset = AVURLAsset(url: app.film())
            let types = hasList ? [AVStreamingKeyDeliveryContentKeyType] : []
            let request = app.makeRequest(allowedContentTypes: types)
            app.begin(request, of: asset)
            try await scene.until("it finishes") { request.isFinished }
            let information = try #require(request.object.contentInformationRequest)
            #expect(request.error == nil)
            #expect(information.contentType == AVStreamingKeyDeliveryContentKeyType)
            #expect(information.contentLength == request.object.dataRequest?.currentOffset)
            #expect(information.contentLength > 0 && information.isByteRangeAccessSupported)
            #expect(information.renewalDate == nil)
        }
    }

    // MARK: AES-128

    @Test("One delegate answers FairPlay and intercepted AES-128 keys")
    func bothKinds() async throws {
        try await App.run { scene in
            let clearKeys = OfflineClearKeys(store: TestPersistentKeys(), transport: ClearKeyServer())
            let app = App(scene, interceptor: clearKeys)
            let url = app.film()
            let clear = StreamContent.Key("keptkeyhttps://keys.example/clear", method: .aes128)
            scene.system.media.publish(
                StreamContent(variants: [.init(keys: [.init("skd://film"), clear])]),
                at: url
            )
            let playback = try await app.playUntilReady(url)
            await scene.system.advance(by: .seconds(10))
            #expect(playback.player.timeControlStatus == .playing && app.server.requests.count == 1)
        }
    }

    @Test("An AES-128 key that is missing fails with the status, a description and advice")
    func missingClearKey() async throws {
        try await App.run { scene in
            let clearKeys = OfflineClearKeys(store: TestPersistentKeys(), transport: ClearKeyServer(status: 404))
            let app = App(scene, interceptor: clearKeys)
            let url = app.film()
            let clear = StreamContent.Key("keptkeyhttps://keys.example/clear?token=secret", method: .aes128)
            scene.system.media.publish(StreamContent(variants: [.init(keys: [clear])]), at: url)
            let error = try #require(await app.playUntilFailure(url))
            #expect(error.domain == "org.keyway.resource-loader" && error.code == 404)
            #expect(error.localizedDescription == "https://keys.example/clear: status (404)")
            #expect(error.localizedRecoverySuggestion?.isEmpty == false)
        }
    }

    @Test("An address that neither answers is refused")
    func otherAddress() async throws {
        try await App.run { scene in
            let app = App(scene)
            let url = app.film()
            let clear = StreamContent.Key("keptkeyhttps://keys.example/clear", method: .aes128)
            scene.system.media.publish(StreamContent(variants: [.init(keys: [clear])]), at: url)
            let error = try await app.playUntilFailure(url)
            #expect(error?.code == NSURLErrorUnsupportedURL)
        }
    }
}

/// A server of one AES-128 key.
struct ClearKeyServer: KeyTransport {
    var status = 200
    func send(_ request: KeyTransportRequest) async throws(KeyTransportError) -> KeyTransportResponse {
        KeyTransportResponse(status: status, body: Array(repeating: 7, count: 16))
    }
}
