import DRMSignaling
import HLSPlaylist

/// The key periods of a live run: the current period, and the request for the next one.
///
///     requested              announced    used
///     |--- until available --|--- lead ---|--------- a period ---------|
///                                         the next one is requested here, or when its lead starts
final class LiveKeyring {
    private let fetcher: KeyPeriodFetcher
    private let rotation: KeyRotation?
    private let length: Double
    private var nextNumber: Int
    private var currentEnd: PlaylistDate?
    private var announced: Int?
    /// The period whose keys are in use.
    private(set) var current: ContentKeyPeriod?
    /// The previous period, which renditions that lag behind still use.
    private var last: ContentKeyPeriod?

    /// - Parameters:
    ///   - firstPeriod: The number of the first period, which no run has used.
    ///   - stop: A signal that stops waiting for keys.
    init(_ source: any ContentKeyPeriods, _ job: PackagingJob, firstPeriod: Int, stop: StopSignal? = nil) {
        rotation = job.rotation
        let timeout = job.rotation?.timeout ?? KeyRotation(.seconds(1)).timeout
        fetcher = KeyPeriodFetcher(source, timeout: .seconds(timeout))
        length = job.rotation?.seconds(segment: job.segmentDuration) ?? 0
        nextNumber = firstPeriod
        stop?.onStop { [weak fetcher] in
            guard let fetcher else { return }
            Task { await fetcher.stop() }
        }
    }

    /// Returns the keys for the start of an epoch. With rotation these are new keys, because the duration of use of the
    /// previous ones is unknown after a discontinuity; without rotation, only if there are tracks of another class.
    ///
    /// - Throws: ``KeyPeriodFailure``.
    func begin(at date: PlaylistDate, _ classes: [TrackClass]) async throws -> ContentKeyPeriod {
        if rotation == nil, let current, classes.allSatisfy({ current.keys[$0] != nil }) { return current }
        return try await period(nextNumber, at: date, classes)
    }

    /// Returns the keys of a period that starts now or has started.
    ///
    /// - Throws: ``KeyPeriodFailure`` if the keys do not arrive, or have been used before.
    func period(_ number: Int, at date: PlaylistDate, _ classes: [TrackClass]) async throws -> ContentKeyPeriod {
        for known in [current, last] { if let known, known.number == number { return known } }
        let period = try await fetcher.period(request(number, date, classes))
        let used = Set(current?.keys.all.map(\.key.keyID) ?? [])
        guard used.isDisjoint(with: period.keys.all.map(\.key.keyID)) else {
            throw KeyPeriodFailure(number, "it reuses a key of the previous period: every period needs different keys")
        }
        last = current
        current = period
        nextNumber = number + 1
        currentEnd = date.advanced(by: length)
        return period
    }

    /// Returns the keys of the next period, once, when it is time to announce them and they have arrived.
    func next(now: PlaylistDate, _ classes: [TrackClass]) async -> ContentKeyPeriod? {
        guard let rotation, let currentEnd, announced != nextNumber else { return nil }
        if let lead = rotation.lead, now.advanced(by: lead) < currentEnd { return nil }
        await fetcher.prepare(request(nextNumber, currentEnd, classes))
        guard let period = await fetcher.ready(nextNumber) else { return nil }
        announced = nextNumber
        return period
    }

    private func request(_ number: Int, _ date: PlaylistDate, _ classes: [TrackClass]) -> KeyPeriodRequest {
        KeyPeriodRequest(number: number, trackClasses: classes, start: date, duration: length)
    }
}
