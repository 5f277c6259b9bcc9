import GRDB
import KeyStore
import KeyStoreTests
import Testing

@testable import KeyStoreSQLite

@Suite("Inspecting the SQLite store")
struct InspectionTests {
    private let folder = TemporaryFolder()

    private func create() throws -> SQLiteKeyStore { try SQLiteKeyStore(dataFolder: folder.path, key: .dataFolder) }

    @Test("A store in use is read, with its bundles and the end of its audit log")
    func inUse() async throws {
        let store = try create()
        for time in 1...3 as ClosedRange<Int64> { try await store.append(Sample.audit(time)) }
        let found = try SQLiteKeyStore.inspect(dataFolder: folder.path, key: .dataFolder)
        #expect(found.schema == found.supportedSchema && found.audit.isIntact && found.bundles.isEmpty)
        #expect(found.newest?.record == Sample.audit(3))
        try store.close()
    }

    @Test("A database with an older schema is not migrated")
    func older() throws {
        try create().close()
        try tamper(folder.path + "/keyway.sqlite", "PRAGMA user_version = 1")
        let found = try SQLiteKeyStore.inspect(dataFolder: folder.path, key: .dataFolder)
        #expect(found.schema == 1 && found.supportedSchema > 1)
        #expect(try SQLiteKeyStore.inspect(dataFolder: folder.path, key: .dataFolder).schema == 1)
    }

    @Test("A changed entry at the end of the audit log is detected")
    func tampered() async throws {
        let store = try create()
        for time in 1...3 as ClosedRange<Int64> { try await store.append(Sample.audit(time)) }
        try store.close()
        try tamper(folder.path + "/keyway.sqlite", "UPDATE audit SET outcome = 'x' WHERE number = 3")
        let found = try SQLiteKeyStore.inspect(dataFolder: folder.path, key: .dataFolder)
        #expect(found.audit.firstBreak?.fault == .changed && found.audit.firstBreak?.number == 3)
    }

    @Test("A store that is missing, newer, or encrypted with another key is an error, and nothing is created")
    func errors() throws {
        #expect(throws: KeyStoreError(.missingStore, place: "")) {
            try SQLiteKeyStore.inspect(dataFolder: folder.path, key: .dataFolder)
        }
        #expect(folder.names.isEmpty)
        try create().close()
        #expect(throws: KeyStoreError(.missingKEK, place: "")) {
            try SQLiteKeyStore.inspect(dataFolder: folder.path, key: .file(folder.path + "/none"))
        }
        let other = folder.path + "/other"
        _ = try KeyEncryptionKey.create(file: other)
        #expect(throws: KeyStoreError(.wrongKEK, place: "")) {
            try SQLiteKeyStore.inspect(dataFolder: folder.path, key: .file(other))
        }
        try tamper(folder.path + "/keyway.sqlite", "PRAGMA user_version = 1000")
        #expect(throws: KeyStoreError(.newerSchema, place: "")) {
            try SQLiteKeyStore.inspect(dataFolder: folder.path, key: .dataFolder)
        }
    }
}
