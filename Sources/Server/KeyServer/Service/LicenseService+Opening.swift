import KeyServerModule
import Synchronization

// Decrypts SPCs: one at a time, or several of a batch in one work item.

extension LicenseService {
    /// The result of charging for an SPC and decrypting it.
    struct Opening: Sendable {
        /// The class that was charged; nil if there are no limits, or if the limit was exceeded.
        var charged: RequestClass?
        /// The decrypted SPC, or the error.
        let opened: Result<OpenedSPC, any Error>
    }

    /// The number of SPCs of a batch in one work item, which is the number of keys that a title typically has. Each
    /// work item costs two thread switches, but a long batch in a single item would delay other licenses.
    static let openedTogether = 4

    /// Answers the key requests of a batch, in their order. Requests in a group run concurrently; they share a thread
    /// for their SPCs and a commit of the store.
    func answers(to attempts: [Attempt]) async -> [Result<Outcome, any Error>] {
        var all: [Result<Outcome, any Error>] = []
        all.reserveCapacity(attempts.count)
        var rest = attempts[...]
        while !rest.isEmpty {
            all += await answers(together: Array(rest.prefix(Self.openedTogether)))
            rest = rest.dropFirst(Self.openedTogether)
        }
        return all
    }

    private func answers(together attempts: [Attempt]) async -> [Result<Outcome, any Error>] {
        let auditBuilders = attempts.map { AuditRecordBuilder($0, startedAt: clock(), Stopwatch(monotonicClock)) }
        let permissiveSettings = await open(attempts)
        let answers = BatchResults(count: attempts.count)
        await withDiscardingTaskGroup { group in
            for (index, attempt) in attempts.enumerated() {
                let (opening, auditBuilder) = (permissiveSettings[index], auditBuilders[index])
                group.addTask { answers.put(await result(attempt, opening, auditBuilder), at: index) }
            }
        }
        return answers.all
    }

    private func result(_ attempt: Attempt, _ opening: Opening, _ auditBuilder: AuditRecordBuilder) async -> Result<
        Outcome, any Error
    > {
        do {
            return .success(try await answer(attempt, opening, auditBuilder))
        } catch {
            return .failure(error)
        }
    }

    /// Decrypts the SPCs that are within the rate limits, on a thread of the pool.
    func open(_ attempts: [Attempt]) async -> [Opening] {
        let charges = attempts.map { attempt in
            Result { () throws(ProblemDocument) in
                try limiter?.requireOpening(
                    account: attempt.authorization.isAnonymous ? nil : attempt.authorization.account,
                    address: attempt.address,
                    metrics: metrics
                )
            }
        }
        let paid = zip(attempts, charges).compactMap { attempt, charge in
            if case .success = charge { attempt.spc } else { nil }
        }
        var opened: [Result<OpenedSPC, any Error>] = []
        if !paid.isEmpty {
            let start = ContinuousClock.now
            do {
                opened = try await pool.run(paid, by: opener).map { result in result.mapError { $0 } }
            } catch {
                opened = paid.map { _ in .failure(error) }
            }
            let time = ContinuousClock.now - start
            for _ in paid { metrics?.stage(.open, took: time) }
        }
        var next = opened.makeIterator()
        return charges.map { charge in
            switch charge {
            case .success(let charged):
                // There is one result for each paid SPC.
                Opening(charged: charged, opened: next.next() ?? .failure(WorkPoolError.stopped))
            case .failure(let problem): Opening(charged: nil, opened: .failure(problem))
            }
        }
    }

    /// Adjusts the charge for an SPC to its actual class.
    ///
    /// - Throws: ``ProblemDocument`` of type ``ProblemType/rateLimited``.
    func adjustCharge(_ opening: Opening, _ requester: Requester, _ attempt: Attempt) throws {
        guard let charged = opening.charged else { return }
        let opened = try opening.opened.get()
        let local: RequestClass = opened.device.route == .local ? .license : .segment
        try limiter?.adjustCharge(
            charged,
            as: opened.syncReport == nil ? local : .other,
            account: requester.account,
            wasKnown: !attempt.authorization.isAnonymous,
            address: attempt.address,
            metrics: metrics
        )
    }
}

/// The results of concurrent key requests. It replaces a task group with pairs of index and result as values: in
/// release builds of Swift 6.3.1, such a group returned an invalid index and crashed the server.
private final class BatchResults: Sendable {
    private let answers: Mutex<[Result<LicenseService.Outcome, any Error>]>

    init(count: Int) {
        answers = Mutex(
            [Result<LicenseService.Outcome, any Error>](repeating: .failure(CancellationError()), count: count)
        )
    }

    var all: [Result<LicenseService.Outcome, any Error>] { answers.withLock { $0 } }

    func put(_ answer: Result<LicenseService.Outcome, any Error>, at index: Int) {
        answers.withLock { $0[index] = answer }
    }
}
