import AVFoundation
import Locking
import Testing

/// A delegate that calls closures of the test.
final class LoaderDelegate: NSObject, AVAssetResourceLoaderDelegate, @unchecked Sendable {
    let queue = DispatchQueue(label: "loader delegate")
    // Used on the queue, and by the test after the system has settled.
    nonisolated(unsafe) var requests: [AVAssetResourceLoadingRequest] = []
    nonisolated(unsafe) var cancelled: [AVAssetResourceLoadingRequest] = []
    private let answer: @Sendable (AVAssetResourceLoadingRequest) -> Bool

    init(_ answer: @escaping @Sendable (AVAssetResourceLoadingRequest) -> Bool) { self.answer = answer }

    func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader,
        shouldWaitForLoadingOfRequestedResource loadingRequest: AVAssetResourceLoadingRequest
    ) -> Bool {
        requests.append(loadingRequest)
        return answer(loadingRequest)
    }
    func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader,
        shouldWaitForRenewalOfRequestedResource renewalRequest: AVAssetResourceRenewalRequest
    ) -> Bool {
        requests.append(renewalRequest)
        return answer(renewalRequest)
    }
    func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader,
        didCancel loadingRequest: AVAssetResourceLoadingRequest
    ) { cancelled.append(loadingRequest) }

    /// Plays an asset with this delegate.
    @MainActor func play(_ url: URL = film, preloads: Bool = false) -> (AVPlayer, AVPlayerItem) {
        let asset = AVURLAsset(url: url)
        asset.resourceLoader.setDelegate(self, queue: queue)
        asset.resourceLoader.preloadsEligibleContentKeys = preloads
        let item = AVPlayerItem(asset: asset)
        let player = AVPlayer(playerItem: item)
        player.play()
        return (player, item)
    }
}

extension AVAssetResourceLoadingRequest {
    /// Answers as an app does.
    func answer(_ ckc: String = "ckc", type: String = AVStreamingKeyDeliveryContentKeyType, renewal: Date? = nil)
        -> Bool
    {
        contentInformationRequest?.contentType = type
        contentInformationRequest?.renewalDate = renewal
        dataRequest?.respond(with: Data(ckc.utf8))
        finishLoading()
        return true
    }
    func makeSPC(persistent: Bool = false) throws -> String {
        let options: [String: Any] = persistent ? ["RequiresPersistentKey": true] : [:]
        let spc = try streamingContentKeyRequestData(
            forApp: Data("certificate".utf8),
            contentIdentifier: Data((request.url?.host ?? "").utf8),
            options: options
        )
        return String(decoding: spc, as: UTF8.self)
    }
}

@Suite("The resource loader") @MainActor
struct ResourceLoaderTests {
    static let types = [AVStreamingKeyDeliveryContentKeyType, AVStreamingKeyDeliveryPersistentContentKeyType]

    @Test("Rule 92: returning false lets the load fail")
    func refused() async throws {
        try await onSystem(device: StandInDevice()) { system in
            system.media.publish(.protected("skd://film"), at: film)
            let delegate = LoaderDelegate { _ in false }
            let (_, item) = delegate.play()
            await system.settle()
            #expect((item.error as NSError?)?.domain == NSURLErrorDomain && (item.error as NSError?)?.code == -1002)
            #expect(delegate.requests.map(\.request.url?.absoluteString) == ["skd://film"])
        }
    }

    @Test("Rule 92: without a delegate an skd URI fails")
    func noDelegate() async throws {
        try await onSystem(device: StandInDevice()) { system in
            system.media.publish(.protected("skd://film"), at: film)
            let (_, item) = PlayerTests.play()
            await system.settle()
            #expect((item.error as NSError?)?.code == -1002)
        }
    }

    @Test("Rule 92: returning true obliges to finish, later, and further requests come before")
    func later() async throws {
        try await onSystem(device: StandInDevice()) { system in
            let audio = StreamContent.Rendition("English", keys: [.init("skd://en")])
            let content = StreamContent(variants: [.init(keys: [.init("skd://film")])], renditions: [audio])
            system.media.publish(content, at: film)
            let delegate = LoaderDelegate { _ in true }
            let (player, item) = delegate.play()
            await system.advance(by: .seconds(10))
            #expect(delegate.requests.count == 2 && item.status == .unknown)
            for request in delegate.requests {
                let spc = try request.makeSPC()
                #expect(spc.hasPrefix("spc:"))
                #expect(request.answer() && request.isFinished)
            }
            await system.advance(by: .seconds(10))
            #expect(player.timeControlStatus == .playing && player.currentTime().seconds == 10)
        }
    }

