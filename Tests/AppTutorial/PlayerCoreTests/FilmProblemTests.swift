import ContentKeySession
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

    @Test func noNetwork() async throws {
        server.injectAlways(.noConnection)
        #expect(try await problem().canRetry)
    }
}
