import AVFoundation
import AVFoundationTesting
import ContentKeySession
import Foundation
import KeywayTesting
import Testing

@testable import ContentKeySessionAVFoundation
@testable import FilmKeys

/// The models of the example app: the library and its downloads over several launches.
@Suite struct LibraryTests {
    private let english = Locale(identifier: "en_US")

    @Test("A film is downloaded after its keys, and the model says how long it can be watched")
    func download() async throws {
        try await AdapterScene.run { scene in
            let (app, film) = try await scene.launchWithFilm()
            #expect(await film.download == .none)
            #expect(await film.watchTime() == nil)
            let starting = Task { await film.startDownload() }
            try await scene.until("the keys are loaded first") { await film.download == .loadingKeys }
            await starting.value
            #expect(scene.server.licenseRoundTrips == 1)
            try await scene.until("the media is loaded") {
                if case .downloading(let fraction) = await film.download { fraction > 0 } else { false }
            }
            try await scene.until("the download has finished") { await film.download == .finished }
            #expect(await film.watchTime(locale: english)?.hasPrefix("You can start watching for") == true)
            await scene.system.advance(by: .seconds(25 * 3600))
            try await scene.until("25 hours later") {
                await film.watchTime(locale: english) == "You can start watching for 28 days, 22 hours."
            }
            #expect(await film.problem == nil)
            #expect(await !film.needsRenewal)
            await app.end()
        }
    }

    @Test("A download is played without a network, and the playback period starts")
    func offlinePlayback() async throws {
        try await AdapterScene.run { scene in
            let (app, film) = try await scene.launchWithFilm()
            try await scene.download(film)
            scene.system.setNetwork(.offline)
            scene.server.injectAlways(.noConnection)
            try await scene.play(film)
            #expect(scene.server.licenseRoundTrips == 1)
            try await scene.until("the playback period has started") {
                await film.watchTime(locale: english)?.hasPrefix("You can watch for") == true
            }
            await film.close()
            #expect(await film.player == nil)
            await scene.system.advance(by: .seconds(3600))
            try await scene.until("an hour later") {
                await film.watchTime(locale: english) == "You can watch for 1 day, 22 hours."
            }
            await app.end()
        }
    }

    @Test("Nothing is downloaded if the server refuses the key, and the problem says what to do")
    func refusedDownload() async throws {
        try await AdapterScene.run { scene in
            let (app, film) = try await scene.launchWithFilm()
            scene.server.injectAlways(.status(403))
            try await scene.finish { await film.startDownload() }
            let problem = try #require(await film.problem)
            #expect(problem.whatHappened == "The service does not allow this film to be watched here.")
            #expect(problem.whatToDo.contains("account") && problem.details.contains("403"))
            #expect(await film.download == .none)
            scene.server.removeFaults()
            try await scene.download(film)
            #expect(await film.problem == nil)
            await app.end()
        }
    }

    @Test("A cancelled download leaves nothing, and can be started again")
    func cancel() async throws {
        try await AdapterScene.run { scene in
            let (app, film) = try await scene.launchWithFilm()
            try await scene.finish { await film.startDownload() }
            await film.cancelDownload()
            try await scene.until("nothing is left") {
                let (download, keys) = await (film.download, film.history.entries)
                return download == .none && keys.isEmpty
            }
            try await scene.download(film)
            await app.end()
        }
    }

    @Test("Deletion sends a proof to the server, and fails without a network")
    func delete() async throws {
        try await AdapterScene.run { scene in
            let (app, film) = try await scene.launchWithFilm()
            try await scene.download(film)
            scene.server.injectAlways(.noConnection)
            try await scene.finish { await film.delete() }
            #expect(await film.problem?.whatToDo == "Connect to the internet, then try again.")
            #expect(await film.download == .finished)
            scene.server.removeFaults()
            try await scene.finish { await film.delete() }
            #expect(await film.download == .none)
            #expect(await film.problem == nil)
            #expect(scene.server.offlineKeyReports.count == 1)
            try await scene.until("the keys are gone") { await film.history.entries.isEmpty }
            await app.end()
        }
    }