    @Test("Rule 92: the item fails with the error of finishLoading(with:)")
    func failed() async throws {
        try await onSystem(device: StandInDevice()) { system in
            system.media.publish(.protected("skd://film"), at: film)
            let delegate = LoaderDelegate { request in
                request.finishLoading(with: NSError.refused)
                return true
            }
            let (_, item) = delegate.play()
            await system.settle()
            #expect(item.error as NSError? == .refused)
        }
    }

    @Test("Rule 92: a CKC that the device refuses fails with -42668 below -11800")
    func badCKC() async throws {
        try await onSystem(device: StandInDevice()) { system in
            system.media.publish(.protected("skd://film"), at: film)
            let delegate = LoaderDelegate { request in
                _ = try? request.makeSPC()
                return request.answer("<html>")
            }
            let (_, item) = delegate.play()
            await system.settle()
            let error = item.error as NSError?
            #expect(error?.code == -11800)
            #expect((error?.userInfo[NSUnderlyingErrorKey] as? NSError)?.code == -42668)
        }
    }

    @Test("Rule 93: finishLoading() raises without a content type, and with one that is not allowed")
    func contentType() async throws {
        try await onSystem(device: StandInDevice()) { system in
            system.media.publish(.protected("skd://film"), at: film)
            let delegate = LoaderDelegate { _ in true }
            _ = delegate.play()
            await system.settle()
            let request = try #require(delegate.requests.first)
            request.finishLoading()
            #expect(system.takeExceptions().count == 1)
            #expect(request.answer(type: "video/mp4"))
            #expect(system.takeExceptions().count == 1 && !request.isFinished)
            _ = try request.makeSPC()
            #expect(request.answer() && request.isFinished)
        }
    }

    @Test("Rule 94: a request of AirPlay leaves out the persistent type")
    func airPlay() async throws {
        try await onSystem(device: StandInDevice()) { system in
            system.media.publish(.protected("skd://film"), at: film)
            let delegate = LoaderDelegate { request in
                guard let allowed = request.contentInformationRequest?.allowedContentTypes else { return false }
                guard allowed.contains(AVStreamingKeyDeliveryPersistentContentKeyType) else {
                    return (try? request.makeSPC(persistent: true)) == nil && (try? request.makeSPC()) != nil
                        && request.answer()
                }
                return (try? request.makeSPC()) != nil && request.answer()
            }
            let (player, item) = delegate.play()
            await system.settle()
            system.media.setRoute(.airPlay)
            await system.advance(by: .seconds(5))
            let allowed = delegate.requests.map { $0.contentInformationRequest?.allowedContentTypes }
            #expect(allowed == [Self.types, [AVStreamingKeyDeliveryContentKeyType]])
            #expect(player.timeControlStatus == .playing && item.error == nil)
        }
    }

    @Test("Rule 95: a persistent key is made of the CKC, answered with its type, and used again without an SPC")
    func persistent() async throws {
        try await onSystem(device: StandInDevice()) { system in
            system.media.publish(.protected("skd://film"), at: film)
            let stored = Lock<Data?>(nil)
            let delegate = LoaderDelegate { request in
                if stored.withLock({ $0 }) == nil {
                    guard let spc = try? request.makeSPC(persistent: true), spc.hasSuffix(":persistent"),
                        let key = try? request.persistentContentKey(fromKeyVendorResponse: Data("ckc".utf8))
                    else { return false }
                    stored.withLock { $0 = key }
                }
                let data = stored.withLock { $0 } ?? Data()
                return request.answer(
                    String(decoding: data, as: UTF8.self),
                    type: AVStreamingKeyDeliveryPersistentContentKeyType
                )
            }
            for _ in 0..<2 {
                let (player, item) = delegate.play()
                await system.advance(by: .seconds(5))
                #expect(player.timeControlStatus == .playing && item.error == nil)
            }
            stored.withLock { $0 = Data("of another device".utf8) }
            let (_, item) = delegate.play()
            await system.settle()
            #expect(item.status == .failed)
        }
    }

    @Test("Rule 96: a second finishLoading is ignored, with a line in the log")
    func twice() async throws {
        try await onSystem(device: StandInDevice()) { system in
            system.media.publish(.protected("skd://film"), at: film)
            let delegate = LoaderDelegate { request in
                _ = try? request.makeSPC()
                _ = request.answer()
                request.finishLoading(with: NSError.refused)
                return true
            }
            let (_, item) = delegate.play()
            await system.settle()
            #expect(item.status == .readyToPlay && system.media.log.count == 1)
        }
    }

