import ContentKeySession
import Foundation
import HLSPlaylist
import KeywayTesting
import Testing

@Suite("An app's own store of persistent keys", .timeLimit(.minutes(10)))
struct StoreOnDiskTests {
    private let server = TestKeyServer()
    private let folder = FileManager.default.temporaryDirectory.appending(path: "keys-\(UUID().uuidString)")

    @Test("A key that was stored and replaced on disk plays after two relaunches without a network")
    func relaunches() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        server.policy = .offline(storage: .seconds(30 * 86_400), playback: .seconds(2 * 86_400))
        let device = server.makeDevice()
        let atHome = try server.makeClient(device: device, persistentKeys: KeyFolder(folder))
        try await atHome.key(for: "skd://movie", isPersistable: true)
        await atHome.end()
        let stored = try await KeyFolder(folder).key(for: "skd://movie")

        server.injectAlways(.noConnection)
        for _ in 1...2 {
            let client = try server.makeClient(device: device, persistentKeys: KeyFolder(folder))
            let key = try await client.play("skd://movie", isPersistable: true)
            #expect(try client.contentKey(of: key) == server.contentKey(for: "movie"))
            await client.end()
        }
        // First playback replaced the key.
        #expect(try await KeyFolder(folder).key(for: "skd://movie") != stored)
    }

    @Test("Playback fails if the replaced key cannot be stored")
    func lostKey() async throws {
        server.policy = .offline(storage: .seconds(30 * 86_400), playback: .seconds(2 * 86_400))
        let client = try server.makeClient(persistentKeys: KeyFolder(folder))
        try await client.key(for: "skd://movie", isPersistable: true)
        try FileManager.default.removeItem(at: folder)
        await #expect(throws: ContentKeyError(.keyNotStored, .session)) {
            try await client.play("skd://movie", isPersistable: true)
        }
    }
    @Test("A key is requested again with its protocol versions, also after the device has replaced it")
    func versions() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        server.protocolVersions = [2]
        server.policy = .offline(storage: .seconds(30 * 86_400), playback: .seconds(2 * 86_400))
        let device = server.makeDevice()
        let first = try server.makeClient(device: device, persistentKeys: KeyFolder(folder))
        await first.loader.keysDeclared([
            KeyTag(method: .sampleAES, uri: "skd://movie", keyFormat: .fairPlay, keyFormatVersions: "1/2")
        ])
        try await first.play("skd://movie", isPersistable: true)
        await first.end()

        // The key has expired, and this run of the app has no playlist.
        await server.clock.advance(by: .seconds(3 * 86_400))
        let second = try server.makeClient(device: device, persistentKeys: KeyFolder(folder))
        try await second.play("skd://movie", isPersistable: true)
        #expect(server.licenseRoundTrips == 2)
        #expect(try await KeyFolder(folder).protocolVersions(for: "skd://movie") == [1, 2])
    }
}
