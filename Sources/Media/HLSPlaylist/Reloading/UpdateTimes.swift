/// The times at which new segments of a live playlist appeared, as far as a client can tell: a version appeared after
/// the start of the last load that did not contain it, and before the end of the first load that did (RFC 8216bis,
/// section 6.2.1).
///
/// | Observation | Conclusion |
/// |---|---|
/// | a load that starts 1.5 target durations after the last new segment shows no new one | a standstill |
/// | a response that was delayed until the next segment comes as late | a standstill |
/// | new segments, even if each appeared as early as it may, must have appeared later than they did | too early |
///
/// A server may add several segments at once. Each takes half a target duration, or its own duration if that is shorter;
/// an update takes at least half a target duration.
package struct UpdateTimes: Sendable {
    /// An interval without a new segment.
    package struct Standstill: Sendable, Hashable {
        /// The minimum duration of the interval.
        package var duration: Duration
        /// True if a new segment has appeared since.
        package var isOver = false
    }

    /// The start of the last load that succeeded.
    private var lastStart: Duration
    /// The end of the load that showed the last new segment.
    private var lastNew: Duration
    /// The earliest time at which the last version can have appeared, if no version appeared too early.
    private var earliest: Duration?
    /// The intervals of at least 1.5 target durations without a new segment.
    package private(set) var standstills: [Standstill] = []
    /// The longest observed interval without a new segment.
    package private(set) var longest = Duration.zero

    /// Starts with the first load.
    package init(began: Duration, now: Duration) { (lastStart, lastNew) = (began, now) }

    /// Notes a load without new segments.
    ///
    /// - Returns: True if a standstill has started.
    package mutating func unchanged(began: Duration, now: Duration, target: Duration) -> Bool {
        defer { lastStart = began }
        return quiet(for: began - lastNew, target)
    }

    /// Notes that the server delayed a response and then failed, which shows that it had no new segment.
    ///
    /// - Returns: True if a standstill has started.
    package mutating func delayed(now: Duration, target: Duration) -> Bool { quiet(for: now - lastNew, target) }

    /// Notes a load with new segments.
    ///
    /// - Parameters:
    ///   - segments: The durations of the new segments.
    ///   - isBlocking: True if the server delays the response until there is a new segment.
    /// - Returns: Whether a standstill was found, and whether the segments appeared too early.
    package mutating func advanced(
        began: Duration,
        now: Duration,
        target: Duration,
        segments: [Duration],
        isBlocking: Bool
    ) -> (isStandstill: Bool, isEarly: Bool) {
        let isStandstill = isBlocking && quiet(for: now - lastNew, target)
        if let last = standstills.indices.last { standstills[last].isOver = true }
        let half = target / 2
        // The times are reduced by a tenth, because clocks and networks are not exact.
        let sinceLast = max(half, segments.reduce(.zero) { $0 + min($1, half) }) * 9 / 10
        // Short segments may be published together.
        let betweenNew = half * max(0, segments.count { $0 >= half } - 1) * 9 / 10
        let expected = max(lastStart + betweenNew, earliest.map { $0 + sinceLast } ?? .zero)
        let isEarly = expected > now
        earliest = isEarly ? lastStart : expected
        (lastStart, lastNew) = (began, now)
        return (isStandstill, isEarly)
    }

    /// Notes an interval without a new segment that has not ended before.
    private mutating func quiet(for time: Duration, _ target: Duration) -> Bool {
        longest = max(longest, time)
        guard time >= target * 3 / 2 else { return false }
        if let last = standstills.indices.last, !standstills[last].isOver {
            standstills[last].duration = max(standstills[last].duration, time)
            return false
        }
        standstills.append(Standstill(duration: time))
        return true
    }
}
