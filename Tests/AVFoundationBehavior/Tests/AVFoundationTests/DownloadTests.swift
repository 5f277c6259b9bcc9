import AVFoundation
import Testing

@Suite("Downloads")
struct DownloadTests {
    static let clear = StreamContent()
    static let all = [
        "willDownload", "variants [1000000]", "didResolve", "loaded 15 of 60", "loaded 30 of 60", "loaded 45 of 60",
        "loaded 60 of 60", "didFinish", "complete",
    ]

    @Test("Rules 102 and 106: a task starts with resume(), tells its location first and its completion last")
    func order() async throws {
        try await onSystem { system in
            system.media.publish(Self.clear, at: film)
            let log = DownloadLog()
            let session = log.makeSession()
            let configuration = AVAssetDownloadConfiguration(asset: AVURLAsset(url: film), title: "A film")
            let task = session.makeAssetDownloadTask(downloadConfiguration: configuration)
            await system.advance(by: .seconds(60))
            #expect(task.state == .suspended && log.events == [])
            task.resume()
            await system.advance(by: .seconds(10))
            #expect(task.state == .running && task.progress.fractionCompleted == 0.5)
            await system.advance(by: .seconds(10))
            #expect(log.events == Self.all)
            #expect(task.state == .completed && task.error == nil)
            #expect(log.summaries.count == 1 && log.summaries.first?.downloadDuration == 20)
        }
    }

    @Test("Rule 102: a session needs a background configuration, and an invalidated one makes no tasks")
    func background() async throws {
        try await onSystem { system in
            system.media.publish(Self.clear, at: film)
            _ = AVAssetDownloadURLSession(configuration: .default, assetDownloadDelegate: nil, delegateQueue: nil)
            #expect(system.takeExceptions().map(\.name) == [.invalidArgument])
            let log = DownloadLog()
            let session = log.makeSession()
            session.finishTasksAndInvalidate()
            await system.settle()
            #expect(log.events == ["invalid"])
            session.start()
            #expect(system.takeExceptions().map(\.name) == [.invalidArgument])
        }
    }

    @Test("Rule 103: the task's asset asks for its keys while the app runs, and completes when they are loaded")
    func keys() async throws {
        try await onSystem { system in
            let audio = StreamContent.Rendition("English", language: "en", keys: [.init("skd://en", versions: [1, 2])])
            let content = StreamContent(variants: [.init(keys: [.init("skd://video")])], renditions: [audio])
            system.media.publish(content, at: film)
            let keys = StandInKeys(system)
            let log = DownloadLog()
            let task = log.makeSession().start()
            await system.advance(by: .seconds(60))
            #expect(keys.uris == ["skd://video", "skd://en"])
            #expect(keys.needs.map(\.versions) == [[1], [1, 2]] && keys.needs.allSatisfy { $0.asset == "film" })
            #expect(task.state == .running)
            keys.provide(.fairPlay(StandInKey()), for: "skd://video")
            keys.provide(.fairPlay(StandInKey()), for: "skd://en")
            await system.settle()
            #expect(log.events == Self.all)
        }
    }

    @Test("Rule 103: a download ends with the error of a key")
    func refusedKey() async throws {
        try await onSystem { system in
            system.media.publish(.protected("skd://film"), at: film)
            StandInKeys(system).fail("skd://film", .refused)
            let log = DownloadLog()
            log.makeSession().start()
            await system.advance(by: .seconds(60))
            #expect(log.events.last == "error org.example.server 403" && !log.events.contains("didFinish"))
        }
    }

    @Test("Rule 103: while the app is suspended, the media is loaded without its keys")
    func suspended() async throws {
        try await onSystem { system in
            system.media.publish(.protected("skd://film"), at: film)
            let keys = StandInKeys(system)
            let log = DownloadLog()
            log.makeSession().start()
            await system.advance(by: .seconds(6))
            system.downloads.suspendApp()
            await system.advance(by: .seconds(60))
            #expect(log.events.last == "loaded 15 of 60")
            system.downloads.resumeApp()
            await system.settle()
            #expect(log.events == Self.all + ["endOfEvents"])
            #expect(keys.needs.count == 1)
        }
    }

