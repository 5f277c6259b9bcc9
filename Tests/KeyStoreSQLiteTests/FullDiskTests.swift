import GRDB
import KeyStore
import KeyStoreTests
import Testing

@testable import KeyStoreSQLite

@Suite("A database that cannot grow")
struct FullDiskTests {
    private let folder = TemporaryFolder()
    private var path: String { folder.path + "/keyway.sqlite" }

    /// Sets the maximum number of pages of the database; beyond it SQLite reports SQLITE_FULL, as on a full disk.
    private func setLimit(_ pages: Int, _ store: SQLiteKeyStore) async throws {
        _ = try await store.writerSetting("max_page_count = \(pages)")
    }

    @Test("A write that does not fit fails with disk-full, the probe reports it, and both succeed when there is space")
    func full() async throws {
        let store = try SQLiteKeyStore(path: path, key: .generate())
        try await store.probeWrite()
        let pages = try #require(Int(try await store.writerSetting("page_count") ?? ""))
        try await setLimit(pages, store)
        var written: Int64 = 0
        await #expect(throws: KeyStoreError(.diskFull, place: "")) {
            while written < 10_000 {
                try await store.append(Sample.audit(written))
                written += 1
            }
        }
        await #expect(throws: KeyStoreError(.diskFull, place: "")) {
            var record = Sample.audit(written)
            record.detail = String(repeating: "x", count: 10_000)
            try await store.append(record)
        }
        try await setLimit(pages + 1_000, store)
        try await store.probeWrite()
        try await store.append(Sample.audit(written))
        #expect(try await store.auditEntries(before: nil, limit: 1_000).count == Int(written) + 1)
        #expect(try await store.verifyAudit().isIntact)
    }

    @Test("A probe without enough space fails, and succeeds once there is space")
    func probe() async throws {
        let store = try SQLiteKeyStore(path: path, key: .generate())
        let pages = try #require(Int(try await store.writerSetting("page_count") ?? ""))
        try await setLimit(pages, store)
        await #expect(throws: KeyStoreError(.diskFull, place: "")) { try await store.probeWrite() }
        try await setLimit(pages + 100, store)
        try await store.probeWrite()
    }

    @Test("A probe writes at least as much into the write-ahead log as a license")
    func size() async throws {
        let store = try SQLiteKeyStore(path: path, key: .generate())
        func written(_ work: () async throws -> Void) async throws -> Int {
            _ = try await store.writerSetting("wal_checkpoint(TRUNCATE)")
            try await work()
            return folder.bytes(of: "keyway.sqlite-wal").count
        }
        try await store.probeWrite()
        let probe = try await written { try await store.probeWrite() }
        let license = try await written {
            let outcome = try await store.grant(Sample.proposal(session: 5).once(1).slot())
            #expect(outcome == .granted)
        }
        #expect(license > 0 && probe >= license, "\(probe) and \(license) bytes")
    }
}
