import KeyStore
import KeyStoreTests
import Testing

@testable import KeyStoreSQLite

@Suite("Rewrapping a data folder")
struct RewrapTests {
    private let folder = TemporaryFolder()
    private var data: String { folder.path + "/data" }
    private var newKey: String { folder.path + "/new" }

    @Test("The folder gets the new key and the old key is saved next to it, and a running server is refused")
    func inFolder() async throws {
        let server = try SQLiteKeyStore(dataFolder: data, key: .dataFolder)
        let record = try Sample.content("asset")
        try await server.putContent(record, replacing: false)
        try await server.backup(to: folder.path + "/backup")
        let previous = try #require(try KeyEncryptionKey.load(file: data + "/kek"))

        // Compacting waits for readers, and this one is idle.
        let outcome = try await SQLiteKeyStore.rewrap(dataFolder: data, key: .dataFolder, newKeyFile: newKey)
        #expect(outcome.createdKey)
        #expect(outcome.reencrypted)
        #expect(permissions(of: newKey) == 0o600)
        #expect(permissions(of: data + "/kek") == 0o600)
        #expect(folder.bytes(of: "new") == folder.bytes(of: "data/kek"))
        let kept = try #require(outcome.oldKeyFile)
        #expect(try KeyEncryptionKey.load(file: kept)?.id == previous.id)

        await #expect(throws: KeyStoreError(.wrongKEK, place: "")) {
            try await server.lookup(assetID: record.info.assetID)
        }
        await #expect(throws: KeyStoreError(.wrongKEK, place: "")) {
            try await server.putContent(try Sample.content("other"), replacing: false)
        }
        try server.close()
        let bytes = folder.bytes(of: "data/keyway.sqlite") + folder.bytes(of: "data/keyway.sqlite-wal")
        #expect(!holds(bytes, [1] + previous.id))
        try await expectAsset(record)

        // The earlier backup requires the old key.
        let other = folder.path + "/other"
        try SQLiteKeyStore.restore(
            from: folder.path + "/backup",
            dataFolder: other,
            key: .file(kept),
            replacing: false
        )
    }

    @Test("A key outside of the folder stays where it is")
    func elsewhere() async throws {
        let old = folder.path + "/old"
        _ = try KeyEncryptionKey.create(file: old)
        _ = try KeyEncryptionKey.create(file: newKey)
        let store = try SQLiteKeyStore(dataFolder: data, key: .file(old))
        let record = try Sample.content("asset")
        try await store.putContent(record, replacing: false)
        try store.close()
        let outcome = try await SQLiteKeyStore.rewrap(dataFolder: data, key: .file(old), newKeyFile: newKey)
        #expect(outcome == RewrapOutcome(createdKey: false, reencrypted: true, oldKeyFile: nil))
        #expect(folder.names == ["data", "new", "old"])
        #expect(TemporaryFolder.names(in: data) == ["keyway.sqlite"])
        #expect(throws: KeyStoreError(.wrongKEK, place: "")) { try SQLiteKeyStore(dataFolder: data, key: .file(old)) }
        let reopened = try SQLiteKeyStore(dataFolder: data, key: .file(newKey))
        #expect(ContentRecord.same(try await reopened.content(assetID: record.info.assetID), record))
        try reopened.close()
    }

    @Test("A rewrap that was interrupted after the rotation is completed by a second run")
    func resumes() async throws {
        let store = try SQLiteKeyStore(dataFolder: data, key: .dataFolder)
        let record = try Sample.content("asset")
        try await store.putContent(record, replacing: false)
        try await store.rotate(to: try KeyEncryptionKey.create(file: newKey))
        try store.close()
        #expect(throws: KeyStoreError(.wrongKEK, place: "")) { try SQLiteKeyStore(dataFolder: data, key: .dataFolder) }
        let outcome = try await SQLiteKeyStore.rewrap(dataFolder: data, key: .dataFolder, newKeyFile: newKey)
        #expect(!outcome.createdKey)
        #expect(!outcome.reencrypted)
        #expect(outcome.oldKeyFile != nil)
        try await expectAsset(record)
        let again = try await SQLiteKeyStore.rewrap(dataFolder: data, key: .dataFolder, newKeyFile: newKey)
        #expect(again == RewrapOutcome(createdKey: false, reencrypted: false, oldKeyFile: nil))
        try await expectAsset(record)
    }

    @Test("A secret that cannot be decrypted leaves database and folder with the old key, and the new key file stays")
    func damaged() async throws {
        let store = try SQLiteKeyStore(dataFolder: data, key: .dataFolder)
        let record = try Sample.content("asset")
        try await store.putContent(record, replacing: false)
        try await store.putContent(try Sample.content("zzz"), replacing: false)
        try store.close()
        try tamper(
            data + "/keyway.sqlite",
            "UPDATE content SET content_key = zeroblob(53) WHERE asset_id = CAST('zzz' AS BLOB)"
        )
        let before = folder.bytes(of: "data/kek")
        await #expect(throws: KeyStoreError(.corrupt, place: "")) {
            try await SQLiteKeyStore.rewrap(dataFolder: data, key: .dataFolder, newKeyFile: newKey)
        }
        #expect(folder.bytes(of: "data/kek") == before)
        try await expectAsset(record)
    }

    @Test("Nothing happens with a key that is neither the old nor the new one")
    func stranger() async throws {
        let store = try SQLiteKeyStore(dataFolder: data, key: .dataFolder)
        try store.close()
        let wrong = folder.path + "/wrong"
        _ = try KeyEncryptionKey.create(file: wrong)
        await #expect(throws: KeyStoreError(.wrongKEK, place: "")) {
            try await SQLiteKeyStore.rewrap(dataFolder: data, key: .file(wrong), newKeyFile: newKey)
        }
        try SQLiteKeyStore(dataFolder: data, key: .dataFolder).close()
    }

    private func expectAsset(_ record: ContentRecord) async throws {
        let store = try SQLiteKeyStore(dataFolder: data, key: .dataFolder)
        #expect(ContentRecord.same(try await store.content(assetID: record.info.assetID), record))
        try store.close()
    }
}
