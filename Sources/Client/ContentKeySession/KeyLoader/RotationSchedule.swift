/// When the next key of a live stream is fetched. A decision and nothing else.
///
/// Keys change every `period`. The next key's tag T appears `period` after this one's. Clients that wait for it all ask
/// when they reload their playlist; a client that knows the next key's URI asks in a window before. With E = T - `reserve`
/// and B = E - `window`, and now being the moment of asking:
///
/// | What is so, first row that fits | Fetched |
/// |---|---|
/// | the next key is not known, or is loaded or being loaded | not by this: a request on demand is always answered |
/// | now is before B | at a random moment between B and E |
/// | now is between B and E | at a random moment between now and E |
/// | now is at E or later | at once |
///
/// The reserve lets the key arrive, retries included, before its tag does.
public struct RotationSchedule: Hashable, Sendable {
    /// How often keys change.
    public var period: Duration
    /// Over how long requests are spread.
    public var window: Duration
    /// How long before the tag the window ends.
    public var reserve: Duration

    /// Makes a schedule.
    ///
    /// - Parameters:
    ///   - window: At most what the period leaves beside the reserve.
    ///   - reserve: At most half of the period; a tenth of it, and ten seconds at most, unless given.
    public init(period: Duration, window: Duration, reserve: Duration? = nil) {
        self.period = max(period, .milliseconds(1))
        self.reserve = min(max(reserve ?? min(.seconds(10), self.period / 10), .zero), self.period / 2)
        self.window = min(max(window, .zero), self.period - self.reserve)
    }

    /// The moments between which the next key is fetched.
    ///
    /// - Parameters:
    ///   - appeared: When this key's tag appeared, or will.
    ///   - now: By the same clock.
    public func moments(after appeared: Duration, now: Duration) -> ClosedRange<Duration> {
        let end = appeared + period - reserve
        guard now < end else { return now...now }
        return max(now, end - window)...end
    }

    /// When the next key is fetched.
    public func moment(
        after appeared: Duration,
        now: Duration,
        using random: inout some RandomNumberGenerator
    ) -> Duration {
        let moments = moments(after: appeared, now: now)
        return moments.lowerBound + (moments.upperBound - moments.lowerBound).random(using: &random)
    }
}
