import FPSCrypto
import GRDB
import KeyStore
import KeyStoreTests
import Testing

@testable import KeyStoreSQLite

@Suite("Databases of older schemas with licenses")
struct GrantMigrationTests {
    private let folder = TemporaryFolder()
    private let key: KeyEncryptionKey
    private var path: String { folder.path + "/keyway.sqlite" }

    init() throws { key = try .generate() }

    @Test("A database of schema 1 retains its rows, and its audit log becomes a chain")
    func fromSchema1() async throws {
        let content = try Sample.content("movie", policy: "premium")
        let records = (1...2_500).map { time in
            var record = Sample.audit(Int64(time))
            record.detail = time.isMultiple(of: 2) ? "naïve 漢字" : nil
            record.sessionID = .max
            record.device = Sample.device(time)
            return record
        }
        let hash = try makeSchema1(content, records)

        let store = try SQLiteKeyStore(path: path, key: key)
        #expect(try await store.writerSetting("user_version") == "\(SQLiteSchema.version)")
        #expect(ContentRecord.same(try await store.content(assetID: content.info.assetID), content))
        #expect(store.deviceHash(hu: [1, 2, 3]) == hash)
        var entries: [AuditEntry] = []
        while true {
            let page = try await store.auditEntries(after: entries.last?.number, limit: 1_000)
            if page.isEmpty { break }
            entries += page
        }
        #expect(entries.map(\.record) == records)
        #expect(entries.map(\.number) == Array(11...2_510))
        #expect(entries.map(\.sequence) == Array(1...2_500))
        #expect(try await store.verifyAudit().isIntact)

        // The log continues after the last entry.
        #expect(try await store.grant(Sample.proposal().slot()) == .granted)
        let last = try await store.auditEntries(before: nil, limit: 1).first
        #expect(last?.number == 2_511)
        #expect(last?.sequence == 2_501)
        try store.close()
        let again = try SQLiteKeyStore(path: path, key: key)
        #expect(try await again.verifyAudit().entries == 2_501)
        #expect(try await again.verifyAudit().isIntact)
        #expect(try await again.leaseCount(at: 1_000) == 1)
    }

