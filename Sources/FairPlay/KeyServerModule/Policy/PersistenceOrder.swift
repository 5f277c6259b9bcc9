// How strict persistence is, and what an online key is limited to beside it.
//
// The order, from strict to free, with zero of storage and playback read as endless and a missing fallback as zero:
//
//     none  <  limited V, the shorter the stricter  <  dual (S, P, F), field by field  <  unlimited
//
// `limited V` is stricter than `dual (S, P, F)` where V is at most S, P and F: it can be kept no longer than S unplayed,
// played no longer than P from first play, and a device that cannot enforce dual expiry gets no more than F. So the
// strictest of `limited V` and `dual (S, P, F)` is limited to the least of V, S, P and F, and none where F is missing.
// The least of S, P and F of two merged dual expiries is the least of theirs, so that the order in which policies are
// merged does not matter.

extension LicensePolicy.Persistence {
    /// The stricter of two, or what is stricter than both.
    static func strictest(_ left: Self?, _ right: Self?) -> Self? {
        switch (left, right) {
        case (nil, _), (_, nil): nil
        case (.unlimited, let other), (let other, .unlimited): other
        case (.dual(let storage, let playback, let fallback), .dual(let storage2, let playback2, let fallback2)):
            dual(
                storage: endless(storage).strictest(endless(storage2)),
                playback: endless(playback).strictest(endless(playback2)),
                fallback: fallback.flatMap { one in fallback2.map { min(one, $0) } }
            )
        case (let left?, let right?):
            // One of them at least is limited.
            left.asLimited.flatMap { one in right.asLimited.map { .limited(min(one, $0)) } }
        }
    }

    /// What persistence becomes beside a rental: a key with one expiry, that of the rental at most.
    func within(rental: Seconds) -> Self? {
        if case .unlimited = self { return .limited(rental) }
        return asLimited.map { .limited(min($0, rental)) }
    }

    /// The same, over after `remaining` at the latest: storage and playback together, since one follows the other.
    func capped(to remaining: Seconds) -> Self? {
        switch self {
        case .unlimited: return .limited(remaining)
        case .limited(let validity): return .limited(min(validity, remaining))
        case .dual(let storage, let playback, let fallback):
            // Zero would be endless.
            guard remaining.rawValue >= 2 else { return fallback.map { _ in .limited(remaining) } }
            let (cap, wanted) = (remaining.rawValue, Self.endless(storage)?.rawValue ?? .max)
            // Playback may have what storage leaves, and half of it in any case.
            let left = max(cap > wanted ? cap - wanted : 0, cap - cap / 2)
            let played = min(Self.endless(playback)?.rawValue ?? .max, min(left, cap - 1))
            let kept = min(wanted, cap - played)
            return Self.dual(
                storage: Seconds(rawValue: kept),
                playback: Seconds(rawValue: played),
                fallback: fallback.map { min($0, remaining) }
            )
        }
    }

    /// How long playback of an online key may be started, where neither lease nor rental say so: the kept key's playback.
    var onlineLimit: Seconds? {
        switch self {
        case .unlimited: nil
        case .limited(let validity): validity
        case .dual(_, let playback, _): Self.endless(playback)
        }
    }

    /// The longest single expiry that is no freer; nil when there is none, or no limit at all.
    private var asLimited: Seconds? {
        switch self {
        case .unlimited: nil
        case .limited(let validity): validity
        case .dual(let storage, let playback, let fallback):
            fallback.map { [$0, Self.endless(storage) ?? $0, Self.endless(playback) ?? $0].min() ?? $0 }
        }
    }

    /// Dual expiry with nil for endless, its fallback no longer than both together.
    private static func dual(storage: Seconds?, playback: Seconds?, fallback: Seconds?) -> Self {
        let none = Seconds(rawValue: 0)
        var fallback = fallback
        if let storage, let playback, let longer = fallback {
            let (both, overflow) = storage.rawValue.addingReportingOverflow(playback.rawValue)
            fallback = overflow ? longer : min(longer, Seconds(rawValue: both))
        }
        return .dual(storage: storage ?? none, playback: playback ?? none, fallback: fallback)
    }

    /// Zero is no limit.
    private static func endless(_ duration: Seconds) -> Seconds? { duration.rawValue == 0 ? nil : duration }
}

extension Seconds? {
    /// The shorter of two, where nil is no limit.
    func strictest(_ other: Seconds?) -> Seconds? {
        guard let self, let other else { return self ?? other }
        return Swift.min(self, other)
    }
}

extension LicensePolicy {
    /// What an online key says of itself as a rental: how long its playback may be started. Nil: no limit.
    package var onlineRental: Seconds? { rental.strictest(freeOnlineLimit) }

    /// The limit of online keys that is no rental of the policy's.
    var freeOnlineLimit: Seconds? {
        onlineLimit ?? (lease == nil && rental == nil ? persist?.onlineLimit : nil)
    }
}
