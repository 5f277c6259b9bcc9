// The strictness order of persistence, and the limit of an online key under a policy with persistence.
//
// The order, from strict to permissive, where zero for storage and playback means no limit and a missing fallback means
// zero:
//
//     none  <  limited V, the shorter the stricter  <  dual (S, P, F), field by field  <  unlimited
//
// `limited V` is stricter than `dual (S, P, F)` if V is at most S, P and F: the key is stored no longer than S before
// first playback, it plays no longer than P from first playback, and a device that cannot enforce dual expiry gets no
// more than F. So the strictest of `limited V` and `dual (S, P, F)` is limited to the least of V, S, P and F, and is
// none if F is missing. The least of S, P and F after merging two dual expiries is the least of all their values, so
// the order in which policies are merged does not matter.

extension LicensePolicy.Persistence {
    /// Returns the stricter of two, or a value that is stricter than both.
    static func strictest(_ left: Self?, _ right: Self?) -> Self? {
        switch (left, right) {
        case (nil, _), (_, nil): nil
        case (.unlimited, let other), (let other, .unlimited): other
        case (.dual(let storage, let playback, let fallback), .dual(let storage2, let playback2, let fallback2)):
            dual(
                storage: limit(storage).strictest(limit(storage2)),
                playback: limit(playback).strictest(limit(playback2)),
                fallback: fallback.flatMap { one in fallback2.map { min(one, $0) } }
            )
        case (let left?, let right?):
            // At least one of them is limited.
            left.asLimited.flatMap { one in right.asLimited.map { .limited(min(one, $0)) } }
        }
    }

    /// Returns the persistence under a rental: a key with a single expiry, which is not after the end of the rental.
    func within(rental: Seconds) -> Self? {
        if case .unlimited = self { return .limited(rental) }
        return asLimited.map { .limited(min($0, rental)) }
    }

    /// Returns the persistence, limited to `remaining`. For dual expiry the sum of storage and playback is limited,
    /// because playback follows storage.
    func capped(to remaining: Seconds) -> Self? {
        switch self {
        case .unlimited: return .limited(remaining)
        case .limited(let validity): return .limited(min(validity, remaining))
        case .dual(let storage, let playback, let fallback):
            // Zero would mean no limit, so each part needs at least one second.
            guard remaining.rawValue >= 2 else { return fallback.map { _ in .limited(remaining) } }
            let (cap, requested) = (remaining.rawValue, Self.limit(storage)?.rawValue ?? .max)
            // Playback gets the time that storage leaves, but at least half of the remaining time.
            let left = max(cap > requested ? cap - requested : 0, cap - cap / 2)
            let played = min(Self.limit(playback)?.rawValue ?? .max, min(left, cap - 1))
            let stored = min(requested, cap - played)
            return Self.dual(
                storage: Seconds(rawValue: stored),
                playback: Seconds(rawValue: played),
                fallback: fallback.map { min($0, remaining) }
            )
        }
    }

    /// The time within which playback with an online key can be started, if neither lease nor rental sets a limit: the
    /// playback limit of the persistent key.
    var onlineLimit: Seconds? {
        switch self {
        case .unlimited: nil
        case .limited(let validity): validity
        case .dual(_, let playback, _): Self.limit(playback)
        }
    }

    /// The longest single expiry that is not more permissive than this persistence; nil if there is none or no limit.
    private var asLimited: Seconds? {
        switch self {
        case .unlimited: nil
        case .limited(let validity): validity
        case .dual(let storage, let playback, let fallback):
            fallback.map { [$0, Self.limit(storage) ?? $0, Self.limit(playback) ?? $0].min() ?? $0 }
        }
    }

    /// Creates dual expiry, where nil means no limit, with a fallback that is not longer than storage and playback
    /// together.
    private static func dual(storage: Seconds?, playback: Seconds?, fallback: Seconds?) -> Self {
        let none = Seconds(rawValue: 0)
        var fallback = fallback
        if let storage, let playback, let longer = fallback {
            let (both, overflow) = storage.rawValue.addingReportingOverflow(playback.rawValue)
            fallback = overflow ? longer : min(longer, Seconds(rawValue: both))
        }
        return .dual(storage: storage ?? none, playback: playback ?? none, fallback: fallback)
    }

    /// Returns the duration, or nil for zero, which means no limit.
    private static func limit(_ duration: Seconds) -> Seconds? { duration.rawValue == 0 ? nil : duration }
}

extension Seconds? {
    /// Returns the shorter of two durations; nil means no limit.
    func strictest(_ other: Seconds?) -> Seconds? {
        guard let self, let other else { return self ?? other }
        return Swift.min(self, other)
    }
}

extension LicensePolicy {
    /// The rental duration of an online key: the time within which playback can be started. Nil: no limit.
    package var onlineRental: Seconds? { rental.strictest(onlineLimitWithoutRental) }

    /// The limit of online keys apart from the policy's rental.
    var onlineLimitWithoutRental: Seconds? {
        onlineLimit ?? (lease == nil && rental == nil ? persist?.onlineLimit : nil)
    }
}