    @Test("Sessions that were ended before schema 4 stay ended, and rentals distinguish titles from assets")
    func fromSchema3() async throws {
        try makeSchema3()
        let store = try SQLiteKeyStore(path: path, key: key)
        #expect(try await store.writerSetting("user_version") == "\(SQLiteSchema.version)")
        #expect(try await store.writerSetting("foreign_key_check") == nil)

        let ended = Sample.proposal(session: .max, at: 1_000)
        #expect(try await store.grant(ended.slot()).refusal == .leaseEnded)
        #expect(try await store.grant(ended.with { $0.now = 2_000 + 86_400 }.slot()) == .granted)
        let nameless = Sample.proposal(device: 2, at: 1_999).with { $0.sessionID = nil }
        #expect(try await store.grant(nameless.slot()).refusal == .leaseEnded)
        #expect(try await store.grant(nameless.with { $0.now = 2_000 }.slot()) == .granted)
        #expect(try await store.grant(Sample.proposal(device: 3, session: 3).slot()) == .granted)

        func asset(_ text: String) -> RentalSubject { .asset(Array(text.utf8)) }
        let rentals = try await store.rentals(account: "anna")
        #expect(
            rentals.map(\.subject) == [
                .title("both"), .title("film"), .title("gone"), asset("alone"), asset("both"), asset("gone"),
            ]
        )
        #expect(rentals.map(\.start) == [2, 1, 4, 3, 2, 4])
        #expect(rentals.map(\.end) == [9, 9, 9, 9, 9, 9])
        #expect(rentals.allSatisfy { $0.client == Sample.client(1) })
    }

    /// Leases and rentals of schema 3: a title `film`, a title and an asset `both`, an asset `alone`.
    private func makeSchema3() throws {
        let queue = try DatabaseQueue(path: path)
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA application_id = \(SQLiteSchema.applicationID)")
            try db.execute(sql: "PRAGMA journal_mode = WAL")
        }
        try SQLiteSchema.migrator.migrate(queue, upTo: "3")
        let client = Sample.client(1).encoded.data
        try queue.write { db in
            for (device, session, ended) in [(1, -1, 900), (2, nil, 900), (3, 3, nil)] as [(Int, Int64?, Int64?)] {
                try db.execute(
                    sql: """
                        INSERT INTO lease (account, place, session_id, asset_id, since, until, purpose, ended)
                        VALUES (CAST('anna' AS BLOB), ?, ?, x'0102', 500, 2000, 'playback', ?)
                        """,
                    arguments: [Sample.client(device).encoded.data, session, ended]
                )
            }
            for name in ["film", "both"] {
                try db.execute(
                    sql: "INSERT INTO title (name, title_id, created, updated) VALUES (?, zeroblob(16), 0, 0)",
                    arguments: [name]
                )
            }
            for assetID in ["alone", "both"] {
                try db.execute(
                    sql: """
                        INSERT INTO content (asset_id, content_key, iv, track, created, updated)
                        VALUES (CAST(? AS BLOB), x'00', zeroblob(16), 'video', 0, 0)
                        """,
                    arguments: [assetID]
                )
            }
            for (index, subject) in ["film", "both", "alone", "gone"].enumerated() {
                try db.execute(
                    sql: """
                        INSERT INTO rental (account, subject, start, end, place)
                        VALUES (CAST('anna' AS BLOB), CAST(? AS BLOB), ?, 9, ?)
                        """,
                    arguments: [subject, index + 1, client]
                )
            }
        }
        try queue.close()
    }

    /// Creates a database as the program did with schema 1, with its migration and rows inserted by SQL. Returns the
    /// hash of a device.
    private func makeSchema1(_ content: ContentRecord, _ records: [AuditRecord]) throws -> DeviceHash {
        let secret = Sample.secret(32)
        let queue = try DatabaseQueue(path: path)
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA application_id = \(SQLiteSchema.applicationID)")
            try db.execute(sql: "PRAGMA journal_mode = WAL")
        }
        try SQLiteSchema.migrator.migrate(queue, upTo: "1")
        try queue.write { db in
            try db.execute(
                sql: "INSERT INTO sealing (id, kek_id, device_hash_key) VALUES (1, ?, ?)",
                arguments: [key.id.data, key.encrypt(secret, for: SQLiteKeyStore.deviceHashKeyColumn).data]
            )
            let policy = try Sample.policy("premium")
            try db.execute(
                sql: "INSERT INTO policy (name, document) VALUES (?, ?)",
                arguments: [policy.name, policy.document.data]
            )
            let encrypted = try key.encrypt(
                content.contentKey,
                for: ContentRow.keyColumn(assetID: content.info.assetID)
            )
            try db.execute(
                sql: """
                    INSERT INTO content (asset_id, key_id, content_key, iv, track, policy_name, stream_id, title_id,
                        created, updated) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    content.info.assetID.data, content.info.keyID?.data, encrypted.data, content.iv.data,
                    content.info.track.rawValue, content.info.policyName, content.info.streamID?.data,
                    content.info.titleID?.data, content.info.created, content.info.updated,
                ]
            )
            // Numbered as after older entries.
            try db.execute(sql: "INSERT INTO sqlite_sequence (name, seq) VALUES ('audit', 10)")
            for record in records {
                try db.execute(
                    sql: """
                        INSERT INTO audit (milliseconds, route, outcome, detail, session_id, device, microseconds)
                        VALUES (?, ?, ?, ?, ?, ?, ?)
                        """,
                    arguments: [
                        record.milliseconds, record.route, record.outcome, record.detail,
                        record.sessionID.map { Int64(bitPattern: $0) }, record.device?.bytes.data, record.microseconds,
                    ]
                )
            }
            #expect(try Int.fetchOne(db, sql: "PRAGMA user_version") == 1)
        }
        try queue.close()
        return DeviceHash(hu: [1, 2, 3], key: secret)
    }
}
