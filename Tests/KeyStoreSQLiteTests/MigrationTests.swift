import Foundation
import GRDB
import KeyStore
import KeyStoreTests
import Testing

@testable import KeyStoreSQLite

@Suite("Databases of earlier versions")
struct MigrationTests {
    private let folder = TemporaryFolder()
    private var path: String { folder.path + "/keyway.sqlite" }

    @Test("Keys of version 1 exist after the migration, and of several with one key ID the first retains it")
    func titles() async throws {
        let key = try KeyEncryptionKey.generate()
        try makeVersion1()
        let keyIDs: [UInt8?] = [1, 1, 2, nil]
        var contents: [ContentRecord] = []
        for (index, keyID) in keyIDs.enumerated() {
            let record = try ContentRecord(
                assetID: Array("asset \(index)".utf8),
                keyID: keyID.map { [UInt8](repeating: $0, count: 16) },
                contentKey: Sample.secret(),
                iv: Array(repeating: 7, count: 16),
                track: .video,
                policyName: "p",
                streamID: Array(repeating: 3, count: 16),
                titleID: Array(repeating: 4, count: 16),
                time: 100 - Int64(index)
            )
            contents.append(record)
        }
        try insert(contents, encryptedWith: key)

        let store = try SQLiteKeyStore(path: path, key: key)
        for (index, record) in contents.enumerated() {
            let found = try #require(try await store.content(assetID: record.info.assetID))
            #expect(found.contentKey == record.contentKey)
            #expect(found.iv == record.iv)
            #expect(found.info.policyName == "p")
            #expect(found.info.streamID == record.info.streamID)
            #expect(found.info.created == record.info.created)
            #expect(found.info.keyID == (index == 0 ? nil : record.info.keyID))
            #expect(found.info.titleName == nil)
        }
        let owner = try await store.content(keyID: Array(repeating: 1, count: 16))
        #expect(owner?.info.assetID == contents[1].info.assetID)
        await #expect(throws: KeyStoreError(.conflict, place: "")) { try await store.deletePolicy(name: "p") }
        #expect(try await store.writerSetting("user_version") == "\(SQLiteSchema.version)")
        #expect(try await store.writerSetting("foreign_key_check") == nil)
    }

    @Test("A key ID is looked up in its index")
    func index() async throws {
        let store = try SQLiteKeyStore(path: path, key: .generate())
        let plan: [String] = try await store.pool.read { db in
            let rows = try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN SELECT 1 FROM content WHERE key_id = x'00'")
            return rows.map { $0["detail"] }
        }
        #expect(plan.count == 1)
        #expect(plan.first?.contains("content_by_key_id") == true)
    }

    /// The database of a server without titles.
    private func makeVersion1() throws {
        let queue = try DatabaseQueue(path: path)
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA application_id = \(SQLiteSchema.applicationID)")
        }
        try SQLiteSchema.migrator.migrate(queue, upTo: "1")
        try queue.write { db in try db.execute(sql: "INSERT INTO policy (name, document) VALUES ('p', x'7B7D')") }
        try queue.close()
    }

    private func insert(_ records: [ContentRecord], encryptedWith key: KeyEncryptionKey) throws {
        let queue = try DatabaseQueue(path: path)
        try queue.write { db in
            for record in records {
                let info = record.info
                let encrypted = try key.encrypt(record.contentKey, for: ContentRow.keyColumn(assetID: info.assetID))
                try db.execute(
                    sql: """
                        INSERT INTO content (asset_id, key_id, content_key, iv, track, policy_name, stream_id, title_id,
                            created, updated) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                        """,
                    arguments: [
                        Data(info.assetID), info.keyID.map { Data($0) }, Data(encrypted), Data(record.iv),
                        info.track.rawValue, info.policyName, info.streamID.map { Data($0) },
                        info.titleID.map { Data($0) }, info.created, info.updated,
                    ]
                )
            }
        }
        try queue.close()
    }
}
