import ContentKeySession
import ContentKeySessionTesting
import FPSCrypto
import Foundation
import HLSPlaylist
import KeyStore
import StreamPlayer
import Testing
import VirtualDevice

@testable import OfflineAssets

/// The scenarios of ``OfflineStoryTests``, with the media of the downloader: two qualities and two languages.
@Suite("A downloaded movie with its persistent keys", .timeLimit(.minutes(10)))
struct OfflineFilmTests {
    private static let day: Int64 = 86_400
    private static let sizes = [Resolution(width: 64, height: 48), Resolution(width: 96, height: 72)]
    private static let assets = ["rent/sd", "rent/hd", "rent/audio"]

    private static var selection: BundleSelection {
        BundleSelection(
            variants: .each(sizes.map { VariantQualifier(maximumResolution: $0) }),
            renditions: .languages(audio: ["en", "de"], subtitles: [])
        )
    }

    private static func download(
        _ folder: String,
        from network: FilmTransport,
        keys: (any DownloadKeys)?
    ) async throws(DownloadError) -> AssetBundle {
        let request = AssetDownload.Request(
            url: FilmTransport.address + "main.m3u8",
            folder: folder,
            title: "film",
            selection: selection
        )
        var settings = DownloadSettings()
        // A missing network does not return in these tests.
        settings.attempts = 1
        return try await AssetDownload(
            request,
            settings: settings,
            keys: keys,
            transport: network,
            clock: DownloadClock()
        ).run()
    }

    /// Returns the media of a bundle in one quality and one language: the samples of each segment.
    private static func watch(
        _ bundle: AssetBundle,
        _ size: Resolution,
        _ language: String,
        _ keys: PlayerKeySystems
    ) async throws -> [[UInt8]] {
        var settings = PlayerSettings()
        settings.preferences.languages = [language]
        settings.abilities.displaySize = size
        settings.abilities.throughput = 1 << 40
        settings.isAdaptive = false
        settings.attempts = 1
        let output = FilmOutput()
        _ = try await Player(settings: settings, keys: keys, loader: AssetBundleLoader(bundle))
            .play(bundle.mainPlaylistURL, to: output)
        return output.samples(.main) + output.samples(.audio)
    }

    private static func watchOffline(
        _ stage: OfflineStage,
        _ bundle: AssetBundle,
        _ size: Resolution,
        _ language: String,
        _ reach: OfflineKeys.Reach = .storedOnly
    ) async throws -> [[UInt8]] {
        let playback = stage.offline.playback(of: "film", reach)
        return try await playback.whileAnswering {
            // The claim prevents an eviction meanwhile.
            #expect(try stage.offline.store.claim("film", folder: bundle.folder) == nil)
            return try await watch(bundle, size, language, playback.systems)
        }
    }

