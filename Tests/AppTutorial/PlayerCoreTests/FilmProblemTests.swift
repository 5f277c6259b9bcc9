import ContentKeySession
import Foundation
import KeywayTesting
import KeywayTestingTraits
import PlayerCore
import Testing

@Suite(.keyServer)
struct FilmProblemTests {
    let server = TestKeyServer.current

    private func problem() async throws -> FilmProblem {
        let failure = await #expect(throws: KeyFailure.self) {
            try await server.makeAppClient().play("skd://film/video")
        }
        return FilmProblem(try #require(failure))
    }

    @Test func aCaptivePortal() async throws {
        server.injectAlways(.captivePortal)
        let problem = try await problem()
        #expect(problem.message.hasPrefix("This network may require you to sign in."))
        #expect(problem.canRetry)
    }

    @Test func tooManyRequests() async throws {
        server.inject(.rateLimited(retryAfter: .seconds(2)), on: .license)
        try await server.makeAppClient().play("skd://film/video")
        #expect(server.clock.elapsed >= .seconds(2))
    }

    @Test func aSubscriptionThatHasEnded() async throws {
        server.policy = .denied(reason: "subscription-ended")
        let problem = try await problem()
        #expect(problem.message == "Your subscription has ended.")
        #expect(!problem.canRetry)
        #expect(problem.code == "forbidden (status 403, refused-by-policy, subscription-ended)")
    }

    @Test func aRentalThatHasEnded() async throws {
        server.policy = .denied(reason: "renewal-after-expiry")
        #expect(try await problem().message == "The time to watch this film has ended.")
    }

    @Test func aFilmThatCannotBeDownloaded() async throws {
        var settings = KeyLoaderSettings()
        settings.requiresPersistence = true
        let client = server.makeClient(settings: settings)
        let failure = await #expect(throws: KeyFailure.self) {
            try await client.key(for: "skd://film/video", isPersistable: true)
        }
        let problem = FilmProblem(try #require(failure))
        #expect(problem.message == "This film cannot be downloaded. Watch it online.")
        #expect(!problem.canRetry)
    }

    @Test func noNetwork() async throws {
        server.injectAlways(.noConnection)
        #expect(try await problem().message == "The internet connection does not work.")
    }

    @Test func aServerThatIsBusyForLongerThanTheViewerWaits() async throws {
        server.injectAlways(.overloaded(retryAfter: .seconds(60)))
        let problem = try await problem()
        #expect(problem.message == "Our service is busy. Try again in a few minutes.")
        #expect(problem.canRetry)
    }

    @Test func theProblemIsThatOfTheFilmAndEndsWhenItsKeyLoads() async throws {
        func film(_ key: String) throws -> Film {
            let url = try #require(URL(string: "https://films.example/film/main.m3u8"))
            return Film(id: key, title: "A film", url: url, keys: [key])
        }
        let (broken, other) = (try film("skd://film/video?cut=1"), try film("skd://film/video?cut=2"))
        var made: FilmKeys?
        let client = server.makeClient(loader: { session in
            let keys = server.makeKeys(session)
            made = keys
            return keys.loader
        })
        let keys = try #require(made)

        server.inject(.wrongLicense, on: .license)
        await #expect(throws: ContentKeyError.self) { try await client.play(broken.keys[0]) }
        #expect(await keys.problem(of: broken)?.message == "Our service has a problem with this film.")
        #expect(await keys.problem(of: other) == nil)
        try await client.play(broken.keys[0])
        #expect(await keys.problem(of: broken) == nil)
    }
}
