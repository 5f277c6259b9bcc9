import AVFoundation
import Locking
import Testing

/// A session's delegate that answers each request with the stand-in device.
private final class AnsweringDelegate: NSObject, AVContentKeySessionDelegate, @unchecked Sendable {
    let queue = DispatchQueue(label: "key session delegate")
    private let ckc: @Sendable (AVContentKeyRequest) -> String?
    private let asked = Lock<[String]>([])
    // The test's sessions, which must not be released before its end.
    private let sessions = Lock<[AVContentKeySession]>([])
    private let originators = Lock<[URL?]>([])
    var requests: [String] { asked.withLock { $0 } }
    var assets: [URL?] { originators.withLock { $0 } }

    init(_ ckc: @escaping @Sendable (AVContentKeyRequest) -> String? = { _ in "ckc" }) { self.ckc = ckc }

    func makeSession() -> AVContentKeySession {
        let session = AVContentKeySession(keySystem: .fairPlayStreaming)
        session.setDelegate(self, queue: queue)
        sessions.withLock { $0.append(session) }
        return session
    }

    func contentKeySession(_ session: AVContentKeySession, didProvide keyRequest: AVContentKeyRequest) {
        answer(keyRequest)
    }
    func contentKeySession(
        _ session: AVContentKeySession,
        didProvideRenewingContentKeyRequest keyRequest: AVContentKeyRequest
    ) { answer(keyRequest) }

    private func answer(_ request: AVContentKeyRequest) {
        let name = request.identifier as? String ?? "?"
        asked.withLock { $0.append(request.renewsExpiringResponseData ? "renew \(name)" : name) }
        originators.withLock { $0.append((request.originatingRecipient as? AVURLAsset)?.url) }
        guard let ckc = ckc(request) else { return request.processContentKeyResponseError(NSError.refused) }
        request.makeStreamingContentKeyRequestData(forApp: Data("app".utf8), contentIdentifier: Data("id".utf8)) {
            _,
            error in
            if let error { return request.processContentKeyResponseError(error) }
            request.processContentKeyResponse(AVContentKeyResponse(fairPlayStreamingKeyResponseData: Data(ckc.utf8)))
        }
    }
}

@Suite("Players and downloads with a key session", .timeLimit(.minutes(10))) @MainActor
struct SessionPlaybackTests {
    private func play(_ session: AVContentKeySession, _ url: URL = film) -> (AVPlayer, AVPlayerItem) {
        let asset = AVURLAsset(url: url)
        session.addContentKeyRecipient(asset)
        let item = AVPlayerItem(asset: asset)
        let player = AVPlayer(playerItem: item)
        player.play()
        return (player, item)
    }

    @Test("Rules 25, 37 and 44: an item's need reaches the delegate once, with its asset")
    func online() async throws {
        try await onSystem(device: StandInDevice()) { system in
            system.media.publish(.protected("skd://film"), at: film)
            let delegate = AnsweringDelegate()
            let session = delegate.makeSession()
            for _ in 0..<2 {
                let (player, item) = play(session)
                await system.advance(by: .seconds(5))
                #expect(player.timeControlStatus == .playing && item.error == nil)
            }
            #expect(delegate.requests == ["skd://film"] && delegate.assets == [film])
        }
    }

    @Test("Rule 20: the item fails with the domain and code that the app passed")
    func refused() async throws {
        try await onSystem(device: StandInDevice()) { system in
            system.media.publish(.protected("skd://film"), at: film)
            let delegate = AnsweringDelegate { _ in nil }
            let session = delegate.makeSession()
            let (_, item) = play(session)
            await system.settle()
            let error = try #require(item.error as NSError?)
            #expect(error.domain == NSError.refused.domain && error.code == NSError.refused.code)
        }
    }

    @Test("Rules 46 and 51: a lease that the app renews does not stop playback; one that it does not renew does")
    func leases() async throws {
        for renews in [true, false] {
            try await onSystem(device: StandInDevice()) { system in
                system.media.publish(.protected("skd://film"), at: film)
                let request = Lock<AVContentKeyRequest?>(nil)
                let delegate = AnsweringDelegate { asked in
                    request.withLock { if $0 == nil { $0 = asked } }
                    return "ckc:20"
                }
                let session = delegate.makeSession()
                let (player, item) = play(session)
                await system.advance(by: .seconds(10))
                if renews, let request = request.withLock({ $0 }) { session.renewExpiringResponseData(for: request) }
                await system.advance(by: .seconds(15))
                #expect((player.timeControlStatus == .playing) == renews)
                #expect((item.error as NSError?)?.code == (renews ? nil : -42656))
                #expect(delegate.requests == (renews ? ["skd://film", "renew skd://film"] : ["skd://film"]))
            }
        }
    }