    @Test("A rental is downloaded, played offline in every quality and language, expires, and is evicted")
    func story() async throws {
        try await OfflineStage.run { stage in
            let film = try Film(keys: stage.contents, name: "rent", rounds: 1)
            let network = FilmTransport(film)
            let clear = try await Self.download(
                stage.folder + "/clear",
                from: FilmTransport(try Film(keys: nil, rounds: 1)),
                keys: nil
            )
            let bundle = try await Self.download(stage.folder + "/film", from: network, keys: stage.offline)
            #expect(bundle.description.state == .complete)
            #expect(Set(bundle.description.keys) == ["skd://rent/sd", "skd://rent/hd", "skd://rent/audio"])
            #expect(
                bundle.description.playlists.map(\.kind) == [.multivariant, .variant, .variant, .audio, .audio]
            )
            for asset in Self.assets {
                // Verified, but playback has not started.
                #expect(try stage.state(asset, of: "film") == .stored)
                #expect(try await stage.server.offlineLicense(asset)?.storageUntil == stage.now + 30 * Self.day)
            }

            // No network is needed from here on.
            network.cut()
            await stage.server.stop()
            stage.pass(days: 10)
            let before = try stage.key("rent/hd", of: "film")?.bytes
            for size in Self.sizes {
                for language in ["en", "de"] {
                    let found = try await Self.watchOffline(stage, bundle, size, language)
                    let wanted = try await Self.watch(clear, size, language, PlayerKeySystems())
                    #expect(found == wanted && !found.isEmpty, "\(size) \(language)")
                }
            }
            let english = try await Self.watch(clear, Self.sizes[0], "en", PlayerKeySystems())
            #expect(try await Self.watch(clear, Self.sizes[0], "de", PlayerKeySystems()) != english)
            #expect(try await Self.watch(clear, Self.sizes[1], "en", PlayerKeySystems()) != english)
            #expect(try stage.key("rent/hd", of: "film")?.bytes != before)
            for asset in Self.assets { #expect(try stage.state(asset, of: "film") == .playing) }

            // The server is notified when the network is available again.
            try await stage.server.start()
            stage.pass(days: 1)
            _ = try await stage.offline.report("film")
            for asset in Self.assets {
                #expect(try await stage.server.offlineLicense(asset)?.until == stage.now + Self.day)
                #expect(try await stage.server.offlineLicense(asset)?.firstPlaySeen == stage.now)
            }

            // After the end: the player reports why, the server issues no other key, and its records have ended.
            stage.pass(days: 1)
            let over = await #expect(throws: PlayerError.self) {
                try await Self.watchOffline(stage, bundle, Self.sizes[1], "en", .storedThenServer)
            }
            guard case .key? = over?.cause else {
                Issue.record("the error is not a key error: \(String(describing: over))")
                return
            }
            _ = try await stage.offline.renew("film")
            let entry = try #require(try stage.offline.store.title("film")?.ledger.deciding(at: stage.now))
            #expect(entry.state(at: stage.now) == .playbackExpired)
            #expect(entry.remedy(at: stage.now) == .buyAgain)
            _ = try await stage.offline.report("film")
            for asset in Self.assets { #expect(try await stage.server.offlineLicense(asset)?.end == .expired) }

            // If storage runs short, it is evicted first, before titles that were not watched.
            let candidates = [(bundle, OfflineKeyState.playbackExpired), (clear, nil)].map { bundle, keys in
                EvictionCandidate(
                    title: keys == nil ? "clear" : "film",
                    size: bundle.description.summary.byteCount,
                    keys: keys,
                    created: Int64(bundle.description.summary.created)
                )
            }
            let plan = EvictionPlan(toFree: 1, of: candidates, at: stage.now)
            #expect(plan.evictions.map(\.title) == ["film"] && plan.evictions.map(\.reason) == [.noLongerPlayable])
            let removal = try #require(try stage.offline.store.claim("film", folder: bundle.folder))
            try removal.remove()
            #expect(throws: AssetBundleError.self) { try AssetBundle.open(bundle.folder) }
            #expect(try stage.offline.store.title("film") == nil)
        }
    }

    @Test(
        "Persistent keys are not requested again unless the device refuses them; without keys no download is verified"
    )
    func acquireAndProve() async throws {
        try await OfflineStage.run { stage in
            let network = FilmTransport(try Film(keys: stage.contents, name: "rent", rounds: 1))
            let folder = stage.folder + "/film"
            // Keys first: without the server no segment is fetched.
            await stage.server.stop()
            let refused = await #expect(throws: DownloadError.self) {
                try await Self.download(folder, from: network, keys: stage.offline)
            }
            #expect(refused?.code == .keys)
            let media = network.asked.filter { !$0.hasSuffix(".m3u8") }
            #expect(media.isEmpty)
            try await stage.server.start()
            let bundle = try await Self.download(folder, from: network, keys: stage.offline)
            #expect(bundle.description.state == .complete)

            // All keys are stored: the download is checked and verified without a network.
            await stage.server.stop()
            network.cut()
            #expect(try await Self.download(folder, from: network, keys: stage.offline) == bundle)
            try await stage.offline.verify(bundle)

            // Outdated keys: the server is needed once.
            stage.device.installSecurityUpdate()
            let outdated = await #expect(throws: DownloadKeysError.self) { try await stage.offline.verify(bundle) }
            #expect(outdated?.code == ContentKeyError.Code.persistentKeyOutdated.rawValue)
            try await stage.server.start()
            _ = try await Self.download(folder, from: network, keys: stage.offline)
            await stage.server.stop()
            try await stage.offline.verify(bundle)

            // After playback has started, verification decrypts, and detects media that have changed.
            _ = try await Self.watchOffline(stage, bundle, Self.sizes[0], "de")
            _ = try await Self.watchOffline(stage, bundle, Self.sizes[1], "en")
            try await stage.offline.verify(bundle)
            let segment = try #require(bundle.description.resources.first { $0.file.hasSuffix(".m4s") })
            try FileManager.default.removeItem(atPath: "\(folder)/\(segment.file)")
            await #expect(throws: DownloadKeysError.self) { try await stage.offline.verify(bundle) }

            // A title without a persistent key.
            try stage.offline.store.remove("film")
            await #expect(throws: DownloadKeysError.self) { try await stage.offline.verify(bundle) }
        }
    }
}
