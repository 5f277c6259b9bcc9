import AVFoundation
import AVFoundationTesting
import ContentKeySession
import ContentKeySessionAVFoundation
import Foundation
import KeyServerModule
import KeywayTesting
import Testing

@testable import FilmKeys

/// The example app in a launch, without views.
@MainActor
final class ExampleApp {
    let library: Library
    private let running: Task<Void, Never>

    init(_ library: Library) {
        self.library = library
        running = Task { await library.run() }
    }

    /// Ends the launch.
    func end() {
        running.cancel()
        for film in library.films { film.close() }
    }
}

extension AdapterScene {
    static let terms = (storage: Int64(30 * 86_400), playback: Int64(2 * 86_400))

    /// The service of the app in the current launch.
    func filmService() -> FilmService {
        let clock = system.clock
        var films = FilmService(server: service, transport: server, folder: folder)
        // Tests run at the same time in one process.
        films.downloadSession = folder.lastPathComponent
        films.clock = clock
        films.now = { Int64(clock.date.timeIntervalSince1970) }
        films.downloads.homeDirectory = system.downloads.home
        return films
    }

    /// Publishes a film that may be stored for 30 days, and played for 2 days after its first playback.
    func film(_ key: String = "film") -> Film {
        server.set(.dual(storage: UInt32(Self.terms.storage), playback: UInt32(Self.terms.playback)), for: key)
        return Film(
            id: "the-\(key)",
            title: "A film",
            url: publishFilm(["skd://\(key)"], name: key),
            keys: ["skd://\(key)"],
            storageDuration: Self.terms.storage,
            playbackDuration: Self.terms.playback
        )
    }

    /// Launches the app.
    @MainActor func launch(_ films: Film...) -> ExampleApp {
        ExampleApp(Library(films: films, service: filmService()))
    }

    /// Launches the app and returns it with its first film.
    @MainActor func launchWithFilm() throws -> (ExampleApp, FilmModel) {
        let app = launch(film())
        guard let film = app.library.films.first else { throw Missing() }
        return (app, film)
    }

    /// Downloads a film.
    func download(_ film: FilmModel) async throws {
        try await finish { await film.startDownload() }
        try await until("the download has finished") { await film.download == .finished }
    }

    /// Plays a film until the player is ready.
    func play(_ film: FilmModel) async throws {
        Task { await film.play() }
        try await until("it plays") { await film.player?.currentItem?.status == .readyToPlay }
    }

    /// Plays a film until there is a problem, and returns it.
    func problemOfPlaying(_ film: FilmModel) async throws -> Problem {
        try await finish { await film.play() }
        guard let problem = await film.problem else { throw Missing() }
        return problem
    }
}