    @Test("Rule 86: AirPlay asks the session again")
    func airPlay() async throws {
        try await onSystem(device: StandInDevice()) { system in
            system.media.publish(.protected("skd://film"), at: film)
            let delegate = AnsweringDelegate()
            let session = delegate.makeSession()
            let (player, item) = play(session)
            await system.settle()
            system.media.setRoute(.airPlay)
            await system.advance(by: .seconds(5))
            #expect(delegate.requests == ["skd://film", "skd://film"])
            #expect(player.isExternalPlaybackActive && item.error == nil)
        }
    }

    @Test("Rule 101: with a delegate of the loader and a session, the session gets the request")
    func loaderToo() async throws {
        try await onSystem(device: StandInDevice()) { system in
            system.media.publish(.protected("skd://film"), at: film)
            let delegate = AnsweringDelegate()
            let session = delegate.makeSession()
            let asset = AVURLAsset(url: film)
            let loader = LoaderDelegate { _ in false }
            asset.resourceLoader.setDelegate(loader, queue: loader.queue)
            session.addContentKeyRecipient(asset)
            let player = AVPlayer(playerItem: AVPlayerItem(asset: asset))
            await system.settle()
            #expect(delegate.requests == ["skd://film"] && loader.requests.isEmpty)
            #expect(player.currentItem?.status == .readyToPlay)
        }
    }

    @Test("Rules 76 and 104: an asset that has a download task cannot become a recipient any more")
    func tooLate() async throws {
        try await onSystem(device: StandInDevice()) { system in
            system.media.publish(.protected("skd://film"), at: film)
            let delegate = AnsweringDelegate()
            let session = delegate.makeSession()
            let asset = AVURLAsset(url: film)
            DownloadLog().makeSession().start(asset)
            session.addContentKeyRecipient(asset)
            #expect(system.takeExceptions().map(\.name) == [.internalInconsistency])
        }
    }

    @Test("Rule 103: a download asks the session of its asset, and a refused key ends it")
    func download() async throws {
        for isRefused in [false, true] {
            try await onSystem(device: StandInDevice()) { system in
                system.media.publish(.protected("skd://film"), at: film)
                let delegate = AnsweringDelegate { _ in isRefused ? nil : "ckc" }
                let session = delegate.makeSession()
                let asset = AVURLAsset(url: film)
                session.addContentKeyRecipient(asset)
                let log = DownloadLog()
                log.makeSession().start(asset)
                await system.advance(by: .seconds(60))
                #expect(delegate.requests == ["skd://film"])
                #expect(log.events.last == (isRefused ? "error org.example.server 403" : "complete"))
            }
        }
    }

    @Test("Rule 123: a key that the app requested in advance was initiated by the client")
    func metrics() async throws {
        try await onSystem(device: StandInDevice()) { system in
            system.media.publish(.protected("skd://film"), at: film)
            let delegate = AnsweringDelegate()
            let session = delegate.makeSession()
            session.processContentKeyRequest(withIdentifier: "skd://film", initializationData: nil)
            await system.settle()
            let (_, item) = play(session)
            await system.settle()
            var events = item.metrics(forType: AVMetricContentKeyRequestEvent.self).makeAsyncIterator()
            let event = try await events.next()
            #expect(event?.isClientInitiated == true)
            #expect(delegate.requests == ["skd://film"])
        }
    }

    @Test("Rule 107: a relaunch ends key sessions and players, and downloads go on")
    func relaunch() async throws {
        try await onSystem(device: StandInDevice()) { system in
            system.media.publish(StreamContent(), at: film)
            let delegate = AnsweringDelegate()
            let session = delegate.makeSession()
            let (player, _) = play(session)
            DownloadLog().makeSession().start(name: "one")
            await system.advance(by: .seconds(6))
            system.relaunch()
            await system.advance(by: .seconds(60))
            #expect(player.currentTime().seconds == 6)
            let log = DownloadLog()
            _ = log.makeSession()
            await system.settle()
            #expect(log.events.contains("complete one"))
        }
    }
}
