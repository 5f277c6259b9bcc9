import AVFoundation
import Locking
import Testing

@Suite("Players and their keys", .timeLimit(.minutes(10))) @MainActor
struct PlayerTests {
    static func play(_ url: URL = film) -> (AVPlayer, AVPlayerItem) {
        let item = AVPlayerItem(asset: AVURLAsset(url: url))
        let player = AVPlayer(playerItem: item)
        player.play()
        return (player, item)
    }

    @Test("Rule 22: without an answer to the request, playback stalls")
    func stall() async throws {
        try await onSystem { system in
            system.media.publish(.protected("skd://film"), at: film)
            let keys = StandInKeys(system)
            let (player, item) = Self.play()
            await system.advance(by: .seconds(30))
            #expect(item.status == .unknown && player.timeControlStatus == .waitingToPlayAtSpecifiedRate)
            #expect(keys.uris == ["skd://film"])
            keys.provide(.fairPlay(StandInKey()), for: "skd://film")
            await system.advance(by: .seconds(10))
            #expect(item.status == .readyToPlay && player.timeControlStatus == .playing)
            #expect(player.currentTime().seconds == 10)
        }
    }

    @Test("Rule 20: an item fails with the domain and code of a failed key")
    func failure() async throws {
        try await onSystem { system in
            system.media.publish(.protected("skd://film"), at: film)
            StandInKeys(system).fail("skd://film", .refused)
            let (player, item) = Self.play()
            await system.settle()
            #expect(item.status == .failed && item.error as NSError? == .refused)
            #expect(item.errorLog()?.events.map(\.errorStatusCode) == [403])
            #expect(player.timeControlStatus == .paused)
        }
    }

    @Test("Rule 44: each key is needed once, also by an asset with several renditions, and playback ends at the end")
    func keys() async throws {
        try await onSystem { system in
            system.media.publish(StorageTests.bilingual, at: film)
            let keys = StandInKeys(system)
            let key = StandInKey()
            keys.provide(.fairPlay(key), for: "skd://en")
            let (player, item) = Self.play()
            await system.advance(by: .seconds(59))
            #expect(player.timeControlStatus == .playing && key.starts == 1 && key.stops == 0)
            await system.advance(by: .seconds(1))
            #expect(keys.uris == ["skd://en"] && keys.starts == ["skd://en"])
            #expect(player.timeControlStatus == .paused && item.status == .readyToPlay && key.stops == 1)
            #expect(player.currentTime().seconds == 60)
        }
    }

    @Test("Rule 21: a live presentation needs the key of each period when it begins")
    func rotation() async throws {
        try await onSystem { system in
            let periods = (0..<10).map { number in
                StreamContent.Key("skd://live/\(number)", range: Double(number) * 10..<Double(number + 1) * 10)
            }
            system.media.publish(StreamContent(duration: nil, variants: [.init(keys: periods)]), at: film)
            let keys = StandInKeys(system)
            for period in periods.dropLast() { keys.provide(.fairPlay(StandInKey()), for: period.uri) }
            let (player, item) = Self.play()
            await system.advance(by: .seconds(9))
            #expect(keys.uris == ["skd://live/0"])
            await system.advance(by: .seconds(86))
            #expect(keys.uris == periods.map(\.uri))
            // The last key was not provided.
            #expect(player.timeControlStatus == .waitingToPlayAtSpecifiedRate && item.status == .readyToPlay)
            #expect(player.currentTime().seconds == 90)
        }
    }

