import ContentKeySession
import Testing

@testable import OfflineAssets

@Suite("Eviction of titles")
struct EvictionPlanTests {
    private static func candidate(
        _ title: String,
        _ size: UInt64 = 10,
        created: Int64 = 100,
        _ change: (inout EvictionCandidate) -> Void = { _ in }
    ) -> EvictionCandidate {
        var candidate = EvictionCandidate(title: title, size: size, created: created)
        change(&candidate)
        return candidate
    }

    @Test("Each title has the first reason that applies, and a title in use is never evicted")
    func reasons() {
        let rows: [(EvictionPlan.Reason?, EvictionCandidate)] = [
            (.expired, Self.candidate("a") { $0.policy = .init(priority: .important, expirationDate: 1_000) }),
            (.lastResort, Self.candidate("b") { $0.policy = .init(priority: .important, expirationDate: 1_001) }),
            (.noLongerPlayable, Self.candidate("c") { $0.keys = .playbackExpired }),
            (.noLongerPlayable, Self.candidate("d") { ($0.keys, $0.policy.priority) = (.revoked, .important) }),
            (.renewalRequired, Self.candidate("e") { $0.keys = .storageExpired }),
            (.renewalRequired, Self.candidate("f") { $0.keys = .refused }),
            (.incomplete, Self.candidate("g") { $0.isComplete = false }),
            (.lastResort, Self.candidate("h") { ($0.isComplete, $0.policy.priority) = (false, .important) }),
            (.alreadyPlayed, Self.candidate("i") { ($0.keys, $0.lastPlayed) = (.playing, 500) }),
            (.spaceNeeded, Self.candidate("j") { $0.keys = .stored }),
            (.spaceNeeded, Self.candidate("k")),
            (
                nil,
                Self.candidate("l") { ($0.isInUse, $0.keys, $0.policy) = (true, .revoked, .init(expirationDate: 1)) }
            ),
        ]
        for (reason, candidate) in rows {
            #expect(EvictionPlan.reason(for: candidate, at: 1_000) == reason, "\(candidate.title)")
        }
        #expect(Set(rows.compactMap(\.0)) == Set(EvictionPlan.Reason.allCases))
        // All titles in the order of the reasons, except those in use.
        let plan = EvictionPlan(toFree: .max, of: rows.map(\.1).shuffled(), at: 1_000)
        #expect(plan.evictions.map(\.title).joined() == "acdefgijkbh")
        #expect(!plan.isEnough)
    }

    @Test("Oldest first, then the largest; no more than needed")
    func order() {
        let all = [
            Self.candidate("new", created: 300), Self.candidate("old", created: 100),
            Self.candidate("large", 50, created: 200), Self.candidate("small", 5, created: 200),
            Self.candidate("seen lately", created: 1) { $0.lastPlayed = 900 },
            Self.candidate("seen long ago", created: 2) { $0.lastPlayed = 400 },
        ]
        let order = ["seen long ago", "seen lately", "old", "large", "small", "new"]
        #expect(EvictionPlan(toFree: .max, of: all, at: 1_000).evictions.map(\.title) == order)
        for (needed, count) in [(0, 0), (1, 1), (10, 1), (11, 2), (20, 2), (21, 3), (31, 4), (80, 4), (81, 5), (95, 6)]
        {
            let plan = EvictionPlan(toFree: UInt64(needed), of: all, at: 1_000)
            #expect(plan.evictions.map(\.title) == Array(order.prefix(count)), "\(needed)")
            #expect(plan.isEnough)
            #expect(plan.freed >= needed)
        }
        #expect(!EvictionPlan(toFree: 96, of: all, at: 1_000).isEnough)
    }

    @Test("Extreme sizes do not trap")
    func extremes() {
        let all = [Self.candidate("a", .max), Self.candidate("b", .max)]
        let plan = EvictionPlan(toFree: .max, of: all, at: 0)
        #expect(plan.evictions.count == 1)
        #expect(plan.isEnough)
    }
}
