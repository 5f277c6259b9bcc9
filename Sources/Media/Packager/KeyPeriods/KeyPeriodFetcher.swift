/// Requests the keys of periods ahead of time, retries until they arrive, and limits how long callers wait for them.
actor KeyPeriodFetcher {
    private let source: any ContentKeyPeriods
    private let timeout: Duration
    private let initialDelay: Duration
    private var tasks: [Int: Task<Void, Never>] = [:]
    private var outcomes: [Int: Result<ContentKeyPeriod, any Error>] = [:]
    private var waiting: [Int: CheckedContinuation<ContentKeyPeriod, any Error>] = [:]
    /// The last error of each period, by number.
    private var lastErrors: [Int: String] = [:]
    private var isStopped = false

    /// The maximum delay between two attempts.
    private static let maximumDelay = Duration.seconds(8)

    /// Creates a fetcher.
    ///
    /// - Parameters:
    ///   - timeout: The timeout of ``period(_:)``.
    ///   - initialDelay: The delay before the first retry; it doubles with each further retry.
    init(_ source: any ContentKeyPeriods, timeout: Duration, initialDelay: Duration = .seconds(1)) {
        self.source = source
        self.timeout = timeout
        self.initialDelay = initialDelay
    }

    deinit { for task in tasks.values { task.cancel() } }

    /// Starts requesting the keys of a period, unless a request has been started.
    func prepare(_ request: KeyPeriodRequest) {
        guard tasks[request.number] == nil, outcomes[request.number] == nil else { return }
        let (source, initialDelay) = (source, initialDelay)
        tasks[request.number] = Task { [weak self] in
            var delay = initialDelay
            while !Task.isCancelled {
                do {
                    let period = try await source.period(request)
                    return await self?.complete(request.number, .success(period)) ?? ()
                } catch let failure as KeyPeriodFailure {
                    return await self?.complete(request.number, .failure(failure)) ?? ()
                } catch {
                    guard let self else { return }
                    await self.record(request.number, "\(error)")
                    try? await Task.sleep(for: delay)
                    delay = min(delay * 2, Self.maximumDelay)
                }
            }
        }
    }

    /// Returns the keys of a period if they have arrived.
    func ready(_ number: Int) -> ContentKeyPeriod? {
        if case .success(let period) = outcomes[number] { period } else { nil }
    }

    /// Returns the keys of a period as soon as they arrive.
    ///
    /// - Throws: ``KeyPeriodFailure``, also after the timeout.
    func period(_ request: KeyPeriodRequest) async throws -> ContentKeyPeriod {
        prepare(request)
        let number = request.number
        for old in outcomes.keys where old < number - 1 { outcomes[old] = nil }
        if let outcome = outcomes[number] { return try outcome.get() }
        guard !isStopped else { throw KeyPeriodFailure(number, Self.stopReason) }
        let timeout = timeout
        let clock = Task { [weak self] in
            try await Task.sleep(for: timeout)
            await self?.timeOut(number)
        }
        defer { clock.cancel() }
        return try await withCheckedThrowingContinuation { waiting[number] = $0 }
    }

    /// Fails all waiting callers, because the run is stopping.
    func stop() {
        isStopped = true
        for task in tasks.values { task.cancel() }
        for (number, continuation) in waiting {
            continuation.resume(throwing: KeyPeriodFailure(number, Self.stopReason))
        }
        waiting = [:]
    }

    private static let stopReason = "the run was stopped before its keys arrived"

    private func record(_ number: Int, _ lastError: String) { lastErrors[number] = lastError }

    private func complete(_ number: Int, _ outcome: Result<ContentKeyPeriod, any Error>) {
        var outcome = outcome
        if case .success(let period) = outcome, period.number != number {
            outcome = .failure(
                KeyPeriodFailure(number, "the key source returned the keys of period \(period.number) instead")
            )
        }
        tasks[number] = nil
        lastErrors[number] = nil
        outcomes[number] = outcome
        waiting.removeValue(forKey: number)?.resume(with: outcome)
    }

    private func timeOut(_ number: Int) {
        guard let continuation = waiting.removeValue(forKey: number) else { return }
        tasks.removeValue(forKey: number)?.cancel()
        let lastError = lastErrors[number].map { "; the last error was: \($0)" } ?? ""
        let seconds = timeout.components.seconds
        continuation.resume(
            throwing: KeyPeriodFailure(number, "no keys arrived within \(seconds) s\(lastError)")
        )
    }
}
