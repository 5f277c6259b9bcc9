import ContentKeySession
import Testing

@testable import OfflineAssets

@Suite("A store of keys that is read-only", .timeLimit(.minutes(10)))
struct ReadOnlyStoreTests {
    @Test("Its keys are returned, and changes are not written, which is reported")
    func reading() async throws {
        let folder = try Folder()
        let key = try StorageKey.of(7)
        try folder.store(key).change("film") { $0.lastPlayed = 1 }
        let names = folder.names("keys")
        let store = try OfflineKeyStore(folder: folder.path + "/keys", key: key, isReadOnly: true)
        let use = try await store.use("film")
        #expect(try store.title("film")?.lastPlayed == 1)
        #expect(try !store.isInUse("film", folder: folder.path + "/film"))
        try store.change("film") { $0.lastPlayed = 1 }
        #expect(!store.hasUnrecordedChanges)
        try store.change("film") { $0.lastPlayed = 2 }
        #expect(store.hasUnrecordedChanges)
        #expect(try store.title("film")?.lastPlayed == 1)
        #expect(folder.names("keys") == names)
        withExtendedLifetime(use) {}
    }

    @Test("A folder that does not exist is empty, and is not created")
    func missing() throws {
        let folder = try Folder()
        let store = try OfflineKeyStore(folder: folder.path + "/keys", key: .of(7), isReadOnly: true)
        #expect(try store.titles().titles.isEmpty)
        #expect(folder.names().isEmpty)
    }
}
