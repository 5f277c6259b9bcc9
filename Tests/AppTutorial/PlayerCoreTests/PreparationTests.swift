import ContentKeySession
import Foundation
import KeywayTesting
import KeywayTestingTraits
import PlayerCore
import Testing

@Suite(.keyServer)
struct PreparationTests {
    @Test func aPreparedFilmStartsWithoutARequest() async throws {
        let server = TestKeyServer.current
        let film = Film(
            id: "film",
            title: "A film",
            url: try #require(URL(string: "https://films.example/film/main.m3u8")),
            keys: ["skd://film/video", "skd://film/audio"]
        )
        var keys: FilmKeys?
        let client = server.makeClient(loader: { session in
            let made = server.makeKeys(session)
            keys = made
            return made.loader
        })
        try await server.clock.run { [keys] in await keys?.prepare([film]) }
        await server.clock.advance(by: .seconds(1))
        #expect(server.licenseRoundTrips == 1)
        for key in film.keys { try await client.play(key) }
        #expect(server.licenseRoundTrips == 1)
    }
}
