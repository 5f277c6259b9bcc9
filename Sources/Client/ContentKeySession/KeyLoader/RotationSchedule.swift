/// The time at which the next key of a live stream is fetched: a pure calculation.
///
/// Keys change every `period`. The next key's tag T appears `period` after this key's tag. Clients that wait for the
/// tag all request the key when they reload the playlist; a client that can predict the next key's URI requests it in a
/// window before the tag. With E = T - `reserve` and B = E - `window`, and now the current time:
///
/// | Condition, first row that applies | Fetch |
/// |---|---|
/// | the next key is unknown, loaded or being loaded | not scheduled: an on-demand request is always answered |
/// | now is before B | at a random time between B and E |
/// | now is between B and E | at a random time between now and E |
/// | now is at E or later | at once |
///
/// The reserve gives the key time to arrive, including retries, before its tag appears.
public struct RotationSchedule: Hashable, Sendable {
    /// The time between key changes.
    public var period: Duration
    /// The length of the window over which requests are spread.
    public var window: Duration
    /// The time between the end of the window and the tag.
    public var reserve: Duration

    /// Creates a schedule.
    ///
    /// - Parameters:
    ///   - period: The time between key changes.
    ///   - window: The length of the window, at most the period minus the reserve.
    ///   - reserve: The time between the end of the window and the tag, at most half of the period; nil means a tenth
    ///     of the period, at most ten seconds.
    public init(period: Duration, window: Duration, reserve: Duration? = nil) {
        self.period = max(period, .milliseconds(1))
        self.reserve = min(max(reserve ?? min(.seconds(10), self.period / 10), .zero), self.period / 2)
        self.window = min(max(window, .zero), self.period - self.reserve)
    }

    /// Returns the earliest and latest time to fetch the next key.
    ///
    /// - Parameters:
    ///   - appeared: The time at which this key's tag appeared or will appear.
    ///   - now: The current time by the same clock.
    package func moments(after appeared: Duration, now: Duration) -> ClosedRange<Duration> {
        let end = appeared + period - reserve
        guard now < end else { return now...now }
        return max(now, end - window)...end
    }

    /// Returns the time at which the next key is fetched.
    package func moment(
        after appeared: Duration,
        now: Duration,
        using random: inout some RandomNumberGenerator
    ) -> Duration {
        let moments = moments(after: appeared, now: now)
        return moments.lowerBound + (moments.upperBound - moments.lowerBound).random(using: &random)
    }
}