    @Test("Rule 51: a lease that is not renewed stops playback at its end with -42656")
    func lease() async throws {
        try await onSystem { system in
            system.media.publish(.protected("skd://film"), at: film)
            let keys = StandInKeys(system)
            keys.provide(.fairPlay(StandInKey(clock: system.clock, lease: 20)), for: "skd://film")
            let (player, item) = Self.play()
            await system.advance(by: .seconds(19))
            #expect(player.timeControlStatus == .playing)
            await system.advance(by: .seconds(1))
            #expect(
                (item.error as NSError?)?.code == -42656 && (item.error as NSError?)?.domain == NSOSStatusErrorDomain
            )
            #expect(player.currentTime().seconds == 20)
        }
    }

    @Test("Rule 51: a lease that was renewed, in the key or by another key, does not stop playback")
    func renewedLease() async throws {
        try await onSystem { system in
            system.media.publish(.protected("skd://film"), at: film)
            let keys = StandInKeys(system)
            let key = StandInKey(clock: system.clock, lease: 20)
            keys.provide(.fairPlay(key), for: "skd://film")
            let (player, item) = Self.play()
            await system.advance(by: .seconds(10))
            key.state.withLock { $0.leaseEnd = $0.leaseEnd.map { $0 + 10 } }
            await system.advance(by: .seconds(15))
            #expect(player.timeControlStatus == .playing && item.error == nil)
            let renewed = StandInKey(clock: system.clock, lease: 60)
            keys.provide(.fairPlay(renewed), for: "skd://film")
            await system.advance(by: .seconds(20))
            #expect(player.timeControlStatus == .playing && item.error == nil)
        }
    }

    @Test("Rule 60: a key past its end is refused at the start, and one that ends during playback plays on")
    func rental() async throws {
        try await onSystem { system in
            system.media.publish(.protected("skd://film"), at: film)
            let keys = StandInKeys(system)
            let key = StandInKey()
            keys.provide(.fairPlay(key), for: "skd://film")
            let (player, item) = Self.play()
            await system.advance(by: .seconds(10))
            key.state.withLock { $0.refusal = NSError(domain: NSOSStatusErrorDomain, code: -42800) }
            await system.advance(by: .seconds(10))
            #expect(player.timeControlStatus == .playing && item.error == nil)
            player.replaceCurrentItem(with: nil)
            let (_, next) = Self.play()
            await system.settle()
            #expect((next.error as NSError?)?.code == -42800)
        }
    }

    @Test("Rules 45 and 86: AirPlay and an adapter need keys of their own, and playback waits for them")
    func routes() async throws {
        for route in [OutputRoute.airPlay, .digitalAVAdapter] {
            try await onSystem { system in
                system.media.publish(.protected("skd://film"), at: film)
                let keys = StandInKeys(system)
                keys.provide(.fairPlay(StandInKey()), for: "skd://film")
                let (player, item) = Self.play()
                await system.advance(by: .seconds(10))
                system.media.setRoute(route)
                await system.settle()
                #expect(keys.needs.map(\.route) == [.local, route])
                #expect(player.isExternalPlaybackActive && player.timeControlStatus == .playing)
                system.media.setRoute(.local)
                await system.advance(by: .seconds(5))
                #expect(!player.isExternalPlaybackActive && player.timeControlStatus == .playing && item.error == nil)
            }
        }
    }

    @Test("Rule 86: a key that fails for AirPlay fails the item")
    func failedRoute() async throws {
        try await onSystem { system in
            system.media.publish(.protected("skd://film"), at: film)
            let keys = StandInKeys(system)
            keys.provide(.fairPlay(StandInKey()), for: "skd://film")
            let (_, item) = Self.play()
            await system.advance(by: .seconds(10))
            keys.fail("skd://film", .refused)
            system.media.setRoute(.airPlay)
            await system.settle()
            #expect(item.status == .failed)
        }
    }

    @Test("Rule 88: a mirrored screen needs no key, unless the player uses external playback on it")
    func mirroring() async throws {
        try await onSystem { system in
            system.media.publish(.protected("skd://film"), at: film)
            let keys = StandInKeys(system)
            keys.provide(.fairPlay(StandInKey()), for: "skd://film")
            let (player, _) = Self.play()
            system.media.setRoute(.airPlay, mirroring: true)
            await system.settle()
            #expect(!player.isExternalPlaybackActive && keys.needs.map(\.route) == [.local])
            player.usesExternalPlaybackWhileExternalScreenIsActive = true
            await system.settle()
            #expect(player.isExternalPlaybackActive && keys.needs.map(\.route) == [.local, .airPlay])
        }
    }

    @Test("Rule 84: an output that is not protected as the key requires is obscured, without an error")
    func obscured() async throws {
        try await onSystem { system in
            system.media.publish(.protected("skd://film"), at: film)
            let key = StandInKey()
            StandInKeys(system).provide(.fairPlay(key), for: "skd://film")
            let (player, item) = Self.play()
            await system.settle()
            #expect(!player.isOutputObscuredDueToInsufficientExternalProtection)
            key.state.withLock { $0.isOutputSufficient = false }
            #expect(player.isOutputObscuredDueToInsufficientExternalProtection && item.error == nil)
        }
    }

    @Test("Rule 85: a key that needs more security fails the item with -42811")
    func security() async throws {
        try await onSystem { system in
            system.media.publish(.protected("skd://film"), at: film)
            let error = NSError(domain: NSOSStatusErrorDomain, code: -42811)
            StandInKeys(system).fail("skd://film", error)
            let (_, item) = Self.play()
            await system.settle()
            #expect(item.error as NSError? == error)
        }
    }

    @Test("Rule 90: the player fetches an AES-128 key with an https URI by itself")
    func aes128() async throws {
        try await onSystem { system in
            let uri = "https://media.example/key"
            let content = StreamContent(variants: [.init(keys: [.init(uri, method: .aes128)])])
            system.media.publish(content, at: film)
            let (_, failed) = Self.play()
            await system.settle()
            #expect((failed.error as NSError?)?.code == -11863)
            system.media.publish(key: Data(repeating: 1, count: 16), at: uri)
            let (player, item) = Self.play()
            await system.advance(by: .seconds(10))
            #expect(player.timeControlStatus == .playing && item.error == nil)
            #expect(system.media.fetchedKeys == [uri, uri])
        }
    }

    @Test("Rule 90: the package of a download contains the AES-128 key that the system fetched")
    func aes128Offline() async throws {
        try await onSystem { system in
            let uri = "https://media.example/key"
            let content = StreamContent(variants: [.init(keys: [.init(uri, method: .aes128)])])
            system.media.publish(content, at: film)
            system.media.publish(key: Data(repeating: 1, count: 16), at: uri)
            let log = DownloadLog()
            log.makeSession().start()
            await system.advance(by: .seconds(60))
            system.setNetwork(.offline)
            let (player, item) = Self.play(try #require(log.locations.last))
            await system.advance(by: .seconds(10))
            #expect(player.timeControlStatus == .playing && item.error == nil)
            #expect(system.media.fetchedKeys == [uri])
        }
    }

    @Test("Rule 37: the keys of an interstitial are needed for its own asset")
    func interstitial() async throws {
        try await onSystem { system in
            let ad = film.film("ad")
            system.media.publish(.protected("skd://ad", duration: 10), at: ad)
            var content = StreamContent.protected("skd://film")
            content.interstitials = [.init(at: 20, url: ad)]
            system.media.publish(content, at: film)
            let keys = StandInKeys(system)
            for uri in ["skd://film", "skd://ad"] { keys.provide(.fairPlay(StandInKey()), for: uri) }
            let (player, item) = Self.play()
            await system.advance(by: .seconds(25))
            #expect(keys.needs.map(\.asset) == ["film", "ad"])
            #expect(player.currentTime().seconds == 20)
            await system.advance(by: .seconds(10))
            #expect(player.currentTime().seconds == 25 && item.error == nil)
        }
    }

    @Test("Rule 119: what was not downloaded comes from the network, and the download plays without one")
    func offline() async throws {
        try await onSystem { system in
            system.media.publish(StorageTests.bilingual, at: film)
            let keys = StandInKeys(system)
            for uri in ["skd://en", "skd://de"] { keys.provide(.fairPlay(StandInKey()), for: uri) }
            let log = DownloadLog()
            log.makeSession().start()
            await system.advance(by: .seconds(60))
            system.setNetwork(.offline)
            let (player, item) = Self.play(try #require(log.locations.last))
            await system.advance(by: .seconds(10))
            #expect(player.timeControlStatus == .playing && item.error == nil)
            let group = try #require(try await item.asset.loadMediaSelectionGroup(for: .audible))
            item.select(group.options.last, in: group)
            await system.settle()
            #expect((item.error as NSError?)?.code == NSURLErrorNotConnectedToInternet)
        }
    }

    @Test("Rule 119: the asset of the download plays from the disk only if the streamed variant was downloaded")
    func playsDownloadingAsset() async throws {
        for isStreamed in [true, false] {
            try await onSystem { system in
                let variants: [StreamContent.Variant] = [
                    .init("low", peakBitRate: 1e6), .init("high", peakBitRate: 4e6),
                ]
                system.media.publish(StreamContent(variants: variants), at: film)
                let asset = AVURLAsset(url: film)
                let streamed = try #require(try await asset.load(.variants).first)
                DownloadLog().makeSession().start(asset) { configuration in
                    guard isStreamed else { return }
                    configuration.primaryContentConfiguration.variantQualifiers = [.init(variant: streamed)]
                }
                await system.advance(by: .seconds(60))
                system.setNetwork(.offline)
                let item = AVPlayerItem(asset: asset)
                let player = AVPlayer(playerItem: item)
                player.play()
                await system.advance(by: .seconds(1))
                #expect((player.timeControlStatus == .playing) == isStreamed)
                #expect((item.error == nil) == isStreamed)
            }
        }
    }

    @Test("Rule 119: a first offline start can fail with -1009, and the second succeeds")
    func flakyStart() async throws {
        try await onSystem { system in
            let location = try #require(try await StorageTests.download(1, on: system).first)
            system.setNetwork(.offline)
            system.media.failOfflineStarts(1)
            let (_, first) = Self.play(location)
            await system.settle()
            #expect((first.error as NSError?)?.code == NSURLErrorNotConnectedToInternet)
            let (_, second) = Self.play(location)
            await system.settle()
            #expect(second.status == .readyToPlay)
        }
    }

    @Test("Rule 120: a package that was purged does not play")
    func purged() async throws {
        try await onSystem { system in
            let location = try #require(try await StorageTests.download(1, on: system).first)
            system.downloads.purge(location)
            let (_, item) = Self.play(location)
            await system.settle()
            #expect((item.error as NSError?)?.code == -11867)
        }
    }

    @Test("Rule 123: the key that the player needs is in the item's metrics, and was not initiated by the app")
    func metrics() async throws {
        try await onSystem { system in
            system.media.publish(.protected("skd://film"), at: film)
            StandInKeys(system).provide(.fairPlay(StandInKey()), for: "skd://film")
            let (_, item) = Self.play()
            await system.settle()
            var events = item.metrics(forType: AVMetricContentKeyRequestEvent.self).makeAsyncIterator()
            let event = try await events.next()
            #expect(event?.isClientInitiated == false)
            #expect(event?.mediaResourceRequestEvent?.url?.absoluteString == "skd://film")
        }
    }
}
