import KeyStore
import KeyStoreSQLite
import KeyStoreTests
import Testing

@Suite("Tampering with the audit log")
struct AuditTamperingTests {
    private let folder = TemporaryFolder()
    private var path: String { folder.path + "/keyway.sqlite" }

    @Test(
        "Every kind of tampering is detected",
        arguments: [
            ("UPDATE audit SET outcome = 'refused' WHERE number = 3", AuditVerification.Fault.changed, 3),
            ("UPDATE audit SET detail = '' WHERE number = 3", .changed, 3),
            ("UPDATE audit SET account = 'ben' WHERE number = 3", .changed, 3),
            ("UPDATE audit SET microseconds = 1 WHERE number = 1", .changed, 1),
            ("UPDATE audit SET node = zeroblob(8) WHERE number = 1", .changed, 1),
            ("UPDATE audit SET hash = zeroblob(32) WHERE number = 5", .changed, 5),
            ("DELETE FROM audit WHERE number = 3", .missing, 4),
            ("DELETE FROM audit WHERE number = 1", .missing, 2),
            ("UPDATE audit SET number = 9 WHERE number = 3", .reordered, 9),
            ("DELETE FROM audit WHERE number = 5", .truncated, nil),
            ("DELETE FROM audit", .truncated, nil),
        ] as [(String, AuditVerification.Fault, Int64?)]
    )
    func faults(_ sql: String, _ fault: AuditVerification.Fault, _ number: Int64?) async throws {
        let store = try SQLiteKeyStore(dataFolder: folder.path, key: .dataFolder)
        for time: Int64 in 1...5 { try await store.append(Sample.audit(time)) }
        try tamper(path, sql)
        let found = try await store.verifyAudit()
        #expect(found.firstBreak?.fault == fault)
        #expect(found.firstBreak?.number == number)
    }

    @Test("A log that was truncated together with the store's record is detected with a head stored elsewhere")
    func cutWithNote() async throws {
        let store = try SQLiteKeyStore(dataFolder: folder.path, key: .dataFolder)
        for time: Int64 in 1...5 { try await store.append(Sample.audit(time)) }
        let head = try #require(try await store.verifyAudit().heads.first)
        try tamper(
            path,
            """
            DELETE FROM audit WHERE number > 3;
            UPDATE audit_head SET sequence = 3, hash = (SELECT hash FROM audit WHERE number = 3)
            """
        )
        #expect(try await store.verifyAudit().isIntact)
        #expect(try await store.verifyAudit(expecting: head).firstBreak?.fault == .truncated)
    }
}
