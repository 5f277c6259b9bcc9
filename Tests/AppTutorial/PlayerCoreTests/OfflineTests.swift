import ContentKeySession
import KeywayTesting
import KeywayTestingTraits
import PlayerCore
import Testing

@Suite(.keyServer { $0.policy = .offline(storage: .seconds(30 * 86_400), playback: .seconds(2 * 86_400)) })
struct OfflineTests {
    let server = TestKeyServer.current

    @Test func aDownloadPlaysOnAPlaneAndEnds() async throws {
        let device = server.makeDevice()
        let atHome = server.makeClient(device: device)
        try await atHome.key(for: "skd://film/video", isPersistable: true)
        await atHome.end()

        server.injectAlways(.noConnection)
        await server.clock.advance(by: .seconds(20 * 86_400))
        let onAPlane = server.makeClient(device: device, persistentKeys: atHome.persistentKeys)
        try await onAPlane.play("skd://film/video", isPersistable: true)
        await onAPlane.end()

        await server.clock.advance(by: .seconds(2 * 86_400))
        let tooLate = server.makeClient(device: device, persistentKeys: atHome.persistentKeys)
        let failure = await #expect(throws: KeyFailure.self) {
            try await tooLate.play("skd://film/video", isPersistable: true)
        }
        let problem = FilmProblem(try #require(failure))
        #expect(problem.message == "This download has expired. Connect to the internet to watch.")
    }

    @Test func theLabelSaysHowLongAFilmMayBeWatched() {
        var key = KeyHistoryEntry(terms: .dual(storage: 30 * 86_400, playback: 2 * 86_400), issued: 0)
        #expect(RemainingTime([key], at: 86_400).description == "29 days left")
        key.note(.played, at: 86_400)
        #expect(RemainingTime([key], at: 2 * 86_400).description == "24 hours left")
        #expect(RemainingTime([key, nil], at: 2 * 86_400) == .over)
        #expect(RemainingTime([key], at: 3 * 86_400).description == "Connect to the internet to watch")
        #expect(RemainingTime([], at: 0) == .unlimited)
    }
}
