import FPSCrypto
import GRDB
import Glibc
import KeyStore
import KeyStoreTests
import Testing

@testable import KeyStoreSQLite

@Suite("Backup and restore of the SQLite store")
struct BackupTests {
    private let folder = TemporaryFolder()
    private var data: String { folder.path + "/data" }
    private var backup: String { folder.path + "/backup" }

    @Test("A backup can be used on another machine that has the key, with all its data")
    func roundTrip() async throws {
        let store = try SQLiteKeyStore(dataFolder: data, key: .dataFolder)
        let record = try Sample.content("asset")
        try await store.putContent(record, replacing: false)
        try await store.putFilm()
        try await store.backup(to: backup)
        // Later changes are not in the backup.
        try await store.putContent(try Sample.content("later"), replacing: false)
        try store.close()
        #expect(permissions(of: backup) == 0o600)
        #expect(folder.names == ["backup", "data"])

        let other = try makeFolder(withKeyOf: data)
        try SQLiteKeyStore.restore(from: backup, dataFolder: other, key: .dataFolder, replacing: false)
        #expect(permissions(of: other + "/keyway.sqlite") == 0o600)
        let restored = try SQLiteKeyStore(dataFolder: other, key: .dataFolder)
        #expect(ContentRecord.same(try await restored.content(assetID: record.info.assetID), record))
        #expect(try await restored.contents(after: nil, limit: 10).count == 1)
        #expect(try await restored.tracks(title: "film").count == 2)
        try restored.close()
    }

