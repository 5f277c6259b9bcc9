import KeyServerModule

/// Decrypts SPCs on the threads of a pool: one at a time, or several of a batch in one work item.
struct LicenseOpener: Sendable {
    private let store: MeasuredStore
    private let pool: BoundedWorkPool
    private let decryption: SharedWork<[UInt8], Result<OpenedSPC, KSMError>>
    private let limits: LicenseLimits
    private let metrics: ServerMetrics?
    private let time: ServerTime

    /// Creates an opener.
    init(
        bundles: BundleCache,
        store: MeasuredStore,
        pool: BoundedWorkPool,
        limits: LicenseLimits,
        metrics: ServerMetrics?,
        time: ServerTime
    ) {
        self.store = store
        self.pool = pool
        self.limits = limits
        self.metrics = metrics
        self.time = time
        decryption = SharedWork(width: { bundles.module.openedTogether }) { bundles.module.open($0) }
    }

    /// Decrypts the SPCs that are within the rate limits, and returns the attempts with the results.
    func open(_ attempts: [LicenseAttempt]) async -> [LicenseAttempt] {
        var attempts = attempts
        var paid: [(index: Int, spc: [UInt8])] = []
        for index in attempts.indices {
            do throws(ProblemDocument) {
                attempts[index].charged = try limits.requireOpening(attempts[index])
                attempts[index].isAccountCharged = attempts[index].authorization.knownAccount != nil
                paid.append((index, attempts[index].request?.spc ?? []))
            } catch {
                attempts[index].opening = .failure(error)
            }
        }
        guard !paid.isEmpty else { return attempts }
        for (index, spc) in zip(paid.map(\.index), await decrypt(paid.map(\.spc))) {
            attempts[index].opening = spc.map { sender(of: $0, attempts[index].authorization) }
        }
        return attempts
    }

    private func decrypt(_ spcs: [[UInt8]]) async -> [Result<OpenedSPC, any Error>] {
        let start = ContinuousClock.now
        defer {
            let time = ContinuousClock.now - start
            for _ in spcs { metrics?.stage(.open, took: time) }
        }
        do {
            return try await pool.run(spcs, by: decryption).map { result in result.mapError { $0 } }
        } catch {
            return spcs.map { _ in .failure(error) }
        }
    }

    private func sender(of spc: OpenedSPC, _ authorization: PlaybackAuthorization) -> SPCSender {
        SPCSender(
            spc,
            device: spc.deviceID.map { store.deviceHash(hu: $0) },
            authorization,
            at: time.seconds
        )
    }
}
