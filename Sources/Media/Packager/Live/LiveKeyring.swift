import DRMSignaling
import HLSPlaylist

/// The key periods of a live run: which one is current, and what is asked for ahead of the time.
///
///     asked for        announced          used
///     |--- until it comes ---|--- lead ---|--------- a period ---------|
///                                         the next one is asked for here, or when its lead begins
final class LiveKeyring {
    private let fetcher: KeyPeriodFetcher
    private let rotation: KeyRotation?
    private let length: Double
    private var nextNumber: Int
    private var currentEnd: PlaylistDate?
    private var announced: Int?
    /// The period whose keys are used.
    private(set) var current: ContentKeyPeriod?
    /// The one before, which renditions that are behind still use.
    private var last: ContentKeyPeriod?

    /// - Parameter firstPeriod: The number of the first period: no run has used it.
    /// - Parameter stop: Ends waiting for keys.
    init(_ source: any ContentKeyPeriods, _ job: PackagingJob, firstPeriod: Int, stop: StopSignal? = nil) {
        rotation = job.rotation
        let patience = job.rotation?.patience ?? KeyRotation(.seconds(1)).patience
        fetcher = KeyPeriodFetcher(source, patience: .seconds(patience))
        length = job.rotation?.seconds(segment: job.segmentDuration) ?? 0
        nextNumber = firstPeriod
        stop?.onStop { [weak fetcher] in
            guard let fetcher else { return }
            Task { await fetcher.stop() }
        }
    }

    /// The keys with which a stretch of the presentation begins: new ones, where keys change; times that break leave
    /// nobody knowing how long the old ones have served.
    ///
    /// - Throws: ``KeyPeriodFailure``.
    func begin(at date: PlaylistDate, _ classes: [TrackClass]) async throws -> ContentKeyPeriod {
        if rotation == nil, let current { return current }
        return try await period(nextNumber, at: date, classes)
    }

    /// The keys of a period that begins now, or has begun.
    ///
    /// - Throws: ``KeyPeriodFailure`` when they do not come, or have served already.
    func period(_ number: Int, at date: PlaylistDate, _ classes: [TrackClass]) async throws -> ContentKeyPeriod {
        for known in [current, last] { if let known, known.number == number { return known } }
        let period = try await fetcher.period(request(number, date, classes))
        let used = Set(current?.keys.all.map(\.key.keyID) ?? [])
        guard used.isDisjoint(with: period.keys.all.map(\.key.keyID)) else {
            throw KeyPeriodFailure(number, "it has a key of the period before: each has keys of its own")
        }
        last = current
        current = period
        nextNumber = number + 1
        currentEnd = date.advanced(by: length)
        return period
    }

    /// The keys of the next period, once, when it is time to announce them and they are there.
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
