import KeyStore
import KeyStoreTestSupport
import Logging
import Testing
import TextCoding
import VirtualDevice

@testable import KeyServer

@Suite("The history of activity", .timeLimit(.minutes(10)))
struct ActivityHistoryTests {
    private func event(
        _ outcome: ServerMetrics.Outcome,
        at time: Int64,
        reason: String? = nil,
        deviceClass: String = "appletv",
        title: String? = nil
    ) -> ActivityEvent {
        ActivityEvent(
            milliseconds: time * 1_000,
            route: "/fps/license",
            outcome: outcome,
            reason: reason,
            microseconds: 1_000,
            client: ActivityEvent.Client(kind: deviceClass, system: nil, level: nil),
            title: title
        )
    }

    @Test("A minute is taken when it has ended, and its hour as it is so far")
    func rollup() throws {
        var rollup = ActivityRollup()
        for time: Int64 in [7_200, 7_259, 7_260] {
            rollup.add(event(.issued, at: time, title: "film"), at: time)
        }
        rollup.add(event(.refused, at: 7_230, reason: "replayed"), at: 7_230)
        let node = [UInt8](repeating: 1, count: 8)
        #expect(rollup.take(before: 7_259, node: node).isEmpty)
        let rows = rollup.take(before: 7_260, node: node)
        func count(_ step: Int64, _ outcome: String, title: String = "") -> Int64? {
            rows.first { $0.step == step && $0.outcome == outcome && $0.title == title }?.requests
        }
        #expect(count(60, "issued") == 2)
        #expect(count(60, "issued", title: "film") == 2)
        #expect(count(60, "refused") == 1)
        #expect(rows.first { $0.outcome == "refused" }?.reason == "replayed")
        #expect(count(3_600, "issued") == 3)
        #expect(rows.allSatisfy { $0.start == 7_200 && $0.node == node })
        // A minute that was taken is not written again, and later requests of it are not lost.
        rollup.add(event(.issued, at: 7_259), at: 7_259)
        let next = rollup.take(before: .max, node: node)
        #expect(next.first { $0.step == 60 && $0.title.isEmpty }?.requests == 2)
        #expect(next.first { $0.step == 3_600 && $0.outcome == "issued" && $0.title.isEmpty }?.requests == 4)
        #expect(rollup.take(before: .max, node: node).isEmpty)
    }

    @Test("The number of rows of an interval is bounded, and the rest is counted as other")
    func bounded() {
        var rollup = ActivityRollup()
        for number in 0..<1_000 {
            rollup.add(event(.issued, at: 60, deviceClass: "class-\(number)", title: "title-\(number)"), at: 60)
        }
        let rows = rollup.take(before: .max, node: []).filter { $0.step == 60 }
        #expect(rows.count == 2 * ActivityRollup.capacity + 1)
        #expect(rows.filter { $0.title.isEmpty }.reduce(0) { $0 + $1.requests } == 1_000)
    }

