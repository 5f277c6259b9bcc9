/// Asks for the keys of periods ahead of the time, again and again until they come, and has who needs them wait no
/// longer than it was told.
actor KeyPeriodFetcher {
    private let source: any ContentKeyPeriods
    private let patience: Duration
    private let firstPause: Duration
    private var tasks: [Int: Task<Void, Never>] = [:]
    private var outcomes: [Int: Result<ContentKeyPeriod, any Error>] = [:]
    private var waiting: [Int: CheckedContinuation<ContentKeyPeriod, any Error>] = [:]
    /// What went wrong last, by the period's number.
    private var troubles: [Int: String] = [:]
    private var isStopped = false

    /// The longest time between two attempts.
    private static let longestPause = Duration.seconds(8)

    /// Prepares to ask.
    ///
    /// - Parameters:
    ///   - patience: How long ``period(_:)`` waits.
    ///   - firstPause: How long it waits before it tries again; twice as long each time after that.
    init(_ source: any ContentKeyPeriods, patience: Duration, firstPause: Duration = .seconds(1)) {
        self.source = source
        self.patience = patience
        self.firstPause = firstPause
    }

    deinit { for task in tasks.values { task.cancel() } }

    /// Begins to ask for a period, if that has not begun.
    func prepare(_ request: KeyPeriodRequest) {
        guard tasks[request.number] == nil, outcomes[request.number] == nil else { return }
        let (source, firstPause) = (source, firstPause)
        tasks[request.number] = Task { [weak self] in
            var pause = firstPause
            while !Task.isCancelled {
                do {
                    let period = try await source.period(request)
                    return await self?.settle(request.number, .success(period)) ?? ()
                } catch let failure as KeyPeriodFailure {
                    return await self?.settle(request.number, .failure(failure)) ?? ()
                } catch {
                    guard let self else { return }
                    await self.note(request.number, "\(error)")
                    try? await Task.sleep(for: pause)
                    pause = min(pause * 2, Self.longestPause)
                }
            }
        }
    }

    /// The keys of a period if they are there.
    func ready(_ number: Int) -> ContentKeyPeriod? {
        if case .success(let period) = outcomes[number] { period } else { nil }
    }

    /// The keys of a period, as soon as they are there.
    ///
    /// - Throws: ``KeyPeriodFailure``; also when patience is at its end.
    func period(_ request: KeyPeriodRequest) async throws -> ContentKeyPeriod {
        prepare(request)
        let number = request.number
        for old in outcomes.keys where old < number - 1 { outcomes[old] = nil }
        if let outcome = outcomes[number] { return try outcome.get() }
        guard !isStopped else { throw KeyPeriodFailure(number, Self.stopWords) }
        let patience = patience
        let clock = Task { [weak self] in
            try await Task.sleep(for: patience)
            await self?.giveUp(number)
        }
        defer { clock.cancel() }
        return try await withCheckedThrowingContinuation { waiting[number] = $0 }
    }

    /// Has nobody wait any longer: the run is to end.
    func stop() {
        isStopped = true
        for task in tasks.values { task.cancel() }
        for (number, continuation) in waiting {
            continuation.resume(throwing: KeyPeriodFailure(number, Self.stopWords))
        }
        waiting = [:]
    }

    private static let stopWords = "its keys had not come when the run was stopped"

    private func note(_ number: Int, _ trouble: String) { troubles[number] = trouble }

    private func settle(_ number: Int, _ outcome: Result<ContentKeyPeriod, any Error>) {
        var outcome = outcome
        if case .success(let period) = outcome, period.number != number {
            outcome = .failure(KeyPeriodFailure(number, "keys of period \(period.number) came instead"))
        }
        tasks[number] = nil
        troubles[number] = nil
        outcomes[number] = outcome
        waiting.removeValue(forKey: number)?.resume(with: outcome)
    }

    private func giveUp(_ number: Int) {
        guard let continuation = waiting.removeValue(forKey: number) else { return }
        tasks.removeValue(forKey: number)?.cancel()
        let trouble = troubles[number].map { "; the last answer was: \($0)" } ?? ""
        let seconds = patience.components.seconds
        continuation.resume(
            throwing: KeyPeriodFailure(number, "no keys came, and the segment has waited for \(seconds) s\(trouble)")
        )
    }
}
