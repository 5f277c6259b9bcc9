import Testing

@testable import KeyServer

@Suite("Authorization: refreshing keys")
struct AuthorizationKeyRefreshTests {
    private let minute: Int64 = 60_000

    /// Keys fetched at time 0.
    private func fetched(maximumAge: Int64?) -> JWKSRefresh {
        var refresh = JWKSRefresh(rules: .url(staleness: 1_440 * minute))
        refresh.start(at: 0)
        refresh.succeed(at: 0, maximumAge: maximumAge)
        return refresh
    }

    @Test("Without keys all requests wait for one fetch, and after a failure there is a pause")
    func empty() {
        var refresh = JWKSRefresh(rules: .url(staleness: 1_440 * minute))
        #expect(refresh.decide(at: 0, hasKey: false) == .wait)
        refresh.start(at: 0)
        #expect(refresh.decide(at: 1, hasKey: false) == .wait)
        refresh.fail()
        #expect(refresh.decide(at: 4_999, hasKey: false) == .unavailable)
        #expect(refresh.decide(at: 5_000, hasKey: false) == .wait)
    }

    @Test("Fresh keys are used; older ones are used while new ones are fetched; very old ones are not")
    func age() {
        var refresh = fetched(maximumAge: 10 * minute)
        #expect(refresh.decide(at: 10 * minute - 1, hasKey: true) == .use)
        #expect(refresh.decide(at: 10 * minute, hasKey: true) == .useAndFetch)
        #expect(refresh.decide(at: 20 * minute, hasKey: true) == .wait)
        refresh.start(at: 10 * minute)
        #expect(refresh.decide(at: 10 * minute, hasKey: true) == .use)
        refresh.fail()
        #expect(refresh.decide(at: 10 * minute + 29_999, hasKey: true) == .use)
        #expect(refresh.decide(at: 10 * minute + 30_000, hasKey: true) == .useAndFetch)
        #expect(refresh.decide(at: 100 * minute, hasKey: true) == .useAndFetch)
    }

    @Test(
        "The cache lifetime of the source is bounded",
        arguments: [(0, 1), (30_000, 1), (120_000, 2), (nil, 5), (.max, 1_440)]
    )
    func bounds(asked: Int64?, minutes: Int64) {
        let refresh = fetched(maximumAge: asked)
        #expect(refresh.decide(at: minutes * minute - 1, hasKey: true) == .use)
        #expect(refresh.decide(at: minutes * minute, hasKey: true) != .use)
    }

    @Test("An unknown key is fetched immediately, but at most every 30 seconds")
    func unknown() {
        var refresh = fetched(maximumAge: 10 * minute)
        #expect(refresh.decide(at: 29_999, hasKey: false) == .use)
        #expect(refresh.decide(at: 30_000, hasKey: false) == .wait)
        refresh.start(at: 30_000)
        #expect(refresh.decide(at: 30_001, hasKey: false) == .wait)
        #expect(refresh.decide(at: 30_001, hasKey: true) == .use)
        refresh.succeed(at: 30_100, maximumAge: nil)
        #expect(refresh.decide(at: 30_200, hasKey: false) == .use)
        #expect(refresh.decide(at: 60_000, hasKey: false) == .wait)
    }

    @Test("If the source has not responded for too long, no keys are used until it does")
    func stale() {
        var refresh = fetched(maximumAge: minute)
        refresh.start(at: 1_440 * minute - 10_000)
        refresh.fail()
        #expect(refresh.decide(at: 1_440 * minute - 6_000, hasKey: true) == .use)
        #expect(refresh.decide(at: 1_440 * minute, hasKey: true) == .wait)
        #expect(!refresh.isUsable(at: 1_440 * minute))
        refresh.start(at: 1_440 * minute)
        refresh.fail()
        #expect(refresh.decide(at: 1_440 * minute + 1, hasKey: true) == .unavailable)
        refresh.start(at: 1_441 * minute)
        refresh.succeed(at: 1_441 * minute, maximumAge: nil)
        #expect(refresh.decide(at: 1_441 * minute, hasKey: true) == .use)
    }

    @Test(
        "max-age is read as RFC 9111 has it, and whatever else stands there is not",
        arguments: [
            (nil, nil), ("", nil), ("public", nil), ("max-age=60", 60),
            ("Public, MAX-AGE=3600, must-revalidate", 3_600),
            ("max-age=\"60\"", 60), ("max-age=-1", nil), ("max-age=", nil), ("max-age=1e3", nil), ("s-maxage=60", nil),
            ("max-age=99999999999999999999", 86_400), ("max-age=60, no-store", 0), ("no-cache", 0),
        ] as [(String?, Int64?)]
    )
    func cacheControl(field: String?, seconds: Int64?) {
        #expect(maximumAge(cacheControl: field) == seconds)
    }
}