    @Test("A histogram is encoded and decoded, and malformed bytes are refused")
    func encoding() {
        var histogram = LatencyHistogram()
        for microseconds in [0, 5, 100, 100, 90_000, 60_000_000] { histogram.add(microseconds: microseconds) }
        #expect(LatencyHistogram(encoded: histogram.encoded) == histogram)
        #expect(LatencyHistogram(encoded: [])?.total == 0)
        let malformed: [[UInt8]] = [
            [0], [0, 0, 0, 0], [81, 0, 0, 0, 1], [0, 0, 0, 0, 0], [1, 0, 0, 0, 1, 0, 0, 0, 0, 1],
            [1, 0, 0, 0, 1, 1, 0, 0, 0, 1],
        ]
        for bytes in malformed { #expect(LatencyHistogram(encoded: bytes) == nil, "\(bytes)") }
    }

    @Test("The history of two servers adds up, and survives their restart")
    func servers() async throws {
        try await LicenseServer.run { server in
            let now = server.clock.now / 3_600 * 3_600 + 1_800
            let store = server.store
            for node in 1...2 {
                let activity = Activity()
                activity.note(event(.issued, at: now - 600, title: "film"))
                activity.note(event(.refused, at: now - 600, reason: "replayed", deviceClass: "appleMobile"))
                let history = ActivityHistory(
                    activity,
                    store: store,
                    logger: Logger(label: "test"),
                    node: [UInt8](repeating: UInt8(node), count: 8)
                )
                await history.write(before: .max)
                await history.write(before: .max)
            }
            func shown(_ query: String) async throws -> ReceivedResponse {
                try await server.admin("GET", "/activity/history?from=\(now - 1_200)&until=\(now)&\(query)")
            }
            let all = try await shown("step=60")
            let slots = try #require(all.json["slots"]?.items)
            #expect(slots.count == 20)
            let slot = slots.first { $0["time"] == .integer(Int(now - 600)) }
            #expect(slot?["issued"] == .integer(2))
            #expect(slot?["refused"] == .integer(2))
            #expect(slot?["p50"] != nil)
            let replayed = JSONValue.fields([
                ("outcome", .string("refused")), ("reason", .string("replayed")), ("count", .integer(2)),
            ])
            #expect(all.json["outcomes"]?.items?.contains(replayed) == true)
            let hour = try await shown("step=3600")
            #expect(hour.json["slots"]?.items?.compactMap { $0["issued"] } == [.integer(2)])
            let film = try await shown("title=film&step=3600")
            #expect(film.json["slots"]?.items?.compactMap { $0["issued"] } == [.integer(2)])
            #expect(film.json["slots"]?.items?.compactMap { $0["refused"] } == [.integer(0)])
            let mobile = try await shown("class=appleMobile&step=3600")
            #expect(mobile.json["slots"]?.items?.compactMap { $0["issued"] } == [.integer(0)])
            #expect(mobile.json["classes"]?.items?.count == 1)
            for query in ["step=61", "step=0", "title=a&class=b", "from=2&until=1", "from=0&until=200000&step=60"] {
                #expect(try await server.admin("GET", "/activity/history?\(query)").status == 400, "\(query)")
            }
        }
    }

    @Test("Rows that could not be written are written later")
    func retries() async throws {
        let (activity, store) = (Activity(), UnreliableActivityStore())
        let history = ActivityHistory(activity, store: store, logger: Logger(label: "test"))
        activity.note(event(.issued, at: 60))
        await store.fail(true)
        await history.write(before: 120)
        activity.note(event(.issued, at: 120))
        await store.fail(false)
        await history.write(before: 180)
        let minutes = try await store.activity(ActivityQuery(step: 60, from: 0, until: 3_600))
        #expect(minutes.map(\.start) == [60, 120])
        let hours = try await store.activity(ActivityQuery(step: 3_600, from: 0, until: 3_600))
        #expect(hours.map(\.requests) == [2])
    }

    @Test("Rows are deleted after 30 days")
    func retention() async throws {
        let (store, now) = (InMemoryKeyStore(), Int64(40 * 86_400))
        let activity = Activity()
        for time in [now - 30 * 86_400 - 60, now - 30 * 86_400, now - 60] { activity.note(event(.issued, at: time)) }
        var time = ServerTime()
        time.milliseconds = { now * 1_000 }
        let history = ActivityHistory(activity, store: store, time: time, logger: Logger(label: "test"))
        await history.write(before: .max)
        await history.prune()
        let rows = try await store.activity(ActivityQuery(step: 60, from: 0, until: now))
        #expect(rows.map(\.start) == [now - 30 * 86_400, now - 60])
    }
}

/// A store whose writes fail on demand.
private actor UnreliableActivityStore: ActivityStore {
    private let store = InMemoryKeyStore()
    private var isFailing = false

    func fail(_ isFailing: Bool) { self.isFailing = isFailing }

    func writeActivity(_ records: [ActivityRecord]) async throws(KeyStoreError) {
        guard !isFailing else { throw KeyStoreError(.unavailable, place: "test") }
        try await store.writeActivity(records)
    }

    func activity(_ query: ActivityQuery) async throws(KeyStoreError) -> [ActivityRecord] {
        try await store.activity(query)
    }

    func pruneActivity(before time: Int64) async throws(KeyStoreError) -> Int {
        try await store.pruneActivity(before: time)
    }
}
