import KeyServerModule
import Synchronization

// From SPCs to what is in them: one by one, or several of a batch in one piece of work.

extension LicenseService {
    /// An SPC that has been paid for and opened, or why not.
    struct Opening: Sendable {
        /// What was charged; nil where nothing is limited, or where there was not enough.
        var charged: RequestClass?
        /// What came of it.
        let opened: Result<OpenedSPC, any Error>
    }

    /// How many SPCs of a batch are one piece of work: as many as a title has keys. Each piece changes threads twice; but a
    /// thread that has the work of a long batch keeps the licenses of others waiting.
    static let openedTogether = 4

    /// Answers the questions of a batch, in their order. A few are under way at once; they share a thread for their SPCs, and
    /// a commit of the store.
    func answers(to questions: [Question]) async -> [Result<Outcome, any Error>] {
        var all: [Result<Outcome, any Error>] = []
        all.reserveCapacity(questions.count)
        var rest = questions[...]
        while !rest.isEmpty {
            all += await answers(together: Array(rest.prefix(Self.openedTogether)))
            rest = rest.dropFirst(Self.openedTogether)
        }
        return all
    }

    private func answers(together questions: [Question]) async -> [Result<Outcome, any Error>] {
        let trails = questions.map { AuditTrail($0, startedAt: clock(), Stopwatch(monotonicClock)) }
        let openings = await open(questions)
        let answers = BatchAnswers(count: questions.count)
        await withDiscardingTaskGroup { group in
            for (index, question) in questions.enumerated() {
                let (opening, trail) = (openings[index], trails[index])
                group.addTask { answers.put(await result(question, opening, trail), at: index) }
            }
        }
        return answers.all
    }

    private func result(_ question: Question, _ opening: Opening, _ trail: AuditTrail) async -> Result<
        Outcome, any Error
    > {
        do {
            return .success(try await answer(question, opening, trail))
        } catch {
            return .failure(error)
        }
    }

    /// Opens SPCs on one of the pool's threads, those that are paid for.
    func open(_ questions: [Question]) async -> [Opening] {
        let charges = questions.map { question in
            Result { () throws(ProblemDocument) in
                try limiter?.requireOpening(
                    account: question.authorization.isAnonymous ? nil : question.authorization.account,
                    address: question.address,
                    metrics: metrics
                )
            }
        }
        let paid = zip(questions, charges).compactMap { question, charge in
            if case .success = charge { question.spc } else { nil }
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
                // There is one for each that is paid for.
                Opening(charged: charged, opened: next.next() ?? .failure(WorkPoolError.stopped))
            case .failure(let problem): Opening(charged: nil, opened: .failure(problem))
            }
        }
    }

    /// Charges for an SPC as what it turned out to be.
    ///
    /// - Throws: ``ProblemDocument`` of type ``ProblemType/rateLimited``.
    func settle(_ opening: Opening, _ party: Party, _ question: Question) throws {
        guard let charged = opening.charged else { return }
        let opened = try opening.opened.get()
        let local: RequestClass = opened.device.route == .local ? .license : .segment
        try limiter?.settle(
            charged,
            as: opened.syncReport == nil ? local : .other,
            account: party.account,
            wasKnown: !question.authorization.isAnonymous,
            address: question.address,
            metrics: metrics
        )
    }
}

/// What comes of questions that are under way together. A task group that hands out pairs of place and answer ended the server in
/// release builds of Swift 6.3.1, with a place that no question has.
private final class BatchAnswers: Sendable {
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
