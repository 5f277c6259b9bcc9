import AVFoundation
import Testing

@Suite("Packages: selections, storage and purges")
struct StorageTests {
    static let english = StreamContent.Rendition("English", language: "en", isDefault: true, keys: [.init("skd://en")])
    static let german = StreamContent.Rendition("Deutsch", language: "de", keys: [.init("skd://de")])
    static let bilingual = StreamContent(
        variants: [.init("low", peakBitRate: 1e6, height: 360), .init("high", peakBitRate: 4e6, height: 1080)],
        renditions: [english, german]
    )

    /// Downloads films one after the other, and returns their locations.
    static func download(_ count: Int, on system: AppleSystem) async throws -> [URL] {
        let log = DownloadLog()
        let session = log.makeSession()
        var locations: [URL] = []
        for number in 0..<count {
            let url = film.film("film\(number)")
            system.media.publish(StreamContent(), at: url)
            session.start(AVURLAsset(url: url))
            await system.advance(by: .seconds(60))
            locations.append(try #require(log.locations.last))
        }
        return locations
    }

    @Test("Rule 117: without selections the automatic ones are loaded; others go into the configuration")
    func selections() async throws {
        try await onSystem { system in
            system.media.publish(Self.bilingual, at: film)
            let keys = StandInKeys(system)
            for uri in ["skd://en", "skd://de"] { keys.provide(.fairPlay(StandInKey()), for: uri) }
            let log = DownloadLog()
            let session = log.makeSession()
            session.start()
            await system.advance(by: .seconds(60))
            #expect(keys.uris == ["skd://en"])
            #expect(log.events.contains("variants [4000000]"))

            let other = AVURLAsset(url: film)
            let all = try await other.load(.allMediaSelections)
            session.start(other) { $0.primaryContentConfiguration.mediaSelections = all }
            await system.advance(by: .seconds(60))
            #expect(keys.uris == ["skd://en", "skd://en", "skd://de"])
            #expect(log.events.filter { $0 == "didResolve" }.count == 3)
            let location = try #require(log.locations.last)
            let asset = AVURLAsset(url: location)
            let group = try #require(try await asset.loadMediaSelectionGroup(for: .audible))
            let stored = asset.assetCache?.mediaSelectionOptions(in: group).map(\.extendedLanguageTag)
            #expect(stored == ["en", "de"])
        }
    }

    @Test("Rule 117: a qualifier selects the variant")
    func qualifier() async throws {
        try await onSystem { system in
            system.media.publish(Self.bilingual, at: film)
            StandInKeys(system).provide(.fairPlay(StandInKey()), for: "skd://en")
            let asset = AVURLAsset(url: film)
            let low = try #require(try await asset.load(.variants).first)
            let log = DownloadLog()
            log.makeSession().start(asset) { configuration in
                configuration.primaryContentConfiguration.variantQualifiers = [AVAssetVariantQualifier(variant: low)]
            }
            await system.advance(by: .seconds(60))
            #expect(log.events.contains("variants [1000000]"))
        }
    }

    @Test("Rules 117 and 118: a second task on the package adds a language; one rendition is enough to be playable")
    func secondTask() async throws {
        try await onSystem { system in
            system.media.publish(Self.bilingual, at: film)
            let keys = StandInKeys(system)
            for uri in ["skd://en", "skd://de"] { keys.provide(.fairPlay(StandInKey()), for: uri) }
            let log = DownloadLog()
            let session = log.makeSession()
            session.start()
            await system.advance(by: .seconds(60))
            let location = try #require(log.locations.last)
            let package = AVURLAsset(url: location)
            #expect(package.assetCache?.isPlayableOffline == true)
            let german = try #require(try await package.load(.allMediaSelections).last)
            session.start(package) { $0.primaryContentConfiguration.mediaSelections = [german] }
            await system.advance(by: .seconds(60))
            #expect(log.locations.last?.path == location.path)
            let group = try #require(try await package.loadMediaSelectionGroup(for: .audible))
            #expect(package.assetCache?.mediaSelectionOptions(in: group).map(\.extendedLanguageTag) == ["en", "de"])
        }
    }

    @Test("Rule 118: an asset for which nothing was configured for the disk has no cache")
    func noCache() async throws {
        try await onSystem { system in
            system.media.publish(StreamContent(), at: film)
            let asset = AVURLAsset(url: film)
            #expect(asset.assetCache == nil)
            DownloadLog().makeSession().start(asset)
            #expect(asset.assetCache?.isPlayableOffline == false)
            await system.advance(by: .seconds(60))
            #expect(asset.assetCache?.isPlayableOffline == true)
        }
    }

    @Test("Rule 120: the system purges a package without telling the app")
    func purge() async throws {
        try await onSystem { system in
            let location = try #require(try await Self.download(1, on: system).first)
            let asset = AVURLAsset(url: location)
            #expect(asset.assetCache?.isPlayableOffline == true)
            system.downloads.purge(location)
            await system.settle()
            #expect(asset.assetCache?.isPlayableOffline == false)
            #expect(!FileManager.default.fileExists(atPath: location.path))
            await #expect(throws: NSError.self) { try await asset.load(.duration) }
        }
    }

    @Test("Rule 121: expired packages go first, then those of default priority, then important ones")
    func policies() async throws {
        try await onSystem { system in
            let locations = try await Self.download(4, on: system)
            let manager = AVAssetDownloadStorageManager.shared()
            func set(_ location: URL, _ priority: AVAssetDownloadedAssetEvictionPriority, _ date: Date = .distantFuture)
            {
                let policy = AVMutableAssetDownloadStorageManagementPolicy()
                (policy.priority, policy.expirationDate) = (priority, date)
                manager.setStorageManagementPolicy(policy, for: location)
            }
            #expect(manager.storageManagementPolicy(for: locations[0]) == nil)
            set(locations[0], .important)
            set(locations[1], .default)
            set(locations[3], .important, system.clock.date)
            #expect(manager.storageManagementPolicy(for: locations[0])?.priority == .important)
            #expect(manager.storageManagementPolicy(for: locations[3])?.expirationDate == system.clock.date)
            let order = system.downloads.makeSpace(deleting: 4).map(\.lastPathComponent)
            #expect(order == [3, 1, 2, 0].map { locations[$0].lastPathComponent })
        }
    }

    @Test("Rule 121: a policy stays with the package when the container moves")
    func policyAfterRelaunch() async throws {
        try await onSystem { system in
            let location = try #require(try await Self.download(1, on: system).first)
            let policy = AVMutableAssetDownloadStorageManagementPolicy()
            policy.priority = .important
            AVAssetDownloadStorageManager.shared().setStorageManagementPolicy(policy, for: location)
            system.downloads.relaunch()
            let new = system.downloads.home.appendingPathComponent(location.relativePath)
            #expect(AVAssetDownloadStorageManager.shared().storageManagementPolicy(for: new)?.priority == .important)
        }
    }
}
