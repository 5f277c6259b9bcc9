import ContentKeySession
import Foundation
import KeywayTesting
import Testing

@Suite("An app's own store of persistent keys", .timeLimit(.minutes(10)))
struct StoreOnDiskTests {
    /// A store with a file for each key.
    private actor Store: PersistentKeyStore {
        let folder: URL

        init(_ folder: URL) throws {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            self.folder = folder
        }

        private func file(of identifier: String) -> URL {
            folder.appending(path: identifier.utf8.map { String($0, radix: 16) }.joined())
        }

        func key(for identifier: String) -> [UInt8]? { (try? Data(contentsOf: file(of: identifier))).map { Array($0) } }

        func save(_ key: [UInt8], for identifier: String) throws {
            try Data(key).write(to: file(of: identifier), options: .atomic)
        }
    }

    private let server = TestKeyServer()
    private let folder = FileManager.default.temporaryDirectory.appending(path: "keys-\(UUID().uuidString)")

    @Test("A key that was stored and replaced on disk plays after two relaunches without a network")
    func relaunches() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        server.policy = .offline(storage: .seconds(30 * 86_400), playback: .seconds(2 * 86_400))
        let device = server.makeDevice()
        let atHome = try server.makeClient(device: device, persistentKeys: Store(folder))
        try await atHome.key(for: "skd://movie", isPersistable: true)
        await atHome.end()
        let stored = try await Store(folder).key(for: "skd://movie")

        server.injectAlways(.noConnection)
        for _ in 1...2 {
            let client = try server.makeClient(device: device, persistentKeys: Store(folder))
            let key = try await client.play("skd://movie", isPersistable: true)
            #expect(try client.contentKey(of: key) == server.contentKey(for: "movie"))
            await client.end()
        }
        // First playback replaced the key.
        #expect(try await Store(folder).key(for: "skd://movie") != stored)
    }

    @Test("Playback fails if the replaced key cannot be stored")
    func lostKey() async throws {
        server.policy = .offline(storage: .seconds(30 * 86_400), playback: .seconds(2 * 86_400))
        let client = try server.makeClient(persistentKeys: Store(folder))
        try await client.key(for: "skd://movie", isPersistable: true)
        try FileManager.default.removeItem(at: folder)
        await #expect(throws: ContentKeyError(.keyNotStored, .session)) {
            try await client.play("skd://movie", isPersistable: true)
        }
    }
}
