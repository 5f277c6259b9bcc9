public import ContentKeySession

/// A downloaded title as a candidate for eviction. Times are in seconds since 1970.
public struct EvictionCandidate: Sendable, Hashable {
    /// The title.
    public var title: String
    /// The size in bytes.
    public var size: UInt64
    /// The storage policy.
    public var policy: StoragePolicy
    /// True if the title is being played or downloaded.
    public var isInUse: Bool
    /// True if the download is complete.
    public var isComplete: Bool
    /// The state of its keys; nil if it does not need keys.
    public var keys: OfflineKeyState?
    /// The time of the last playback; nil means never.
    public var lastPlayed: Int64?
    /// The time at which the download started.
    public var created: Int64

    /// Creates a candidate.
    public init(
        title: String,
        size: UInt64,
        policy: StoragePolicy = StoragePolicy(),
        isInUse: Bool = false,
        isComplete: Bool = true,
        keys: OfflineKeyState? = nil,
        lastPlayed: Int64? = nil,
        created: Int64
    ) {
        (self.title, self.size, self.policy, self.isInUse) = (title, size, policy, isInUse)
        (self.isComplete, self.keys, self.lastPlayed, self.created) = (isComplete, keys, lastPlayed, created)
    }
}

/// A plan of the titles to evict when disk space is needed: a pure decision.
///
/// Titles are evicted in the order of these reasons until enough space is free; the first row that applies is a title's
/// reason. Within a reason, titles are ordered by the time of the last playback or, if never played, of the download,
/// oldest first; then by size, largest first.
///
/// | Condition | Reason |
/// |---|---|
/// | it is being played or downloaded | never evicted |
/// | its expiration date has passed | `expired` |
/// | its keys were invalidated, or its playback period has expired | `no-longer-playable` |
/// | its storage period has expired, or the device rejects its keys | `renewal-required` |
/// | it is incomplete, and not important | `incomplete` |
/// | it has been played, and is not important | `already-played` |
/// | it has not been played, and is not important | `space-needed` |
/// | it is important | `last-resort` |
public struct EvictionPlan: Sendable, Hashable {
    /// The reason for an eviction, in the order of evictions.
    public enum Reason: String, Sendable, CaseIterable {
        case expired
        case noLongerPlayable = "no-longer-playable"
        case renewalRequired = "renewal-required"
        case incomplete
        case alreadyPlayed = "already-played"
        case spaceNeeded = "space-needed"
        case lastResort = "last-resort"

        /// A text for the viewer.
        public var explanation: String {
            switch self {
            case .expired: "its expiration date has passed"
            case .noLongerPlayable: "it can no longer be watched"
            case .renewalRequired: "it cannot be watched until its keys are renewed"
            case .incomplete: "its download is not complete"
            case .alreadyPlayed: "it has already been played"
            case .spaceNeeded: "disk space is needed"
            case .lastResort: "disk space is needed, and no less important title is left"
            }
        }
    }

    /// A title to evict.
    public struct Eviction: Sendable, Hashable {
        /// The title.
        public let title: String
        /// The size in bytes that becomes free.
        public let size: UInt64
        /// The reason.
        public let reason: Reason
    }

    /// The titles to evict, in order.
    public let evictions: [Eviction]
    /// The number of bytes to free.
    public let needed: UInt64

    /// The number of bytes that become free.
    public var freed: UInt64 { Self.sum(evictions.map(\.size)) }
    /// True if enough bytes become free.
    public var isEnough: Bool { freed >= needed }

    /// Creates a plan from evictions that were decided one by one.
    public init(_ evictions: [Eviction], of needed: UInt64) { (self.evictions, self.needed) = (evictions, needed) }

    /// Creates a plan that frees at least `needed` bytes, or as many as possible.
    public init(toFree needed: UInt64, of candidates: [EvictionCandidate], at now: Int64) {
        self.needed = needed
        let order = candidates.compactMap { candidate in
            Self.reason(for: candidate, at: now).map { (candidate: candidate, reason: $0) }
        }
        .sorted { Self.isOrderedBefore($0, $1) }
        var (evictions, freed): ([Eviction], UInt64) = ([], 0)
        for (candidate, reason) in order {
            guard freed < needed else { break }
            evictions.append(Eviction(title: candidate.title, size: candidate.size, reason: reason))
            freed = Self.sum([freed, candidate.size])
        }
        self.evictions = evictions
    }

    /// Returns the reason for which a title can be evicted; nil if it cannot.
    public static func reason(for candidate: EvictionCandidate, at now: Int64) -> Reason? {
        if candidate.isInUse { return nil }
        if let date = candidate.policy.expirationDate, date <= now { return .expired }
        switch candidate.keys {
        case .revoked, .playbackExpired: return .noLongerPlayable
        case .storageExpired, .refused: return .renewalRequired
        case .stored, .playing, nil: break
        }
        if candidate.policy.priority == .important { return .lastResort }
        if !candidate.isComplete { return .incomplete }
        return candidate.lastPlayed == nil ? .spaceNeeded : .alreadyPlayed
    }

    private typealias Entry = (candidate: EvictionCandidate, reason: Reason)

    private static func isOrderedBefore(_ left: Entry, _ right: Entry) -> Bool {
        let all = Reason.allCases
        let (first, second) = (all.firstIndex(of: left.reason) ?? 0, all.firstIndex(of: right.reason) ?? 0)
        guard first == second else { return first < second }
        let (old, other) = (left.candidate, right.candidate)
        let (since, otherSince) = (old.lastPlayed ?? old.created, other.lastPlayed ?? other.created)
        guard since == otherSince else { return since < otherSince }
        guard old.size == other.size else { return old.size > other.size }
        return old.title < other.title
    }

    private static func sum(_ sizes: [UInt64]) -> UInt64 {
        sizes.reduce(0) { sum, size in
            let (next, overflow) = sum.addingReportingOverflow(size)
            return overflow ? .max : next
        }
    }
}
