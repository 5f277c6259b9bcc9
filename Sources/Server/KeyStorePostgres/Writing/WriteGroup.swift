import KeyStore

/// A group of jobs that are decided in one transaction, with three round trips if no two jobs concern the same account.
///
/// 1. begin; the locks of all jobs, in a fixed order to avoid deadlocks; the catalog's version; reads
/// 2. the writes of the decisions; the lock on the head of the audit log
/// 3. audit records, the new head of the log, the transaction's mark, commit
///
/// A job that shares a lock with an earlier job waits for that job's writes, with an additional round trip.
struct WriteGroup {
    let jobs: [WriteJob]

    /// Runs the jobs in a transaction, and returns the closures that report the results once the commit is durable.
    func run(in transaction: inout PostgresTransaction) throws -> [@Sendable () -> Void] {
        var answers: [@Sendable () -> Void] = []
        var audit: [AuditRecord] = []
        transaction.enqueue(Set(jobs.flatMap(\.locks)).sorted().map(\.query) + [GlobalLock.catalogShared])
        for phase in phases {
            let queries = [PostgresQuery("SELECT version FROM catalog")] + phase.flatMap(\.reads)
            var results = try transaction.run(queries)[...]
            // The version does not change while the lock is held.
            guard let version = try results.popFirst()?.rows.first?.requiredInteger(0) else {
                throw KeyStoreError(.corrupt, place: "catalog")
            }
            for job in phase {
                let found = Array(results.prefix(job.reads.count))
                results = results.dropFirst(job.reads.count)
                do {
                    let decision = try job.decide(found, version)
                    transaction.enqueue(decision.writes)
                    audit += decision.audit
                    answers.append(decision.succeed)
                } catch {
                    answers.append { job.fail(error) }
                }
            }
        }
        if !audit.isEmpty {
            let head = try AuditHeadRow.lock(&transaction)
            transaction.enqueue(try head.appending(audit))
        }
        return answers
    }

    /// The jobs in phases, so that no two jobs of a phase share a lock. Jobs are decided in the order of arrival.
    private var phases: [[WriteJob]] {
        var phases: [[WriteJob]] = []
        var lastPhase: [LockKey: Int] = [:]
        for job in jobs {
            let index = job.locks.map { lastPhase[$0].map { $0 + 1 } ?? 0 }.max() ?? 0
            for lock in job.locks { lastPhase[lock] = index }
            if index == phases.count { phases.append([]) }
            phases[index].append(job)
        }
        return phases
    }
}