    @Test("Rule 103: interstitials are downloaded with their keys if the app wants it", arguments: [true, false])
    func interstitials(isWanted: Bool) async throws {
        try await onSystem { system in
            let ad = film.film("ad")
            system.media.publish(.protected("skd://ad"), at: ad)
            var content = StreamContent.protected("skd://film")
            content.interstitials = [.init(at: 20, url: ad)]
            system.media.publish(content, at: film)
            let keys = StandInKeys(system)
            for uri in ["skd://film", "skd://ad"] { keys.provide(.fairPlay(StandInKey()), for: uri) }
            let log = DownloadLog()
            log.makeSession().start { $0.downloadsInterstitialAssets = isWanted }
            await system.advance(by: .seconds(60))
            #expect(keys.needs.map(\.asset) == (isWanted ? ["film", "ad"] : ["film"]))
            #expect(log.events.last == "complete")
        }
    }

    @Test("Rule 122: downloads are declared as absent on tvOS")
    func noTelevision() throws {
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        for (file, name) in [
            ("AVAssetDownloadURLSession", "open class AVAssetDownloadURLSession"),
            ("AVAssetDownload", "open class AVAssetDownloadTask"),
            ("AVAssetDownload", "public protocol AVAssetDownloadDelegate"),
            ("AVAssetDownloadStorage", "open class AVAssetDownloadStorageManager"),
        ] {
            let source = package.appendingPathComponent("Sources/AVFoundation/\(file).swift")
            let lines = try String(contentsOf: source, encoding: .utf8).split(separator: "\n")
            let declaration = try #require(lines.firstIndex { $0.hasPrefix(name + ":") })
            #expect(lines[declaration - 1] == "@available(tvOS, unavailable)")
        }
    }

    @Test("Rule 104: an asset begins to load when its task is made, so it cannot become a key recipient afterward")
    func recipientBefore() async throws {
        try await onSystem { system in
            let asset = AVURLAsset(url: film)
            #expect(!asset.isLoaded)
            let configuration = AVAssetDownloadConfiguration(asset: asset, title: "A film")
            #expect(!asset.isLoaded)
            _ = DownloadLog().makeSession().makeAssetDownloadTask(downloadConfiguration: configuration)
            #expect(asset.isLoaded)
        }
    }

    @Test("Rule 111: a second live session with an identifier is a misuse, one after invalidation is not")
    func oneSession() async throws {
        try await onSystem { system in
            let log = DownloadLog()
            let first = log.makeSession()
            _ = log.makeSession()
            #expect(system.takeExceptions().map(\.name) == [.internalInconsistency])
            _ = log.makeSession("others")
            first.invalidateAndCancel()
            await system.settle()
            _ = log.makeSession()
        }
    }

    @Test("Rules 112 and 113: packages are below Library, relative to the home directory, and stay where they are")
    func location() async throws {
        for hasBase in [true, false] {
            try await onSystem { system in
                system.media.publish(Self.clear, at: film)
                system.downloads.locationHasBase = hasBase
                let log = DownloadLog()
                log.makeSession().start()
                await system.advance(by: .seconds(60))
                let location = try #require(log.locations.first)
                #expect(Set(log.locations.map(\.path)).count == 1)
                #expect(location.path.hasPrefix(system.downloads.home.path + "/Library/com.apple.UserManagedAssets."))
                #expect(location.pathExtension == "movpkg")
                #expect(location.relativePath.hasPrefix("Library/") == hasBase)
                #expect(FileManager.default.fileExists(atPath: location.path))
            }
        }
    }

