/// A downloaded title as far as making room goes. Moments are in seconds since 1970.
public struct EvictionCandidate: Sendable, Hashable {
    /// What it is called.
    public var title: String
    /// What it takes, in bytes.
    public var size: UInt64
    /// How it is to be kept.
    public var policy: StoragePolicy
    /// Whether it is played or downloaded right now.
    public var isInUse: Bool
    /// Whether all of it is there.
    public var isComplete: Bool
    /// The state of its keys; nil where it needs none.
    public var keys: KeptKeyState?
    /// When it was last played; nil: never.
    public var lastPlayed: Int64?
    /// When its download began.
    public var created: Int64

    /// Describes a title.
    public init(
        title: String,
        size: UInt64,
        policy: StoragePolicy = StoragePolicy(),
        isInUse: Bool = false,
        isComplete: Bool = true,
        keys: KeptKeyState? = nil,
        lastPlayed: Int64? = nil,
        created: Int64
    ) {
        (self.title, self.size, self.policy, self.isInUse) = (title, size, policy, isInUse)
        (self.isComplete, self.keys, self.lastPlayed, self.created) = (isComplete, keys, lastPlayed, created)
    }
}

/// Which titles go when room is needed, in which order, and why. A decision and nothing else.
///
/// Titles go in the order of these reasons until enough is free; the first row that fits is a title's own. Within a
/// reason those that were played, or where they never were, downloaded, longest ago go first; of these, the larger.
///
/// | What is so | Reason |
/// |---|---|
/// | it is being played or downloaded | never goes |
/// | its date has passed | `past-its-date` |
/// | its keys were given back, or its playback period is over | `watched-out` |
/// | its storage period is over, or the device refuses its keys | `not-watchable` |
/// | it is not complete, and not important | `unfinished` |
/// | it has been played, and is not important | `played-before` |
/// | it has not been played, and is not important | `room-is-needed` |
/// | it is important | `important-too` |
public struct EvictionPlan: Sendable, Hashable {
    /// Why a title goes, in the order in which they go.
    public enum Reason: String, Sendable, CaseIterable {
        case pastItsDate = "past-its-date"
        case watchedOut = "watched-out"
        case notWatchable = "not-watchable"
        case unfinished
        case playedBefore = "played-before"
        case roomIsNeeded = "room-is-needed"
        case importantToo = "important-too"

        /// For the viewer.
        public var words: String {
            switch self {
            case .pastItsDate: "it was to be kept until a day that has passed"
            case .watchedOut: "it can be watched no more"
            case .notWatchable: "it cannot be watched without renewing it"
            case .unfinished: "its download has not ended"
            case .playedBefore: "it has been played before"
            case .roomIsNeeded: "room is needed"
            case .importantToo: "room is needed, and nothing less important is left"
            }
        }
    }

    /// A title that goes.
    public struct Eviction: Sendable, Hashable {
        /// Which.
        public let title: String
        /// What that frees, in bytes.
        public let size: UInt64
        /// Why.
        public let reason: Reason
    }

    /// What goes, in this order.
    public let evictions: [Eviction]
    /// How many bytes were to be freed.
    public let needed: UInt64

    /// What that frees, in bytes.
    public var freed: UInt64 { Self.sum(evictions.map(\.size)) }
    /// Whether that is enough.
    public var isEnough: Bool { freed >= needed }

    /// What has gone, where it was decided one title after the other.
    public init(_ evictions: [Eviction], of needed: UInt64) { (self.evictions, self.needed) = (evictions, needed) }

    /// Decides what goes so that at least `needed` bytes are free; all that may, where that is not enough.
    public init(toFree needed: UInt64, of candidates: [EvictionCandidate], at now: Int64) {
        self.needed = needed
        let order = candidates.compactMap { candidate in
            Self.reason(for: candidate, at: now).map { (candidate: candidate, reason: $0) }
        }
        .sorted { Self.goesBefore($0, $1) }
        var (evictions, freed): ([Eviction], UInt64) = ([], 0)
        for (candidate, reason) in order {
            guard freed < needed else { break }
            evictions.append(Eviction(title: candidate.title, size: candidate.size, reason: reason))
            freed = Self.sum([freed, candidate.size])
        }
        self.evictions = evictions
    }

    /// Why a title may go; nil: it may not.
    public static func reason(for candidate: EvictionCandidate, at now: Int64) -> Reason? {
        if candidate.isInUse { return nil }
        if let date = candidate.policy.expirationDate, date <= now { return .pastItsDate }
        switch candidate.keys {
        case .revoked, .playbackExpired: return .watchedOut
        case .storageExpired, .refused: return .notWatchable
        case .stored, .playing, nil: break
        }
        if candidate.policy.priority == .important { return .importantToo }
        if !candidate.isComplete { return .unfinished }
        return candidate.lastPlayed == nil ? .roomIsNeeded : .playedBefore
    }

    private typealias Entry = (candidate: EvictionCandidate, reason: Reason)

    private static func goesBefore(_ left: Entry, _ right: Entry) -> Bool {
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
