import GRDB
import KeyStore

/// Commits in groups what is decided for single requests: proposals, Sync claims, audit records.
///
/// A commit waits for the disk. What arrives meanwhile goes into the next one together, so that the rate follows the
/// load instead of the disk, and still nobody is answered before what they asked for is safe.
actor WriteQueue {
    /// One piece of work in a transaction that it shares with others.
    private struct Job: Sendable {
        /// Does the work and gives back what tells its caller so, once it is safe.
        let run: @Sendable (SharedTransaction) throws -> @Sendable () -> Void
        let fail: @Sendable (any Error) -> Void
    }

    /// A job threw; nothing of the group is written.
    private struct GroupFailure: Error {}

    private let pool: DatabasePool
    private var waiting: [Job] = []
    private var isWriting = false
    /// So many may wait; a disk that stands still must not fill the memory.
    private let capacity: Int
    private static let groupSize = 500

    init(pool: DatabasePool, capacity: Int = 10_000) {
        self.pool = pool
        self.capacity = capacity
    }

    /// How many writes wait for the disk, those that are under way apart.
    var depth: Int { waiting.count }

    /// Runs `work` in the next transaction, and answers when that is safe. What it throws undoes its own writes only.
    ///
    /// It may run twice, the first time for nothing: all that it does has to be in the database.
    ///
    /// - Throws: what `work` throws, ``KeyStoreError/Code/overloaded`` when too much waits, and what a commit can fail with.
    func perform<Value: Sendable>(
        in place: String,
        _ work: @escaping @Sendable (SharedTransaction) throws -> Value
    ) async throws(KeyStoreError) -> Value {
        guard waiting.count < capacity else {
            throw KeyStoreError(.overloaded, place: place, reason: "\(waiting.count) writes wait for the disk")
        }
        let result: Result<Value, KeyStoreError> = await withCheckedContinuation { answer in
            let job = Job(
                run: { transaction in
                    let value = try work(transaction)
                    return { answer.resume(returning: .success(value)) }
                },
                fail: { error in answer.resume(returning: .failure(KeyStoreError(error, place: place))) }
            )
            waiting.append(job)
            if !isWriting {
                isWriting = true
                // A task of its own: no caller's cancellation may reach the work of the others.
                Task { await writeAll() }
            }
        }
        return try result.get()
    }

    private func writeAll() async {
        while !waiting.isEmpty {
            let group = Array(waiting.prefix(Self.groupSize))
            waiting.removeFirst(group.count)
            await Self.write(group, to: pool)
        }
        isWriting = false
    }

    private static func write(_ group: [Job], to pool: DatabasePool) async {
        do {
            let answers: [@Sendable () -> Void]
            do {
                answers = try await pool.write { db in try attempt(group, SharedTransaction(db)) }
            } catch is GroupFailure {
                // Savepoints cost each job two statements, so that they are for the group in which one failed.
                answers = try await pool.write { db in try attemptEach(group, SharedTransaction(db)) }
            }
            for answer in answers { answer() }
        } catch {
            for job in group { job.fail(error) }
        }
    }

    private static func attempt(
        _ group: [Job],
        _ transaction: SharedTransaction
    ) throws -> [@Sendable () -> Void] {
        let answers = try group.map { job in
            do { return try job.run(transaction) } catch { throw GroupFailure() }
        }
        try transaction.finish()
        return answers
    }

    private static func attemptEach(
        _ group: [Job],
        _ transaction: SharedTransaction
    ) throws -> [@Sendable () -> Void] {
        var answers: [@Sendable () -> Void] = []
        for job in group {
            let head = transaction.head
            do {
                try transaction.db.inSavepoint {
                    answers.append(try job.run(transaction))
                    return .commit
                }
            } catch {
                // A full disk ends the whole transaction, and with it what came before.
                guard transaction.db.isInsideTransaction else { throw error }
                transaction.head = head
                answers.append { job.fail(error) }
            }
        }
        try transaction.finish()
        return answers
    }
}

/// A transaction that several jobs share, with the head of the audit chain.
final class SharedTransaction {
    let db: Database
    fileprivate var head: AuditHead
    private let first: AuditHead

    fileprivate init(_ db: Database) throws {
        self.db = db
        head = try AuditRow.head(db)
        first = head
    }

    /// Adds an audit record, and with it a link of the chain.
    func append(_ record: AuditRecord) throws {
        let next = head.appending(record)
        try AuditRow.insert(record, next, db)
        head = next
    }

    fileprivate func finish() throws {
        guard head != first else { return }
        try db.cachedStatement(sql: "UPDATE audit_node SET sequence = ?, hash = ?")
            .execute(arguments: [head.sequence, head.hash.data])
    }
}
