import ContentKeySession
import FPSCrypto
import Foundation
import HLSPlaylist
import MediaDecryption
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

    @Test("are not made for a clear key in a file, which only a local playlist can refer to")
    func keyFile() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "keyway-keys-\(UUID().uuidString)/")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data(0..<16).write(to: folder.appending(path: "good.key"))
        try Data(0..<15).write(to: folder.appending(path: "short.key"))
        let recipient = PlayerKeyRecipient(PlayerKeySystems())
        func keys(_ uri: String, base: String? = nil) async throws(PlayerError) -> DecryptionKeys {
            var context = KeyContext()
            context.apply(KeyTag(method: .aes128, uri: uri, keyFormat: .identity))
            return try await recipient.keys(for: context, base: base ?? folder.absoluteString + "main.m3u8")
        }
        let expected = SecretBytes(copying: Array(0..<16))
        #expect(try await keys("good.key").uris["good.key"]?.key == expected)
        let short = await #expect(throws: PlayerError.self) { _ = try await keys("short.key") }
        #expect(short?.description.hasSuffix("the key file has 15 bytes, must have 16") == true)
        let missing = await #expect(throws: PlayerError.self) { _ = try await keys("missing.key") }
        #expect(missing?.code == "not-found")
        let file = folder.absoluteString + "good.key"
        let remote = await #expect(throws: PlayerError.self) {
            _ = try await keys(file, base: "https://stage.test/main.m3u8")
        }
        #expect(remote?.code == "bad-address")
    }
}
