import FPSCrypto
import GRDB
import Glibc
import KeyStore
import KeyStoreSQLite
import KeyStoreTests
import Testing

@Suite("Opening the SQLite store")
struct OpeningTests {
    private let folder = TemporaryFolder()
    private var path: String { folder.path + "/keyway.sqlite" }

    @Test("Another program's database is rejected and unchanged")
    func foreignDatabase() throws {
        try tamper(path, "CREATE TABLE film (title TEXT)")
        let before = folder.bytes(of: "keyway.sqlite")
        expectOpening(fails: .foreignDatabase)
        #expect(folder.bytes(of: "keyway.sqlite") == before)
        #expect(!before.isEmpty)
    }

    @Test("A file that is not a database is rejected and unchanged")
    func noDatabase() throws {
        let text = String(repeating: "This is a letter to my aunt. ", count: 200)
        folder.write(text, to: "keyway.sqlite")
        expectOpening(fails: .foreignDatabase)
        #expect(folder.bytes(of: "keyway.sqlite") == Array(text.utf8))
    }

    @Test("A database of a newer version is rejected")
    func newerSchema() throws {
        let key = try store()
        try tamper(path, "PRAGMA user_version = 1000")
        #expect(throws: KeyStoreError(.newerSchema, place: "")) { try SQLiteKeyStore(path: path, key: key) }
    }

    @Test("A database of a development version is rejected and unchanged, and the error says how to move its keys")
    func unreleasedSchema() throws {
        try tamper(
            path,
            "PRAGMA application_id = 1266243449; PRAGMA user_version = 1; CREATE TABLE sealing (id INTEGER)"
        )
        let before = folder.bytes(of: "keyway.sqlite")
        do throws(KeyStoreError) {
            _ = try SQLiteKeyStore(path: path, key: try .generate())
            Issue.record("it was opened")
        } catch {
            #expect(error.code == .unreleasedSchema)
            #expect(error.description.contains("keyway-server keys export"))
        }
        #expect(folder.bytes(of: "keyway.sqlite") == before)
        #expect(folder.names == ["keyway.sqlite"])
    }

    @Test("A wrong key-encryption key is rejected at once")
    func wrongKey() throws {
        _ = try store()
        expectOpening(fails: .wrongKEK)
    }