    @Test("Rule 97: a request that is not needed any more is cancelled, and says so in didCancel")
    func cancelled() async throws {
        try await onSystem(device: StandInDevice()) { system in
            system.media.publish(.protected("skd://film"), at: film)
            let delegate = LoaderDelegate { _ in true }
            let (player, item) = delegate.play()
            await system.settle()
            player.replaceCurrentItem(with: nil)
            await system.settle()
            let request = try #require(delegate.cancelled.first)
            #expect(delegate.cancelled.count == 1 && request.isCancelled && !request.isFinished)
            _ = try request.makeSPC()
            _ = request.answer()
            #expect(!request.isFinished && item.status == .unknown)
        }
    }

    @Test("Rule 98: a renewal request comes at the renewal date, as long as the key is needed")
    func renewal() async throws {
        try await onSystem(device: StandInDevice()) { system in
            system.media.publish(.protected("skd://film"), at: film)
            let clock = system.clock
            let delegate = LoaderDelegate { request in
                guard let spc = try? request.makeSPC() else { return false }
                let isRenewal = request is AVAssetResourceRenewalRequest
                guard isRenewal == (spc == "renewal") else { return false }
                return request.answer("ckc:20", renewal: clock.date.addingTimeInterval(15))
            }
            let (player, item) = delegate.play()
            await system.advance(by: .seconds(14))
            #expect(delegate.requests.count == 1)
            await system.advance(by: .seconds(1))
            #expect(delegate.requests.count == 2 && delegate.requests.last is AVAssetResourceRenewalRequest)
            await system.advance(by: .seconds(40))
            #expect(player.timeControlStatus == .playing && item.error == nil)
            player.replaceCurrentItem(with: nil)
            let count = delegate.requests.count
            await system.advance(by: .seconds(60))
            #expect(delegate.requests.count == count)
        }
    }

    @Test("Rule 99: a redirect may go to HTTP URLs only")
    func redirect() async throws {
        for (target, isPlaying) in [("https://media.example/key", true), ("skd://other", false)] {
            try await onSystem { system in
                let content = StreamContent(variants: [.init(keys: [.init("app-key://film", method: .aes128)])])
                system.media.publish(content, at: film)
                system.media.publish(key: Data(repeating: 1, count: 16), at: "https://media.example/key")
                let delegate = LoaderDelegate { request in
                    request.redirect = URL(string: target).map { URLRequest(url: $0) }
                    request.finishLoading()
                    return true
                }
                let (player, item) = delegate.play()
                await system.advance(by: .seconds(5))
                #expect((player.timeControlStatus == .playing) == isPlaying)
                #expect((item.error as NSError?)?.code == (isPlaying ? nil : -1002))
            }
        }
    }

    @Test("Rule 100: session keys are loaded eagerly if the app wants it", arguments: [true, false])
    func preload(isWanted: Bool) async throws {
        try await onSystem(device: StandInDevice()) { system in
            let content = StreamContent(
                variants: [.init(keys: [.init("skd://first", range: 0..<30), .init("skd://second", range: 30..<60)])],
                sessionKeys: [.init("skd://first"), .init("skd://second")]
            )
            system.media.publish(content, at: film)
            let delegate = LoaderDelegate { request in (try? request.makeSPC()) != nil && request.answer() }
            let (player, item) = delegate.play(preloads: isWanted)
            await system.advance(by: .seconds(10))
            #expect(delegate.requests.count == (isWanted ? 2 : 1))
            await system.advance(by: .seconds(30))
            #expect(delegate.requests.count == 2 && player.timeControlStatus == .playing && item.error == nil)
        }
    }

    @Test("Rule 101: with a delegate and a key session, the session gets the FairPlay keys")
    func session() async throws {
        try await onSystem(device: StandInDevice()) { system in
            system.media.publish(.protected("skd://film"), at: film)
            let keys = StandInKeys(system)
            keys.provide(.fairPlay(StandInKey()), for: "skd://film")
            let delegate = LoaderDelegate { _ in false }
            let (_, item) = delegate.play()
            await system.settle()
            #expect(delegate.requests.isEmpty && item.status == .readyToPlay && keys.uris == ["skd://film"])
        }
    }

    @Test("Rule 92: a playlist with the app's own scheme is loaded through the delegate")
    func playlist() async throws {
        try await onSystem { system in
            let url = try #require(URL(string: "app://media.example/main.m3u8"))
            system.media.publish(StreamContent(), at: url)
            let delegate = LoaderDelegate { $0.answer("#EXTM3U", type: "public.m3u-playlist") }
            let (_, item) = delegate.play(url)
            await system.settle()
            #expect(delegate.requests.map(\.request.url) == [url] && item.status == .readyToPlay)
        }
    }

    @Test("Rule 93: the loader raises without a queue for its delegate")
    func queue() async throws {
        try await onSystem { system in
            let delegate = LoaderDelegate { _ in false }
            AVURLAsset(url: film).resourceLoader.setDelegate(delegate, queue: nil)
            #expect(system.takeExceptions().map(\.name) == [.invalidArgument])
        }
    }
}