    @Test("A backup that is made during writes is consistent")
    func online() async throws {
        let store = try SQLiteKeyStore(dataFolder: data, key: .dataFolder)
        let path = backup
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<200 {
                group.addTask {
                    let batch = ContentBatch(contents: try (0..<5).map { try Sample.content("asset \(index) \($0)") })
                    try await store.put(batch, replacing: false)
                }
                if index % 50 == 25 { group.addTask { try await store.backup(to: path + "\(index)") } }
            }
            try await group.waitForAll()
        }
        for index in [25, 75, 125, 175] {
            let other = try makeFolder(withKeyOf: data)
            try SQLiteKeyStore.restore(
                from: path + "\(index)",
                dataFolder: other,
                key: .dataFolder,
                replacing: false
            )
            let restored = try SQLiteKeyStore(dataFolder: other, key: .dataFolder)
            // Each transaction wrote five records.
            let count = try await restored.contents(after: nil, limit: 1_000).count
            #expect(count.isMultiple(of: 5))
            try restored.close()
        }
    }

    @Test("A backup never replaces another file, and a failed one leaves no file")
    func refusals() async throws {
        let store = try SQLiteKeyStore(dataFolder: data, key: .dataFolder)
        folder.write("mine", to: "backup")
        await #expect(throws: KeyStoreError(.conflict, place: "")) { try await store.backup(to: backup) }
        #expect(folder.bytes(of: "backup") == Array("mine".utf8))
        await #expect(throws: KeyStoreError(.unavailable, place: "")) {
            try await store.backup(to: folder.path + "/nowhere/backup")
        }
        #expect(folder.names == ["backup", "data"])
    }

    @Test("A backup contains no key-encryption key and no secret in the clear")
    func secretsStayEncrypted() async throws {
        let store = try SQLiteKeyStore(dataFolder: data, key: .dataFolder)
        let record = try Sample.content("asset")
        try await store.putContent(record, replacing: false)
        try await store.backup(to: backup)
        let bytes = folder.bytes(of: "backup")
        #expect(holds(bytes, Array("asset".utf8)))
        #expect(!holds(bytes, record.contentKey.reveal()))
        #expect(!holds(bytes, Array(folder.bytes(of: "data/kek").prefix(64))))
    }

    @Test("A restore does not replace an existing database unless requested")
    func replacing() async throws {
        let store = try SQLiteKeyStore(dataFolder: data, key: .dataFolder)
        try await store.backup(to: backup)
        try await store.putContent(try Sample.content("asset"), replacing: false)
        try store.close()
        #expect(throws: KeyStoreError(.conflict, place: "")) {
            try SQLiteKeyStore.restore(from: backup, dataFolder: data, key: .dataFolder, replacing: false)
        }
        try await expectContents(1)
        try SQLiteKeyStore.restore(from: backup, dataFolder: data, key: .dataFolder, replacing: true)
        try await expectContents(0)
    }

    @Test("A database that a process has open is not replaced")
    func inUse() async throws {
        let store = try SQLiteKeyStore(dataFolder: data, key: .dataFolder)
        try await store.backup(to: backup)
        try await store.putContent(try Sample.content("asset"), replacing: false)
        #expect(throws: KeyStoreError(.locked, place: "")) {
            try SQLiteKeyStore.restore(from: backup, dataFolder: data, key: .dataFolder, replacing: true)
        }
        #expect(try await store.contents(after: nil, limit: 10).count == 1)
        try store.close()
        #expect(folder.bytes(of: "data/keyway.sqlite").isEmpty == false)
        try await expectContents(1)
    }

    @Test("A damaged database can be replaced by a backup, and its old log is not applied to the new database")
    func damaged() async throws {
        let store = try SQLiteKeyStore(dataFolder: data, key: .dataFolder)
        try await store.putContent(try Sample.content("asset"), replacing: false)
        try await store.backup(to: backup)
        try store.close()
        folder.write("This was a database.", to: "data/keyway.sqlite")
        folder.write("This was its log.", to: "data/keyway.sqlite-wal")
        try SQLiteKeyStore.restore(from: backup, dataFolder: data, key: .dataFolder, replacing: true)
        try await expectContents(1)
    }

    @Test("A restore without the right key changes nothing")
    func keys() async throws {
        let store = try SQLiteKeyStore(dataFolder: data, key: .dataFolder)
        try await store.backup(to: backup)
        try store.close()
        let empty = folder.path + "/empty"
        #expect(throws: KeyStoreError(.missingKEK, place: "")) {
            try SQLiteKeyStore.restore(from: backup, dataFolder: empty, key: .dataFolder, replacing: false)
        }
        #expect(mkdir(empty, 0o700) == 0)
        _ = try KeyEncryptionKey.create(file: empty + "/kek")
        #expect(throws: KeyStoreError(.wrongKEK, place: "")) {
            try SQLiteKeyStore.restore(from: backup, dataFolder: empty, key: .dataFolder, replacing: false)
        }
        #expect(TemporaryFolder.names(in: empty) == ["kek"])
    }

    @Test(
        "A file that is not a backup is rejected, and leaves no file",
        arguments: [
            ("PRAGMA application_id = 1", KeyStoreError.Code.foreignDatabase),
            ("PRAGMA user_version = 0", .foreignDatabase), ("PRAGMA user_version = 1000", .newerSchema),
            ("CREATE TABLE sealing (id INTEGER)", .unreleasedSchema),
            ("INSERT INTO track VALUES ('nothing', 'hd', 'hd', zeroblob(16), NULL)", .corrupt),
        ]
    )
    func foreign(_ change: String, _ code: KeyStoreError.Code) async throws {
        let store = try SQLiteKeyStore(dataFolder: data, key: .dataFolder)
        try await store.backup(to: backup)
        try store.close()
        try tamper(backup, change)
        try expectRefusal(code)
    }

    @Test("Damaged files are rejected: truncated, overwritten, empty, or text")
    func damagedBackups() async throws {
        let store = try SQLiteKeyStore(dataFolder: data, key: .dataFolder)
        let batch = ContentBatch(contents: try (0..<500).map { try Sample.content("asset \($0)") })
        try await store.put(batch, replacing: false)
        try await store.backup(to: backup)
        try store.close()
        let whole = folder.bytes(of: "backup")
        var overwritten = whole
        for index in 8_192..<12_288 { overwritten[index] = 0xAA }
        for bytes in [[], Array("To my aunt".utf8), Array(whole.prefix(whole.count / 2)), overwritten] {
            unlink(backup)
            folder.write(bytes: bytes, to: "backup")
            try expectRefusal(nil)
        }
        #expect(throws: KeyStoreError(.unavailable, place: "")) {
            try SQLiteKeyStore.restore(
                from: folder.path + "/nothing",
                dataFolder: data,
                key: .dataFolder,
                replacing: true
            )
        }
    }

    @Test("A database in use is not a backup, because its newest data is in another file")
    func liveDatabase() async throws {
        let store = try SQLiteKeyStore(dataFolder: data, key: .dataFolder)
        try await store.putContent(try Sample.content("asset"), replacing: false)
        let other = try makeFolder(withKeyOf: data)
        #expect(throws: KeyStoreError(.foreignDatabase, place: "")) {
            try SQLiteKeyStore.restore(
                from: data + "/keyway.sqlite",
                dataFolder: other,
                key: .dataFolder,
                replacing: false
            )
        }
        #expect(try await store.contents(after: nil, limit: 10).count == 1)
    }

    /// A rejected restore leaves the folder unchanged; nil accepts any code.
    private func expectRefusal(_ code: KeyStoreError.Code?) throws {
        let other = try makeFolder(withKeyOf: data)
        do throws(KeyStoreError) {
            try SQLiteKeyStore.restore(from: backup, dataFolder: other, key: .dataFolder, replacing: false)
            Issue.record("it was restored")
        } catch {
            if let code { #expect(error.code == code) }
        }
        #expect(TemporaryFolder.names(in: other) == ["kek"])
    }

    private func expectContents(_ count: Int) async throws {
        let store = try SQLiteKeyStore(dataFolder: data, key: .dataFolder)
        #expect(try await store.contents(after: nil, limit: 10).count == count)
        try store.close()
    }

    /// Creates a folder with the key of another folder.
    private func makeFolder(withKeyOf data: String) throws -> String {
        var random = SecureRandom()
        let path = folder.path + "/other\(random.next())"
        try #require(mkdir(path, 0o700) == 0)
        try #require(link(data + "/kek", path + "/kek") == 0)
        return path
    }
}