    @Test("A download that continued while the app was not running is found at the next launch")
    func relaunch() async throws {
        try await AdapterScene.run { scene in
            try await startDownload(scene)
            scene.system.downloads.endProcess(forceQuit: false)
            await scene.system.advance(by: .seconds(60))
            let launch = try #require(scene.system.downloads.launchForEvents())
            #expect(launch.identifier == scene.filmService().downloadSession)
            Library.handleEvents(forBackgroundURLSession: launch.identifier) { launch.completionHandler() }
            let (app, film) = try await scene.launchWithFilm()
            try await scene.until("the download has finished") { await film.download == .finished }
            try await scene.until("the system's handler is called") { launch.completionCalls == 1 }
            try await scene.until("the events are listed") {
                await app.library.downloadEvents.suffix(2) == ["didFinish", "didFinishBackgroundEvents"]
            }
            try await scene.play(film)
            #expect(scene.server.licenseRoundTrips == 1)
            await app.end()
        }
    }

    /// Starts a download and ends the launch.
    private func startDownload(_ scene: AdapterScene) async throws {
        let (app, film) = try await scene.launchWithFilm()
        try await scene.finish { await film.startDownload() }
        await app.end()
    }

    @Test("An expired download is renewed: the problem says how without a network, and it plays afterwards")
    func renewal() async throws {
        try await AdapterScene.run { scene in
            let (app, film) = try await scene.launchWithFilm()
            try await scene.download(film)
            scene.server.injectAlways(.noConnection)
            await scene.system.advance(by: .seconds(31 * 86_400))
            try await scene.until("it has expired") { await film.needsRenewal }
            #expect(await film.watchTime() == "The time to watch has ended.")
            try await scene.finish { await film.renew() }
            #expect(await film.problem?.whatHappened == "The key server cannot be reached.")
            scene.server.removeFaults()
            try await scene.finish { await film.renew() }
            try await scene.until("it can be watched") { await !film.needsRenewal }
            #expect(await film.problem == nil)
            try await scene.play(film)
            await app.end()
        }
    }

    @Test("The library refreshes keys before they end")
    func refresh() async throws {
        try await AdapterScene.run { scene in
            let (app, film) = try await scene.launchWithFilm()
            try await scene.download(film)
            await scene.system.advance(by: .seconds(25 * 86_400))
            try await scene.until("the key is refreshed") { scene.server.licenseRoundTrips == 2 }
            try await scene.until("the time starts again") { await film.history.deciding(at: film.now)?.renewals == 1 }
            #expect(await film.history.deciding(at: film.now)?.remaining(at: film.now) ?? 0 > 28 * 86_400)
            await app.end()
        }
    }

    @Test("Media that the system deleted is missing, and can be downloaded again")
    func purge() async throws {
        try await AdapterScene.run { scene in
            let (app, film) = try await scene.launchWithFilm()
            try await scene.download(film)
            try FileManager.default.removeItem(
                at: scene.system.downloads.home.appendingPathComponent("Library/com.apple.UserManagedAssets.KW")
            )
            try await scene.until("the media is missing") { await film.download == .mediaMissing }
            #expect(await film.watchTime() == nil)
            try await scene.download(film)
            #expect(scene.server.licenseRoundTrips == 1)
            await app.end()
        }
    }

    @Test("In the Simulator, the library says that protected films cannot be played")
    func simulator() async throws {
        try await AdapterScene.run(switches: { $0.isSimulator = true }) { scene in
            try await PlatformEnvironment.forNewSessions.withValue(.simulator) {
                let (app, film) = try await scene.launchWithFilm()
                #expect(await !app.library.isFairPlayAvailable)
                await film.open()
                try await scene.finish {
                    await PlatformEnvironment.forNewSessions.withValue(.simulator) { await film.startDownload() }
                }
                #expect(await film.problem?.whatToDo == "Run the app on a device.")
                await app.end()
            }
        }
    }
}
