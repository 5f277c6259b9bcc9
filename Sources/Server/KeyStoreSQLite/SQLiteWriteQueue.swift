import Dispatch
import GRDB
import Glibc
import KeyStore
import Synchronization

/// A queue that commits the writes of single requests in groups: proposals, Sync claims, audit records.
///
/// A commit waits for the disk and also costs processor time. Writes that arrive in the meantime share the next commit,
/// so throughput follows the load instead of the disk, and no response is sent before its writes are durable. Under
/// load a commit also waits a few milliseconds for more writes; after an idle period it does not.
///
/// Writes run on a separate thread, which may block.
final class SQLiteWriteQueue: Sendable {
    /// One unit of work in a shared transaction.
    private struct Job: Sendable {
        /// Runs the work, and returns a closure that reports the result to its caller once the commit is durable.
        let run: @Sendable (SharedTransaction) throws -> @Sendable () -> Void
        let fail: @Sendable (any Error) -> Void
    }

    private struct State {
        var waiting: [Job] = []
        var isWriting = false
    }

    /// A job threw an error; nothing of the group is written.
    private struct GroupFailure: Error {}

    private let pool: DatabasePool
    private let state = Mutex(State())
    private let thread = DispatchQueue(label: "keyway.write-queue")
    /// The end of the last commit. Only the writing thread uses it.
    private let lastEnd = Mutex(ContinuousClock.now - .seconds(1))
    /// The maximum number of waiting writes, so that a blocked disk does not exhaust memory.
    private let capacity: Int
    private static let groupSize = 500
    /// The minimum time from the end of a commit to the next commit.
    private static let pause = Duration.milliseconds(8)

    init(pool: DatabasePool, capacity: Int = 10_000) {
        self.pool = pool
        self.capacity = capacity
    }

    /// The number of writes that wait for the disk, without those in progress.
    var depth: Int { state.withLock { $0.waiting.count } }

    /// Runs `work` in the next transaction, and returns when the commit is durable. An error of `work` rolls back only
    /// its own writes.
    ///
    /// `work` may run twice, with the first run rolled back, so it must have no effects outside of the database.
    ///
    /// - Throws: The errors of `work`, ``KeyStoreError/Code/overloaded`` if too many writes are waiting, and the errors
    ///   of the commit.
    func perform<Value: Sendable>(
        in place: String,
        _ work: @escaping @Sendable (SharedTransaction) throws -> Value
    ) async throws(KeyStoreError) -> Value {
        let result: Result<Value, KeyStoreError> = await withCheckedContinuation { answer in
            let job = Job(
                run: { transaction in
                    let value = try work(transaction)
                    return { answer.resume(returning: .success(value)) }
                },
                fail: { error in answer.resume(returning: .failure(KeyStoreError(error, place: place))) }
            )
            let (isTaken, isFirst) = state.withLock { state in
                guard state.waiting.count < capacity else { return (false, false) }
                state.waiting.append(job)
                defer { state.isWriting = true }
                return (true, !state.isWriting)
            }
            guard isTaken else {
                let reason = "\(capacity) writes are waiting for the disk"
                return answer.resume(returning: .failure(KeyStoreError(.overloaded, place: place, reason: reason)))
            }
            if isFirst { thread.async { self.writeAll() } }
        }
        return try result.get()
    }

    private func writeAll() {
        while true {
            let wait = Self.pause - (ContinuousClock.now - lastEnd.withLock { $0 })
            if wait > .zero { usleep(UInt32(wait / .microseconds(1))) }
            let group = state.withLock { state in
                let group = Array(state.waiting.prefix(Self.groupSize))
                state.waiting.removeFirst(group.count)
                state.isWriting = !group.isEmpty
                return group
            }
            guard !group.isEmpty else { return }
            Self.write(group, to: pool)
            lastEnd.withLock { $0 = ContinuousClock.now }
        }
    }

    private static func write(_ group: [Job], to pool: DatabasePool) {
        do {
            let answers: [@Sendable () -> Void]
            do {
                answers = try pool.write { db in try attempt(group, SharedTransaction(db)) }
            } catch is GroupFailure {
                // Savepoints cost two statements per job, so they are used only for a group in which a job failed.
                answers = try pool.write { db in try attemptEach(group, SharedTransaction(db)) }
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
                // A full disk rolls back the whole transaction, including the previous jobs.
                guard transaction.db.isInsideTransaction else { throw error }
                transaction.head = head
                transaction.cachedClientState = nil
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
    /// The client state that the last grant left, for the next grant.
    var cachedClientState: CachedClientState?
    private let first: AuditHead
    private var version: Int64?

    fileprivate init(_ db: Database) throws {
        self.db = db
        head = try SQLiteAuditRow.head(db)
        first = head
    }

    /// Returns the catalog's version, which no job changes.
    func catalogVersion() throws -> Int64 {
        if let version { return version }
        let found = try CatalogVersion.fetch(db)
        version = found
        return found
    }

    /// Appends an audit record and its link of the chain.
    func append(_ record: AuditRecord) throws {
        let next = head.appending(record)
        try SQLiteAuditRow.insert(record, next, db)
        head = next
    }

    /// Appends a record at the end of a transaction that is not shared.
    static func append(_ record: AuditRecord, _ db: Database) throws {
        let transaction = try SharedTransaction(db)
        try transaction.append(record)
        try transaction.finish()
    }

    fileprivate func finish() throws {
        guard head != first else { return }
        try db.cachedStatement(sql: "UPDATE audit_head SET sequence = ?, hash = ?")
            .execute(arguments: [head.sequence, head.hash.data])
    }
}