    @Test("A lost key-encryption key is not replaced by a new one")
    func lostKey() throws {
        try SQLiteKeyStore(dataFolder: folder.path, key: .dataFolder).close()
        #expect(unlink(folder.path + "/kek") == 0)
        #expect(throws: KeyStoreError(.missingKEK, place: "")) {
            try SQLiteKeyStore(dataFolder: folder.path, key: .dataFolder)
        }
        #expect(folder.names == ["keyway.sqlite"])
    }

    @Test("A key outside of the folder must exist")
    func keyFromElsewhere() throws {
        #expect(throws: KeyStoreError(.missingKEK, place: "")) {
            try SQLiteKeyStore(dataFolder: folder.path, key: .environment("KEYWAY_NO_SUCH_VARIABLE"))
        }
        #expect(throws: KeyStoreError(.missingKEK, place: "")) {
            try SQLiteKeyStore(dataFolder: folder.path, key: .file(folder.path + "/elsewhere"))
        }
        #expect(folder.names.isEmpty)
        _ = try KeyEncryptionKey.create(file: folder.path + "/elsewhere")
        try SQLiteKeyStore(dataFolder: folder.path, key: .file(folder.path + "/elsewhere")).close()
        #expect(folder.names == ["elsewhere", "keyway.sqlite"])
    }

    @Test("Without permission to create the store, no file is created")
    func neverCreated() throws {
        let missing = folder.path + "/missing"
        let file = folder.path + "/file"
        folder.write("a file", to: "file")
        for path in [folder.path, missing, missing + "/below", file] {
            for source in [KeyEncryptionKeySource.dataFolder, .file(folder.path + "/elsewhere")] {
                #expect(throws: KeyStoreError(.missingStore, place: ""), "\(path)") {
                    try SQLiteKeyStore(dataFolder: path, key: source, creating: .never)
                }
            }
        }
        #expect(folder.names == ["file"])
        folder.write("", to: "keyway.sqlite")
        #expect(throws: KeyStoreError(.missingStore, place: "")) {
            try SQLiteKeyStore(dataFolder: folder.path, key: .dataFolder, creating: .never)
        }
        #expect(folder.names == ["file", "keyway.sqlite"])
    }

    @Test("A rewrap of a mistyped folder creates no key")
    func neverRewrapped() async throws {
        let key = folder.path + "/new"
        await #expect(throws: KeyStoreError(.missingStore, place: "")) {
            try await SQLiteKeyStore.rewrap(dataFolder: folder.path + "/typo", key: .dataFolder, newKeyFile: key)
        }
        #expect(folder.names.isEmpty)
    }

    @Test("A store is created once, and an existing store does not change")
    func alwaysCreated() throws {
        let place = folder.path + "/data"
        let store = try SQLiteKeyStore(dataFolder: place, key: .dataFolder, creating: .always)
        #expect(store.isNew)
        try store.close()
        #expect(TemporaryFolder.names(in: place) == ["kek", "keyway.sqlite"])
        #expect(permissions(of: place) == 0o700 && permissions(of: place + "/keyway.sqlite") == 0o600)
        let before = folder.bytes(of: "data/keyway.sqlite")
        #expect(throws: KeyStoreError(.conflict, place: "")) {
            try SQLiteKeyStore(dataFolder: place, key: .dataFolder, creating: .always)
        }
        #expect(folder.bytes(of: "data/keyway.sqlite") == before)
        let again = try SQLiteKeyStore(dataFolder: place, key: .dataFolder, creating: .never)
        #expect(!again.isNew)
        try again.close()
    }

    @Test("A folder that was created for a failed start is removed")
    func abandoned() throws {
        let place = folder.path + "/data"
        #expect(throws: KeyStoreError(.missingKEK, place: "")) {
            try SQLiteKeyStore(dataFolder: place, key: .file(folder.path + "/elsewhere"))
        }
        #expect(throws: KeyStoreError.self) {
            try SQLiteKeyStore.restore(from: "/nowhere", dataFolder: place, key: .dataFolder, replacing: false)
        }
        #expect(folder.names.isEmpty)
    }

    @Test("A data folder that other users can write to is rejected")
    func looseFolder() throws {
        #expect(chmod(folder.path, 0o770) == 0)
        #expect(throws: KeyStoreError(.unsafePermissions, place: "")) {
            try SQLiteKeyStore(dataFolder: folder.path, key: .dataFolder)
        }
    }

    @Test("A database that other users can read is made private")
    func looseDatabase() throws {
        let key = try store()
        #expect(chmod(path, 0o644) == 0)
        let store = try SQLiteKeyStore(path: path, key: key)
        #expect(permissions(of: path) == 0o600)
        try store.close()
    }

    @Test("A symbolic link instead of the database is not followed")
    func link() throws {
        #expect(symlink(folder.path + "/elsewhere", path) == 0)
        #expect(throws: KeyStoreError.self) { try SQLiteKeyStore(path: path, key: .generate()) }
        #expect(folder.names == ["keyway.sqlite"])
    }

    @Test("A first start that was interrupted after marking the file is completed by the next start")
    func interruptedCreation() throws {
        try tamper(path, "PRAGMA application_id = 1266243449")
        try SQLiteKeyStore(path: path, key: .generate()).close()
    }

    @Test("Simultaneous first starts agree on one key")
    func manyFirstStarts() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<4 {
                group.addTask {
                    let store = try SQLiteKeyStore(dataFolder: folder.path, key: .dataFolder)
                    try await store.putContent(try Sample.content("asset\(index)"), replacing: false)
                }
            }
            try await group.waitForAll()
        }
        let store = try SQLiteKeyStore(dataFolder: folder.path, key: .dataFolder)
        for info in try await store.contents(after: nil, limit: 10) {
            #expect(try await store.content(assetID: info.assetID) != nil)
        }
        #expect(try await store.contents(after: nil, limit: 10).count == 4)
    }

    /// Creates a database and closes it; returns its key.
    private func store() throws -> KeyEncryptionKey {
        let key = try KeyEncryptionKey.generate()
        try SQLiteKeyStore(path: path, key: key).close()
        return key
    }

    private func expectOpening(fails code: KeyStoreError.Code) {
        #expect(throws: KeyStoreError(code, place: "")) { try SQLiteKeyStore(path: path, key: .generate()) }
    }
}
