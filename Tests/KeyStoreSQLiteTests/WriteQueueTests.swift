import Dispatch
import FPSCrypto
import GRDB
import KeyStore
import KeyStoreTests
import Synchronization
import Testing

@testable import KeyStoreSQLite

@Suite("Group commits", .timeLimit(.minutes(10)))
struct WriteQueueTests {
    private let folder = TemporaryFolder()
    private let store: SQLiteKeyStore
    private struct Failure: Error {}

    /// The errors of rejected requests.
    private final class Refusals: Sendable {
        private let list = Mutex<[KeyStoreError.Code]>([])
        var codes: [KeyStoreError.Code] { list.withLock { $0 } }
        func add(_ error: KeyStoreError) { list.withLock { $0.append(error.code) } }
    }

    init() throws { store = try SQLiteKeyStore(dataFolder: folder.path, key: .dataFolder) }

    @Test("A failed job rolls back only its own writes, and the chain continues without it")
    func failures() async throws {
        let found = try await outcomes(of: 300) { number, transaction in
            try transaction.append(Sample.audit(Int64(number)))
            if number.isMultiple(of: 3) { throw Failure() }
        }
        #expect(found.failed == Set(stride(from: 0, to: 300, by: 3)))
        let entries = try await store.auditEntries(after: nil, limit: 1_000)
        #expect(
            Set(entries.map(\.record.milliseconds)) == Set((0..<300).filter { !$0.isMultiple(of: 3) }.map { Int64($0) })
        )
        #expect(try await store.verifyAudit().isIntact)
    }

    @Test("The queue is bounded, and rejected requests get an error")
    func overload() async throws {
        let queue = SQLiteWriteQueue(pool: store.pool, capacity: 10)
        let disk = DispatchSemaphore(value: 0)
        let (underWay, hasBegun) = AsyncStream.makeStream(of: Void.self)
        async let first: Void = queue.perform(in: "test") { transaction in
            hasBegun.yield()
            disk.wait()
            try transaction.append(Sample.audit(0))
        }
        for await _ in underWay { break }

        let refusals = Refusals()
        await withTaskGroup(of: Void.self) { group in
            for number in 1...200 {
                group.addTask {
                    do throws(KeyStoreError) {
                        try await queue.perform(in: "test") { try $0.append(Sample.audit(Int64(number))) }
                    } catch {
                        refusals.add(error)
                    }
                }
            }
            // All requests are queued before the disk continues.
            do {
                try await eventually("all requests are queued or refused") { queue.depth + refusals.codes.count == 200 }
            } catch {
                Issue.record(error)
            }
            disk.signal()
        }
        try await first
        #expect(refusals.codes == Array(repeating: .overloaded, count: 190))
        #expect(try await store.auditEntries(after: nil, limit: 1_000).count == 11)
    }

    @Test("Requests that arrive while the disk is busy share a commit")
    func groups() async throws {
        // Each transaction writes the head of the chain once, so the head shows the number of transactions.
        try await store.pool.write { db in
            try db.execute(sql: "CREATE TABLE commits (sequence INTEGER)")
            try db.execute(
                sql: """
                    CREATE TRIGGER count_commits AFTER UPDATE ON audit_head
                    BEGIN INSERT INTO commits VALUES (new.sequence); END
                    """
            )
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for device in 0..<400 {
                group.addTask { _ = try await store.grant(Sample.proposal(device: device).slot(limit: nil)) }
            }
            try await group.waitForAll()
        }
        let commits = try await store.pool.read { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM commits") }
        #expect(try #require(commits) < 200)
        #expect(try await store.leaseCount(at: 1_000) == 400)
    }

    @Test("Two stores on one folder enforce one limit and write one chain")
    func twoProcesses() async throws {
        let other = try SQLiteKeyStore(dataFolder: folder.path, key: .dataFolder)
        let stores = [store, other]
        let outcomes = try await withThrowingTaskGroup(of: GrantOutcome.self) { group in
            for device in 0..<100 {
                group.addTask { try await stores[device % 2].grant(Sample.proposal(device: device).slot(limit: 3)) }
            }
            var outcomes: [GrantOutcome] = []
            for try await outcome in group { outcomes.append(outcome) }
            return outcomes
        }
        #expect(outcomes.filter { $0 == .granted }.count == 3)
        let found = try await other.verifyAudit()
        #expect(found.isIntact && found.entries == 100 && found.heads.count == 1)
    }

    @Test("Granted licenses exist after the store was closed and opened again")
    func survives() async throws {
        let proposal = Sample.proposal(answer: 3).once(1).bound(1).counted(deviceClass: "iPhone").slot().rental()
            .offline()
        #expect(try await store.grant(proposal) == .granted)
        let challenge = try await store.createChallenge(account: "anna", now: 1_000, expires: 2_000)
        let replayKey = store.replayKey(r1: .init(copying: [1]), account: "anna", certificateHash: [2])
        try store.close()

        let again = try SQLiteKeyStore(dataFolder: folder.path, key: .dataFolder)
        #expect(again.replayKey(r1: .init(copying: [1]), account: "anna", certificateHash: [2]) == replayKey)
        #expect(try await again.grant(Sample.proposal(at: 1_001).once(1)) == .retried(Sample.answer(3)))
        let elsewhere = Sample.proposal(device: 2, at: 1_001).bound(1)
        #expect(try await again.grant(elsewhere).refusal == .tokenAlreadyBound)
        #expect(try await again.leaseCount(at: 1_001) == 1)
        #expect(try await again.devices(account: "anna").first?.deviceClass == "iPhone")
        #expect(try await again.rentals(account: "anna").count == 1)
        #expect(try await again.offlineLicenses(account: "anna").count == 1)
        let gone = Sample.sync(
            at: 1_001,
            .invalidated(streamIDs: [Sample.id(1)], hadExpired: false, challenge: challenge)
        )
        #expect(try await again.record(gone) == .recorded(records: 1))
        #expect(try await again.verifyAudit().isIntact)
    }

    @Test("Pruning more rows than one step deletes all of them in several steps")
    func prune() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<1_200 {
                group.addTask {
                    _ = try await store.grant(
                        Sample.proposal(device: number).once(number, expires: 2_000).slot(limit: nil)
                    )
                }
            }
            try await group.waitForAll()
        }
        #expect(try await store.prune(at: 1_100) == 0)
        let answers = try await store.pool.read { db in try Int.fetchOne(db, sql: "SELECT count(ckc) FROM replay") }
        #expect(answers == 0)
        #expect(try await store.grant(Sample.proposal(at: 1_100).once(1)).refusal == .replayed)
        #expect(try await store.prune(at: 2_000) == 2_400)
        #expect(try await store.leaseCount(at: 0) == 0)
    }

    private func outcomes(
        of count: Int,
        _ work: @escaping @Sendable (Int, SharedTransaction) throws -> Void
    ) async throws -> (done: Set<Int>, failed: Set<Int>) {
        await withTaskGroup(of: (Int, Bool).self) { group in
            for number in 0..<count {
                group.addTask {
                    do {
                        try await store.writes.perform(in: "test") { try work(number, $0) }
                        return (number, true)
                    } catch {
                        return (number, false)
                    }
                }
            }
            var (done, failed): (Set<Int>, Set<Int>) = ([], [])
            for await (number, isDone) in group { if isDone { done.insert(number) } else { failed.insert(number) } }
            return (done, failed)
        }
    }
}
