import AVFoundation
import AVFoundationTesting
import Foundation
import KeywayTesting
import Testing

@testable import FilmKeys

/// The models of the example app: playback from the network.
@Suite struct FilmPlaybackTests {
    @Test("The page of a film preloads its keys, and playback needs no other")
    func preload() async throws {
        try await AdapterScene.run { scene in
            let (app, film) = try await scene.launchWithFilm()
            await film.open()
            try await scene.until("the key is loaded") { scene.server.licenseRoundTrips == 1 }
            #expect(await !film.isPlaying)
            try await scene.play(film)
            #expect(scene.server.licenseRoundTrips == 1)
            #expect(await film.isPlaying)
            #expect(await film.problem == nil)
            let player = try #require(await film.player)
            #expect(await player.usesExternalPlaybackWhileExternalScreenIsActive)
            await film.close()
            #expect(await !film.isPlaying)
            #expect(await player.currentItem == nil)
            await app.end()
        }
    }

    @Test("A film plays without the page, and again after it was closed")
    func twice() async throws {
        try await AdapterScene.run { scene in
            let (app, film) = try await scene.launchWithFilm()
            for count in 1...2 {
                try await scene.play(film)
                #expect(scene.server.licenseRoundTrips == count)
                await film.close()
            }
            await app.end()
        }
    }

    @Test("A refused key ends the playback with the loader's advice, and the next attempt plays")
    func refused() async throws {
        try await AdapterScene.run { scene in
            let (app, film) = try await scene.launchWithFilm()
            scene.server.injectAlways(.status(403))
            let problem = try await scene.problemOfPlaying(film)
            #expect(problem.whatHappened == "The service does not allow this film to be watched here.")
            #expect(problem.whatToDo.contains("account or device"))
            #expect(problem.details.contains("403") && !problem.details.contains("keys.test"))
            #expect(await film.player == nil)
            scene.server.removeFaults()
            try await scene.play(film)
            #expect(await film.problem == nil)
            await app.end()
        }
    }

    @Test("Without a network, the problem says that the server cannot be reached")
    func noConnection() async throws {
        try await AdapterScene.run { scene in
            let (app, film) = try await scene.launchWithFilm()
            scene.server.injectAlways(.noConnection)
            let problem = try await scene.problemOfPlaying(film)
            #expect(problem.details.contains("no-connection") && problem.whatToDo.contains("connection"))
            await app.end()
        }
    }

    @Test("A film that the media server does not have is a problem of the player")
    func missingMedia() async throws {
        try await AdapterScene.run { scene in
            let film = scene.film()
            scene.system.media.publish(nil, at: film.url)
            let app = await scene.launch(film)
            let model = try #require(await app.library.film(film.id))
            let problem = try await scene.problemOfPlaying(model)
            #expect(problem.whatHappened == "The film cannot be played.")
            #expect(problem.details == "AVFoundationErrorDomain -11863, CoreMediaErrorDomain -12938")
            await app.end()
        }
    }

    @Test("AirPlay gets a key of its own, from the network and with a download")
    func airPlay() async throws {
        try await AdapterScene.run { scene in
            let (app, film) = try await scene.launchWithFilm()
            try await scene.play(film)
            scene.system.media.setRoute(.airPlay)
            try await scene.until("a key for the receiver") { scene.server.licenseRoundTrips == 2 }
            #expect(await film.player?.currentItem?.status == .readyToPlay)
            await film.close()
            scene.system.media.setRoute(.local)
            try await scene.download(film)
            try await scene.play(film)
            scene.system.media.setRoute(.airPlay)
            try await scene.until("another key for the receiver") { scene.server.licenseRoundTrips == 4 }
            #expect(await film.player?.currentItem?.status == .readyToPlay)
            await app.end()
        }
    }
}