    @Test("Rule 114: cancel() ends with -999, and leaves a partial package")
    func cancel() async throws {
        try await onSystem { system in
            system.media.publish(Self.clear, at: film)
            let log = DownloadLog()
            let task = log.makeSession().start()
            await system.advance(by: .seconds(6))
            task.cancel()
            await system.advance(by: .seconds(60))
            #expect(log.events.last == "error NSURLErrorDomain -999" && !log.events.contains("didFinish"))
            let location = try #require(log.locations.first)
            #expect(FileManager.default.fileExists(atPath: location.path))
            #expect(AVURLAsset(url: location).assetCache?.isPlayableOffline == false)
        }
    }

    @Test("Rule 114: a cancel from the Live Activity ends with Cocoa's 3072")
    func liveActivity() async throws {
        try await onSystem { system in
            system.media.publish(Self.clear, at: film)
            let log = DownloadLog()
            log.makeSession().start(name: "one")
            await system.advance(by: .seconds(6))
            system.downloads.cancelFromLiveActivity("one")
            await system.settle()
            #expect(log.events.last == "error one NSCocoaErrorDomain 3072")
        }
    }

    @Test("Rule 115: in the Simulator a download ends with -1")
    func simulator() async throws {
        var switches = Switches()
        switches.isSimulator = true
        try await onSystem(switches: switches) { system in
            system.media.publish(Self.clear, at: film)
            let log = DownloadLog()
            log.makeSession().start()
            await system.settle()
            #expect(log.events == ["error NSURLErrorDomain -1"])
        }
    }

    @Test("Rule 116: a task that is resumed in the background waits until discretionary work may run")
    func discretionary() async throws {
        try await onSystem { system in
            system.media.publish(Self.clear, at: film)
            system.downloads.allowDiscretionary(false)
            let log = DownloadLog()
            let session = log.makeSession()
            let inForeground = session.start(name: "foreground")
            system.downloads.resumeApp(inBackground: true)
            let inBackground = session.start(name: "background")
            await system.advance(by: .seconds(60))
            #expect(inForeground.state == .completed && inBackground.state == .running)
            system.downloads.allowDiscretionary(true)
            await system.advance(by: .seconds(60))
            #expect(inBackground.state == .completed)
        }
    }

    @Test("Rule 116: the limits of the asset and of the session both hold", arguments: [true, false])
    func networks(byAsset: Bool) async throws {
        try await onSystem { system in
            system.media.publish(Self.clear, at: film)
            let log = DownloadLog()
            let configuration = URLSessionConfiguration.background(withIdentifier: "films")
            configuration.allowsCellularAccess = byAsset
            let session = AVAssetDownloadURLSession(
                configuration: configuration,
                assetDownloadDelegate: log,
                delegateQueue: nil
            )
            let options = byAsset ? [AVURLAssetAllowsCellularAccessKey: false] : nil
            system.setNetwork(.cellular)
            session.start(AVURLAsset(url: film, options: options))
            await system.advance(by: .seconds(60))
            #expect(log.events == [])
            system.setNetwork(.wiFi)
            await system.advance(by: .seconds(10))
            #expect(log.events.last == "loaded 30 of 60")
            system.setNetwork(.offline)
            await system.advance(by: .seconds(60))
            #expect(log.events.last == "loaded 30 of 60")
            system.setNetwork(.wiFi)
            await system.advance(by: .seconds(60))
            #expect(log.events.last == "complete")
        }
    }

    @Test("Rule 106: a suspended task makes no progress, and continues where it was")
    func suspendAndResume() async throws {
        try await onSystem { system in
            system.media.publish(Self.clear, at: film)
            let log = DownloadLog()
            let task = log.makeSession().start()
            await system.advance(by: .seconds(12))
            task.suspend()
            await system.advance(by: .seconds(60))
            #expect(task.state == .suspended && task.progress.fractionCompleted == 0.5)
            task.resume()
            await system.advance(by: .seconds(60))
            #expect(log.events == Self.all)
        }
    }
}
