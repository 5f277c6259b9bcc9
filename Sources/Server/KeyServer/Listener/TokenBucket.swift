/// A rate limit: `burst` at once, and `perMinute` on average.
package struct RateLimit: Sendable, Equatable {
    /// The average number per minute; 0 means unlimited.
    package var perMinute: Int
    /// The maximum number at once, at least 1.
    package var burst: Int

    /// Creates a limit.
    package init(perMinute: Int, burst: Int) {
        self.perMinute = max(perMinute, 0)
        self.burst = max(burst, 1)
    }
}

/// A token bucket: the remaining amount of a limit. It starts full and is refilled at a constant rate.
struct TokenBucket: Sendable, Equatable {
    private var level: Double
    /// The time of the last update by a monotonic clock, in nanoseconds.
    private var updated: Int64

    init(_ limit: RateLimit, at now: Int64) {
        level = Double(limit.burst)
        updated = now
    }

    /// Takes `count`, or nothing. A bucket never contains more than the burst, so a full bucket is sufficient for
    /// larger counts.
    ///
    /// - Returns: nil if it was taken; otherwise the seconds until the bucket contains enough, at least 1.
    mutating func consume(_ count: Int, _ limit: RateLimit, at now: Int64) -> Int? {
        guard limit.perMinute > 0 else { return nil }
        let pace = Double(limit.perMinute) / 60e9
        level = min(Double(limit.burst), level + Double(max(now - updated, 0)) * pace)
        updated = max(now, updated)
        let needed = Double(min(max(count, 0), limit.burst))
        guard level < needed else {
            level -= needed
            return nil
        }
        return max(Int(((needed - level) / pace / 1e9).rounded(.up)), 1)
    }

    /// Takes `count`, or as much as there is.
    mutating func drain(_ count: Int, _ limit: RateLimit, at now: Int64) {
        guard limit.perMinute > 0, consume(count, limit, at: now) != nil else { return }
        level = 0
    }

    /// Returns tokens that were taken but not used.
    mutating func refund(_ count: Int, _ limit: RateLimit) {
        level = min(Double(limit.burst), level + Double(min(max(count, 0), limit.burst)))
    }
}
