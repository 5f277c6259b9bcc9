import ContentKeySession
import HLSPlaylist
import Testing

@testable import StreamPlayer

@Suite("The key requests of the player", .timeLimit(.minutes(10)))
struct PlayerKeyRecipientTests {
    @Test(
        "have the protocol versions of the playlist",
        arguments: [("1/2", [1, 2]), (nil, [1])] as [(String?, [UInt32])]
    )
    func versions(text: String?, versions: [UInt32]) async throws {
        let session = KeySession(device: NoContentProtection())
        var systems = PlayerKeySystems(fairPlay: session)
        systems.fairPlayOptions.isPersistable = true
        let recipient = PlayerKeyRecipient(systems)
        try await recipient.join()
        var context = KeyContext()
        context.apply(KeyTag(method: .sampleAES, uri: "skd://k", keyFormat: .fairPlay, keyFormatVersions: text))
        let keys = Task { [context] in try await recipient.keys(for: context, base: "https://stage.test/main.m3u8") }
        var requests = session.requests.makeAsyncIterator()
        let request = try #require(await requests.next())
        #expect(request.declaredProtocolVersions == versions)
        await request.processContentKeyResponseError(ContentKeyError(.noResponse, .response))
        let error = await #expect(throws: PlayerError.self) { _ = try await keys.value }
        #expect(error?.code == "no-response")
    }
}
