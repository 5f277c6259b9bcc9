/// The rules for when keys are fetched again, and how long old keys may be used; without clock, file or network.
///
/// Times are milliseconds since an arbitrary start.
struct JWKSRefresh: Equatable {
    /// The decision for a request.
    enum Decision: Equatable {
        /// Use the present keys.
        case use
        /// Use the present keys, and fetch new ones in the background.
        case useAndFetch
        /// Wait for a fetch: the current one, or a new one.
        case wait
        /// There are no usable keys, and it is too early to retry.
        case unavailable
    }

    /// The rules for a kind of source.
    struct Rules: Equatable {
        /// The bounds of the time for which keys are fresh.
        var maximumAge: ClosedRange<Int64>
        /// The minimum time between two fetches caused by unknown keys, and between two tries while the source does not
        /// respond.
        var pause: Int64
        /// The minimum time between two tries while there are no keys at all.
        var emptyPause: Int64
        /// The time for which keys are used after the source last confirmed them.
        var staleness: Int64

        static func file(staleness: Int64) -> Self {
            Self(maximumAge: 5_000...5_000, pause: 5_000, emptyPause: 5_000, staleness: staleness)
        }

        static func url(staleness: Int64) -> Self {
            Self(maximumAge: 60_000...86_400_000, pause: 30_000, emptyPause: 5_000, staleness: staleness)
        }
    }

    let rules: Rules
    private(set) var confirmed: Int64?
    private var maximumAge: Int64
    private var lastTry: Int64?
    private var lastTryFailed = false
    private var isFetching = false

    init(rules: Rules) {
        self.rules = rules
        maximumAge = rules.maximumAge.lowerBound
    }

    /// Returns the decision at a time, for a key that is among the present keys or is not.
    func decide(at now: Int64, hasKey: Bool) -> Decision {
        guard let confirmed, isUsable(at: now) else {
            if isFetching { return .wait }
            return canRetry(at: now, after: rules.emptyPause) ? .wait : .unavailable
        }
        if !hasKey, isFetching || canRetry(at: now, after: rules.pause) { return .wait }
        let age = now - confirmed
        guard age >= maximumAge, !isFetching, !lastTryFailed || canRetry(at: now, after: rules.pause) else {
            return .use
        }
        // After a long time without requests, a key may have been withdrawn long ago: fetch first. Do not do that if
        // the source does not respond.
        return age >= 2 * maximumAge && !lastTryFailed ? .wait : .useAndFetch
    }

    /// Returns whether the present keys may be used.
    func isUsable(at now: Int64) -> Bool { confirmed.map { now - $0 < rules.staleness } ?? false }

    /// Records the start of a fetch.
    mutating func start(at now: Int64) {
        isFetching = true
        lastTry = now
    }

    /// Records a successful fetch; `maximumAge` is the source's cache lifetime, in milliseconds.
    mutating func succeed(at now: Int64, maximumAge: Int64?) {
        isFetching = false
        lastTryFailed = false
        confirmed = now
        let asked = maximumAge ?? rules.maximumAge.lowerBound * 5
        self.maximumAge = min(max(asked, rules.maximumAge.lowerBound), rules.maximumAge.upperBound)
    }

    /// Records a failed fetch: the source did not respond, or its response was not a key set.
    mutating func fail() {
        isFetching = false
        lastTryFailed = true
    }

    private func canRetry(at now: Int64, after pause: Int64) -> Bool { lastTry.map { now - $0 >= pause } ?? true }
}

/// Returns `max-age` of a `Cache-Control` field, in seconds; zero for `no-store` and `no-cache`, nil if it has neither.
func maximumAge(cacheControl: String?) -> Int64? {
    guard let cacheControl else { return nil }
    let directives = cacheControl.prefix(1_000).lowercased().split(separator: ",").map {
        $0.filter { $0 != " " && $0 != "\t" && $0 != "\"" }
    }
    if directives.contains("no-store") || directives.contains("no-cache") { return 0 }
    for directive in directives where directive.hasPrefix("max-age=") {
        let digits = directive.dropFirst("max-age=".count)
        guard !digits.isEmpty, digits.allSatisfy({ ("0"..."9").contains($0) }) else { return nil }
        return min(Int64(digits) ?? .max, 86_400)
    }
    return nil
}
