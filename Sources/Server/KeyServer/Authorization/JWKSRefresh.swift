/// When keys are fetched again, and when old ones may be used: the rules alone, without clock, file or network.
///
/// Times are milliseconds since any one moment.
struct JWKSRefresh: Equatable {
    /// What to do about a request.
    enum Decision: Equatable {
        /// Use what is there.
        case use
        /// Use what is there, and fetch meanwhile.
        case useAndFetch
        /// Wait for a fetch: the one that runs, or a new one.
        case wait
        /// Nothing may be used, and it is too early to try again.
        case unavailable
    }

    /// How a source is dealt with.
    struct Rules: Equatable {
        /// The bounds of how long keys are fresh.
        var maximumAge: ClosedRange<Int64>
        /// The time between two fetches that unknown keys cause, and between two tries while the source does not answer.
        var pause: Int64
        /// The time between two tries while there are no keys at all.
        var emptyPause: Int64
        /// How long keys are used after the source last confirmed them.
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

    /// What to do at a time, for a key that the present keys know or do not.
    func decide(at now: Int64, knowsKey: Bool) -> Decision {
        guard let confirmed, isUsable(at: now) else {
            if isFetching { return .wait }
            return mayTry(at: now, after: rules.emptyPause) ? .wait : .unavailable
        }
        if !knowsKey, isFetching || mayTry(at: now, after: rules.pause) { return .wait }
        let age = now - confirmed
        guard age >= maximumAge, !isFetching, !lastTryFailed || mayTry(at: now, after: rules.pause) else { return .use }
        // Long unused keys may have been withdrawn long ago: look first. But not while the source is known to be silent.
        return age >= 2 * maximumAge && !lastTryFailed ? .wait : .useAndFetch
    }

    /// Whether what is there may be used.
    func isUsable(at now: Int64) -> Bool { confirmed.map { now - $0 < rules.staleness } ?? false }

    /// A fetch begins.
    mutating func begin(at now: Int64) {
        isFetching = true
        lastTry = now
    }

    /// The source has answered; `maximumAge` is what it says about how long, in milliseconds.
    mutating func succeed(at now: Int64, maximumAge: Int64?) {
        isFetching = false
        lastTryFailed = false
        confirmed = now
        let asked = maximumAge ?? rules.maximumAge.lowerBound * 5
        self.maximumAge = min(max(asked, rules.maximumAge.lowerBound), rules.maximumAge.upperBound)
    }

    /// The source has not answered, or with something that is no key set.
    mutating func fail() {
        isFetching = false
        lastTryFailed = true
    }

    private func mayTry(at now: Int64, after pause: Int64) -> Bool { lastTry.map { now - $0 >= pause } ?? true }
}

/// `max-age` of a `Cache-Control` field, in seconds; zero for `no-store` and `no-cache`, nil when it says nothing.
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
