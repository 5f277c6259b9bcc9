import AVFoundation
import AVFoundationTesting
import ContentKeySession
import Foundation
import KeyServerModule
import KeywayTesting
import Locking
import Testing
import VirtualDevice

@testable import ContentKeySessionAVFoundation

/// Scenarios 8, 10, 16 and 27 to 31: downloads.
@Suite(.timeLimit(.minutes(10))) struct DownloadTests {
    /// The downloads of an app, as it makes them at each launch.
    struct App {
        let keys: PlatformPersistentKeys
        let downloads: AssetDownloads
        let events: RecordedDownloads

        init(
            _ scene: AdapterScene,
            identifier: String,
            records: URL? = nil,
            invalidatesKeys: Bool = true
        ) throws {
            keys = scene.persistentKeys()
            var settings = AssetDownloads.Settings()
            settings.homeDirectory = scene.system.downloads.home
            settings.invalidatesKeys = invalidatesKeys
            downloads = try AssetDownloads(
                identifier: identifier,
                records: records ?? scene.folder.appendingPathComponent("downloads.plist"),
                keys: keys,
                settings: settings
            )
            events = RecordedDownloads(downloads.events)
        }
    }

    private static func start(_ app: App, _ scene: AdapterScene, keys: [String] = ["skd://film"]) async throws {
        let url = scene.publishFilm(keys)
        try await scene.finish {
            try await app.downloads.start(AVURLAsset(url: url), name: "film", title: "A film", keys: keys)
        }
    }

    @Test("Scenario 8: a download starts after its keys are stored, and finishes")
    func download() async throws {
        try await AdapterScene.run { scene in
            scene.server.set(.dual(storage: 1000, playback: 100), for: "film")
            let app = try App(scene, identifier: "download")
            try await Self.start(app, scene)
            #expect(await app.keys.store.key(for: "skd://film") != nil)
            try await scene.until("the download finishes") { app.events.all.last == "finish film" }
            #expect(app.events.all == ["location film", "finish film"])
            // The progress ascends, and is reported before the end.
            let fractions = app.events.fractions
            #expect(fractions.count > 1 && fractions == fractions.sorted() && fractions.last == 1)
            #expect(fractions.allSatisfy { (0...1).contains($0) })
            #expect(scene.server.licenseRoundTrips == 1)
            guard case .finished(let location) = await app.downloads.downloads["film"]?.state else {
                Issue.record("the download is not finished")
                return
            }
            #expect(FileManager.default.fileExists(atPath: location.path))
        }
    }

    @Test("Scenario 10: a refused key starts no download", arguments: [403, 500])
    func refused(status: Int) async throws {
        try await AdapterScene.run { scene in
            scene.server.removeFaults()
            scene.server.inject(.status(status), .status(status), .status(status), .status(status), on: .license)
            let app = try App(scene, identifier: "refused \(status)")
            await #expect(throws: ContentKeyError.self) { try await Self.start(app, scene) }
            #expect(await app.downloads.downloads.isEmpty && app.events.all.isEmpty)
            #expect(scene.system.downloads.packages.isEmpty)
        }
    }

    @Test("Scenarios 10 and 26: where persistence is refused, no license is requested and no download starts")
    func noPersistence() async throws {
        try await AdapterScene.run(profile: .appleTV) { scene in
            let app = try App(scene, identifier: "no persistence")
            let error = await #expect(throws: ContentKeyError.self) { try await Self.start(app, scene) }
            #expect(error?.code.rawValue == KeyFailure.Kind.persistenceRefused.rawValue)
            #expect(scene.server.licenseRoundTrips == 0 && scene.system.downloads.packages.isEmpty)
            #expect(await app.downloads.downloads.isEmpty)
        }
    }

    @Test("Scenario 16: a film is deleted and downloaded again in one run")
    func again() async throws {
        try await AdapterScene.run { scene in
            scene.server.set(.dual(storage: 1000, playback: 100), for: "film")
            let app = try App(scene, identifier: "again")
            try await Self.start(app, scene)
            try await scene.until("the download finishes") { app.events.all.last == "finish film" }
            try await scene.finish { try await app.downloads.delete("film") }
            #expect(scene.system.downloads.packages.isEmpty && scene.server.offlineKeyReports.count == 1)
            #expect(await app.downloads.downloads.isEmpty)
            try await Self.start(app, scene)
            try await scene.until("it finishes again") { app.events.all.filter { $0 == "finish film" }.count == 2 }
            #expect(await app.keys.store.key(for: "skd://film") != nil)
        }
    }

    @Test(
        "Scenario 27: downloads that finished while the app was not running are found",
        arguments: [Switches.RelaunchLocation.notRepeated, .repeated]
    )
    func relaunch(location: Switches.RelaunchLocation) async throws {
        try await AdapterScene.run(switches: { $0.relaunchLocation = location }) { scene in
            scene.server.set(.dual(storage: 1000, playback: 100), for: "film")
            do {
                let app = try App(scene, identifier: "relaunch \(location)")
                try await Self.start(app, scene)
                try await scene.until("the location is known") { app.events.all == ["location film"] }
            }
            scene.system.downloads.endProcess(forceQuit: false)
            scene.system.terminate()
            await scene.system.advance(by: .seconds(60))
            let launch = try #require(scene.system.downloads.launchForEvents())
            AssetDownloads.handleEvents(forBackgroundURLSession: launch.identifier) { launch.completionHandler() }
            let app = try App(scene, identifier: "relaunch \(location)")
            try await scene.until("the events arrive") { app.events.all.contains("background") }
            #expect(app.events.all.contains("finish film"))
            #expect(app.downloads.asset(of: "film") != nil)
            try await scene.until("the completion handler is called once") { launch.completionCalls == 1 }
        }
    }

    @Test("Scenario 27: events that arrive before the first reader are kept")
    func lateReader() async throws {
        try await AdapterScene.run { scene in
            scene.server.set(.dual(storage: 1000, playback: 100), for: "film")
            let keys = scene.persistentKeys()
            var settings = AssetDownloads.Settings()
            settings.homeDirectory = scene.system.downloads.home
            let downloads = try AssetDownloads(
                identifier: "late",
                records: scene.folder.appendingPathComponent("downloads.plist"),
                keys: keys,
                settings: settings
            )
            let url = scene.publishFilm(["skd://film"])
            try await scene.finish {
                try await downloads.start(AVURLAsset(url: url), name: "film", title: "A film", keys: ["skd://film"])
            }
            await scene.system.advance(by: .seconds(60))
            let events = RecordedDownloads(downloads.events)
            try await scene.until("the events are there") { events.all == ["location film", "finish film"] }
        }
    }

    enum Cancellation: CaseIterable { case app, liveActivity, forceQuit }

    @Test(
        "Scenario 28: a cancelled download leaves no media, and its keys are returned",
        arguments: Cancellation.allCases
    )
    func cancel(how: Cancellation) async throws {
        try await AdapterScene.run { scene in
            scene.server.set(.dual(storage: 1000, playback: 100), for: "film")
            var app: App? = try App(scene, identifier: "cancel \(how)")
            if let app {
                try await Self.start(app, scene)
                try await scene.until("the location is known") { app.events.all == ["location film"] }
            }
            #expect(scene.system.downloads.packages.count == 1)
            switch how {
            case .app: await app?.downloads.cancel("film")
            case .liveActivity: scene.system.downloads.cancelFromLiveActivity("film")
            case .forceQuit:
                app = nil
                scene.system.downloads.relaunch(forceQuit: true)
                app = try App(scene, identifier: "cancel \(how)")
            }
            let current = try #require(app)
            try await scene.until("the cancellation is reported") { current.events.all.contains("cancel film") }
            #expect(scene.system.downloads.packages.isEmpty)
            try await scene.until("the key is returned") { scene.server.offlineKeyReports.count == 1 }
            #expect(await current.keys.store.key(for: "skd://film") == nil)
        }
    }

    @Test("A key of a cancelled download that cannot be invalidated is reported, and stays stored")
    func cancelWithoutNetwork() async throws {
        try await AdapterScene.run { scene in
            let keys = ["skd://film", "skd://en"]
            for name in ["film", "en"] { scene.server.set(.dual(storage: 1000, playback: 100), for: name) }
            let app = try App(scene, identifier: "cancel without network")
            try await Self.start(app, scene, keys: keys)
            try await scene.until("the location is known") { app.events.all == ["location film"] }
            scene.server.injectAlways(.noConnection)
            await app.downloads.cancel("film")
            let failures = keys.map { "not invalidated film \($0)" }
            try await scene.until("the failures are reported") { app.events.all.suffix(2) == failures[...] }
            #expect(app.events.all == ["location film", "cancel film"] + failures)
            for key in keys { #expect(await app.keys.store.key(for: key) != nil) }
            #expect(scene.server.offlineKeyReports.isEmpty)
        }
    }

    @Test("Scenario 29: a second language is added with its key")
    func languages() async throws {
        try await AdapterScene.run { scene in
            for name in ["film", "en", "fr"] { scene.server.set(.dual(storage: 1000, playback: 100), for: name) }
            let app = try App(scene, identifier: "languages")
            try await Self.start(app, scene)
            try await scene.until("the download finishes") { app.events.all.last == "finish film" }
            try await scene.finish { try await app.downloads.add(to: "film", keys: ["skd://fr"]) { _ in } }
            try await scene.until("it finishes again") { app.events.all.filter { $0 == "finish film" }.count == 2 }
            #expect(await app.keys.store.key(for: "skd://fr") != nil)
            #expect(await app.downloads.downloads["film"]?.keys == ["skd://film", "skd://fr"])
            // A key that is refused adds nothing.
            scene.server.inject(.status(403), on: .license)
            await #expect(throws: ContentKeyError.self) {
                try await scene.finish { try await app.downloads.add(to: "film", keys: ["skd://en"]) { _ in } }
            }
        }
    }

    @Test("Scenario 30: a package that the system purged is missing, not playable")
    func purge() async throws {
        try await AdapterScene.run { scene in
            scene.server.set(.dual(storage: 1000, playback: 100), for: "film")
            let app = try App(scene, identifier: "purge")
            try await Self.start(app, scene)
            try await scene.until("the download finishes") { app.events.all.last == "finish film" }
            let location = try #require(app.downloads.asset(of: "film")?.url)
            DownloadStoragePolicy(isImportant: true).set(for: location)
            #expect(DownloadStoragePolicy(of: location)?.isImportant == true)
            scene.system.downloads.purge(location)
            #expect(await app.downloads.downloads["film"]?.state == .mediaMissing)
            #expect(app.downloads.asset(of: "film") == nil)
            // The key is still there, so that a new download needs no license.
            #expect(await app.keys.store.key(for: "skd://film") != nil)
        }
    }

    @Test("A record that cannot be written is reported, kept in memory, and written with the next change")
    func unwrittenRecord() async throws {
        try await AdapterScene.run { scene in
            scene.server.set(.dual(storage: 1000, playback: 100), for: "film")
            let folder = scene.folder.appendingPathComponent("records")
            let file = folder.appendingPathComponent("downloads.plist")
            var app: App? = try App(scene, identifier: "unwritten", records: file)
            // A file in place of the folder.
            try FileManager.default.removeItem(at: folder)
            try Data().write(to: folder)
            try await Self.start(#require(app), scene)
            try await scene.until("the download finishes") { [app] in app?.events.all.last == "finish film" }
            let failure = "unwritten film downloads.plist "
            #expect(app?.events.all == [failure, failure, "location film", failure, "finish film"])
            #expect(app?.downloads.asset(of: "film") != nil)
            // The next change, of another download, also writes the first one. The folder is created again.
            try FileManager.default.removeItem(at: folder)
            let url = scene.publishFilm([], name: "other")
            app?.downloads.begin(AVURLAsset(url: url), name: "other", title: "Another film")
            try await scene.until("it finishes") { [app] in app?.events.all.last == "finish other" }
            #expect(app?.events.all.filter { $0.hasPrefix("unwritten") } == [failure, failure, failure])
            app = nil
            // Another identifier, because the first session ends later.
            let next = try App(scene, identifier: "unwritten, next", records: file)
            let downloads = await next.downloads.downloads
            #expect(downloads.mapValues(\.title) == ["film": "A film", "other": "Another film"])
            #expect(next.downloads.asset(of: "film") != nil)
        }
    }

    @Test("The error of an unwritten record names the file, the numbers and what to do")
    func unwrittenRecordText() {
        let file = URL(fileURLWithPath: "/app/downloads.plist")
        let text = AssetDownloadError.unwrittenRecords(file: file, reason: "NSCocoaErrorDomain 640").description
        #expect(text.hasPrefix("/app/downloads.plist cannot be written (NSCocoaErrorDomain 640): free storage"))
    }

    @Test("One download session for an identifier")
    func oneSession() async throws {
        try await AdapterScene.run { scene in
            let app = try App(scene, identifier: "one")
            #expect(throws: AssetDownloadError.identifierInUse) { try App(scene, identifier: "one") }
            _ = app
        }
    }
}

/// The events of downloads.
final class RecordedDownloads: Sendable {
    private let events = Lock<[String]>([])
    private let progress = Lock<[Double]>([])
    private let task: Task<Void, Never>

    init(_ stream: AsyncStream<AssetDownloads.Event>) {
        let (events, progress) = (events, progress)
        task = Task {
            for await event in stream {
                if case .didProgress(_, let fraction) = event {
                    // No progress is reported after the end.
                    let hasEnded = events.withLock { $0.last?.hasPrefix("finish") == true }
                    progress.withLock { $0.append(hasEnded ? -1 : fraction) }
                    continue
                }
                let text =
                    switch event {
                    case .didProgress: ""
                    case .willDownload(let name): "location \(name)"
                    case .didFinish(let name): "finish \(name)"
                    case .didFail(let name, let error): "fail \(name) \(error.number ?? 0)"
                    case .didCancel(let name, _): "cancel \(name)"
                    case .didNotRecord(let name, .unwrittenRecords(let file, let reason)):
                        "unwritten \(name) \(file.lastPathComponent) \(reason.isEmpty ? "without reason" : "")"
                    case .didNotRecord(let name, let error): "unexpected \(name) \(error)"
                    case .didNotInvalidateKey(let name, .keyNotInvalidated(let identifier, _)):
                        "not invalidated \(name) \(identifier)"
                    case .didNotInvalidateKey(let name, let error): "unexpected \(name) \(error)"
                    case .didFinishBackgroundEvents: "background"
                    }
                events.withLock { $0.append(text) }
            }
        }
    }
    deinit { task.cancel() }
    /// The events except the progress.
    var all: [String] { events.withLock { $0 } }
    var fractions: [Double] { progress.withLock { $0 } }
}
