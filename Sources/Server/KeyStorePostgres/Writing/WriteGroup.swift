import KeyStore

/// Decides on jobs in one transaction, which costs three round trips when no two of them are about the same account.
///
/// 1. begin; the locks of all jobs, in one order, so that no two groups wait for each other; the catalog's version; reads
/// 2. what was decided is written; the end of the audit log is locked
/// 3. audit records, the new end of the log, the transaction's mark, commit
///
/// A job that is about something that another one before it is about waits for that one's writes: a round trip more.
struct WriteGroup {
    let jobs: [WriteJob]

    /// Runs in a transaction, and gives back who is to be told what once that is safe.
    func run(in transaction: inout PostgresTransaction) throws -> [@Sendable () -> Void] {
        var answers: [@Sendable () -> Void] = []
        var audit: [AuditRecord] = []
        transaction.later(Set(jobs.flatMap(\.locks)).sorted().map(\.query) + [CommonLock.catalogShared])
        for phase in phases {
            let queries = [PostgresQuery("SELECT version FROM catalog")] + phase.flatMap(\.reads)
            var results = try transaction.run(queries)[...]
            // While the lock is held it stays the same.
            guard let version = try results.popFirst()?.rows.first?.requiredInteger(0) else {
                throw KeyStoreError(.corrupt, place: "catalog")
            }
            for job in phase {
                let found = Array(results.prefix(job.reads.count))
                results = results.dropFirst(job.reads.count)
                do {
                    let decision = try job.decide(found, version)
                    transaction.later(decision.writes)
                    audit += decision.audit
                    answers.append(decision.succeed)
                } catch {
                    answers.append { job.fail(error) }
                }
            }
        }
        if !audit.isEmpty {
            let head = try AuditHeadRow.lock(&transaction)
            transaction.later(try head.appending(audit))
        }
        return answers
    }

    /// The jobs in rounds of such as lock nothing that another of the round locks. Who comes first is decided first.
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
