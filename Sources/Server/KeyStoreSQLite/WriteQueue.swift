import Dispatch
import GRDB
import Glibc
import KeyStore
import Synchronization

/// Commits in groups what is decided for single requests: proposals, Sync claims, audit records.
///
/// A commit waits for the disk, and costs processor time for that besides. What arrives meanwhile goes into the next one
/// together, so that the rate follows the load instead of the disk, and still nobody is answered before what they asked
/// for is safe. Under load a commit also waits a few milliseconds for more to come; after a quiet moment none does.
///
/// Writing is on a thread of its own, which may block.
final class WriteQueue: Sendable {
    /// One piece of work in a transaction that it shares with others.
    private struct Job: Sendable {
        /// Does the work and gives back what tells its caller so, once it is safe.
        let run: @Sendable (SharedTransaction) throws -> @Sendable () -> Void
        let fail: @Sendable (any Error) -> Void
    }

    private struct State {
        var waiting: [Job] = []
        var isWriting = false
    }

    /// A job threw; nothing of the group is written.
    private struct GroupFailure: Error {}

    private let pool: DatabasePool
    private let state = Mutex(State())
    private let thread = DispatchQueue(label: "keyway.write-queue")
    /// When the last commit ended. Only the thread uses it.
    private let lastEnd = Mutex(ContinuousClock.now - .seconds(1))
    /// So many may wait; a disk that stands still must not fill the memory.
    private let capacity: Int
    private static let groupSize = 500
    /// From the end of a commit to the next one, at least.
    private static let pause = Duration.milliseconds(8)

    init(pool: DatabasePool, capacity: Int = 10_000) {
        self.pool = pool
        self.capacity = capacity
    }

    /// How many writes wait for the disk, those that are under way apart.
    var depth: Int { state.withLock { $0.waiting.count } }

    /// Runs `work` in the next transaction, and answers when that is safe. What it throws undoes its own writes only.
    ///
    /// It may run twice, the first time for nothing: all that it does has to be in the database.
    ///
    /// - Throws: what `work` throws, ``KeyStoreError/Code/overloaded`` when too much waits, and what a commit can fail with.
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
                let reason = "\(capacity) writes wait for the disk"
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
                // Savepoints cost each job two statements, so that they are for the group in which one failed.
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
                // A full disk ends the whole transaction, and with it what came before.
                guard transaction.db.isInsideTransaction else { throw error }
                transaction.head = head
                transaction.knownPlace = nil
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
    /// What the last grant has left, for the next.
    var knownPlace: KnownPlace?
    private let first: AuditHead
    private var version: Int64?

    fileprivate init(_ db: Database) throws {
        self.db = db
        head = try AuditRow.head(db)
        first = head
    }

    /// The catalog's version, which no job changes.
    func catalogVersion() throws -> Int64 {
        if let version { return version }
        let found = try CatalogVersion.fetch(db)
        version = found
        return found
    }

    /// Adds an audit record, and with it a link of the chain.
    func append(_ record: AuditRecord) throws {
        let next = head.appending(record)
        try AuditRow.insert(record, next, db)
        head = next
    }

    /// Adds a record at the end of a transaction that nobody shares.
    static func append(_ record: AuditRecord, _ db: Database) throws {
        let transaction = try SharedTransaction(db)
        try transaction.append(record)
        try transaction.finish()
    }

    fileprivate func finish() throws {
        guard head != first else { return }
        try db.cachedStatement(sql: "UPDATE audit_node SET sequence = ?, hash = ?")
            .execute(arguments: [head.sequence, head.hash.data])
    }
}
