import ContentKeySession
import KeywayTesting
import KeywayTestingTraits
import PlayerCore
import Testing

extension TestKeyServer {
    /// Returns the app's keys for a session of a virtual iPhone.
    func makeKeys(_ session: KeySession) -> FilmKeys {
        FilmKeys(session: session, server: url, transport: self, clock: clock) { isNew in
            isNew ? "new token" : "token"
        }
    }

    /// Returns a virtual iPhone with the app's keys.
    func makeAppClient() -> TestKeyClient { makeClient(loader: { makeKeys($0).loader }) }
}

@Suite(.keyServer)
struct FilmKeysTests {
    let server = TestKeyServer.current

    @Test func aFilmPlays() async throws {
        let client = server.makeAppClient()
        let key = try await client.play("skd://film/video")
        #expect(try client.contentKey(of: key) == server.contentKey(for: "film/video"))
    }

    @Test func anExpiredTokenIsReplaced() async throws {
        server.acceptToken("new token")
        server.expireToken("token")
        try await server.makeAppClient().play("skd://film/video")
        #expect(server.requests.compactMap(\.token?.value) == ["token", "new token"])
    }

    @Test func playbackStartsAlthoughTheServerIsDownForAMoment() async throws {
        server.inject(.noConnection, .status(500), .noResponse)
        try await server.makeAppClient().play("skd://film/video")
        #expect(server.clock.elapsed < .seconds(25))
    }

    @Test func aLeaseIsRenewedDuringAnEvening() async throws {
        server.policy = .lease(.seconds(600))
        let client = server.makeAppClient()
        let key = try await client.play("skd://film/video")
        await server.clock.advance(by: .seconds(3 * 3600))
        #expect(key.stopCause == nil)
        #expect(server.requests.contains { $0.isRenewal })
    }
}
