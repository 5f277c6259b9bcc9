/// How often something may happen: `burst` at once, and `perMinute` in the long run.
package struct RateLimit: Sendable, Equatable {
    /// In the long run; 0 means that there is no limit.
    package var perMinute: Int
    /// At once, at least 1.
    package var burst: Int

    /// Makes a limit.
    package init(perMinute: Int, burst: Int) {
        self.perMinute = max(perMinute, 0)
        self.burst = max(burst, 1)
    }
}

/// What is left of a limit. It begins full and fills at an even pace.
struct TokenBucket: Sendable, Equatable {
    private var level: Double
    /// In nanoseconds, by a clock that never goes back.
    private var updated: Int64

    init(_ limit: RateLimit, at now: Int64) {
        level = Double(limit.burst)
        updated = now
    }

    /// Takes `count`, or nothing. More than the burst is never there, so a full bucket does for it.
    ///
    /// - Returns: nil when it was taken; otherwise the seconds until there is enough, at least 1.
    mutating func take(_ count: Int, _ limit: RateLimit, at now: Int64) -> Int? {
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

    /// Takes `count`, or what is there.
    mutating func drain(_ count: Int, _ limit: RateLimit, at now: Int64) {
        guard limit.perMinute > 0, take(count, limit, at: now) != nil else { return }
        level = 0
    }

    /// Gives back what was taken and not used.
    mutating func giveBack(_ count: Int, _ limit: RateLimit) {
        level = min(Double(limit.burst), level + Double(min(max(count, 0), limit.burst)))
    }
}
