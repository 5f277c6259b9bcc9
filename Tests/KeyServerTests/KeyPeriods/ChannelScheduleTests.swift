import KeyStore
import KeyStoreTestSupport
import Logging
import Testing
import TextCoding

@testable import KeyServer

@Suite("Schedules of live channels", .timeLimit(.minutes(10)))
struct ChannelScheduleTests {
    private let store = InMemoryKeyStore()
    private let log = LogRecorder()

    private func prepare(_ titles: String...) async throws {
        for title in titles {
            try await store.putTitle(try TitleRecord(name: title, time: 0), replacing: false)
            for (name, kind) in [("audio", ContentTrack.audio), ("hd", .hd)] {
                try await store.putTrack(try TrackRecord(title: title, name: name, kind: kind), replacing: false)
            }
        }
    }

    /// A day long, so that periods rarely start while a test runs.
    private func schedule(_ title: String, _ tracks: [String], isPaused: Bool = false) async throws {
        let record = try ChannelRecord(
            title: title,
            tracks: tracks,
            length: 86_400,
            ahead: 86_400,
            isPaused: isPaused,
            time: 0
        )
        try await store.putChannel(record, replacing: true, audit: nil)
    }

    private func service(_ plans: [KeyPeriodPlan] = []) -> KeyPeriodService {
        let log = log
        return KeyPeriodService(store: store, plans: plans, logger: Logger(label: "test") { _ in log })
    }

    private func count(_ title: String, _ track: String) async throws -> Int {
        try await store.keyPeriods(title: title, track: track).count
    }

    @Test("A server follows added, paused, resumed and removed schedules without a notification")
    func follows() async throws {
        try await prepare("news")
        let service = service()
        await service.makeAll()
        #expect(try await count("news", "hd") == 0)
        try await schedule("news", ["hd", "audio"], isPaused: true)
        await service.makeAll()
        #expect(try await count("news", "hd") == 0)
        try await schedule("news", ["hd", "audio"])
        await service.makeAll()
        #expect(try await count("news", "hd") >= 2)
        #expect(try await count("news", "audio") >= 2)
        try await store.deleteChannel(title: "news", audit: nil)
        let before = try await count("news", "hd")
        await service.makeAll()
        #expect(try await count("news", "hd") == before)
    }

    @Test("A title with a schedule in the store uses only that, even while it is paused")
    func overConfiguration() async throws {
        try await prepare("news", "sport")
        let plans = try ["news", "sport"].map { title in
            try #require(KeyPeriodPlan(title: title, track: "hd", length: 86_400, ahead: 86_400))
        }
        try await schedule("news", ["audio"], isPaused: true)
        #expect(await service(plans).makeAll() == ["news"])
        #expect(try await count("news", "hd") == 0)
        #expect(try await count("news", "audio") == 0)
        #expect(try await count("sport", "hd") >= 2)
    }

    @Test("Servers with the same schedule create each period once, each with its record")
    func together() async throws {
        try await prepare("news")
        try await schedule("news", ["hd"])
        let services = (0..<8).map { _ in service() }
        await withTaskGroup(of: Void.self) { group in
            for service in services { group.addTask { await service.makeAll() } }
        }
        let periods = try await store.keyPeriods(title: "news", track: "hd")
        #expect(Set(periods.map(\.validFrom)).count == periods.count)
        let made = try await store.auditEntries(after: nil, limit: 100).map(\.record.outcome)
        #expect(made.allSatisfy { $0 == "admin-periods-create" } && (1...2).contains(made.count))
    }

    @Test("No period ends before the start, and none starts beyond the time ahead")
    func start() throws {
        func starts(_ start: Int64?) throws -> [Int64] {
            let record = try ChannelRecord(title: "a", tracks: ["b"], length: 600, ahead: 1_200, start: start, time: 0)
            return KeyPeriodPlan.plans(of: record).flatMap { $0.starts(at: 6_100) }
        }
        #expect(try starts(nil) == [6_000, 6_600, 7_200])
        #expect(try starts(100) == [6_000, 6_600, 7_200])
        #expect(try starts(6_600) == [6_600, 7_200])
        #expect(try starts(7_000) == [6_600, 7_200])
        #expect(try starts(.max).isEmpty)
    }

    @Test("Over HTTP a schedule is created, changed, shown and deleted, and each change is recorded")
    func routes() async throws {
        try await LicenseServer.run { (server: LicenseServer) async throws in
            let body = #"{"tracks": ["hd"], "length": 600, "ahead": 7200}"#
            #expect(try await server.admin("PUT", "/channels/news", body).status == 404)
            #expect(try await server.admin("PUT", "/titles/news", "{}").status == 201)
            #expect(try await server.admin("PUT", "/channels/news", body).status == 409)
            #expect(try await server.admin("PUT", "/titles/news/tracks/hd", #"{"kind": "hd"}"#).status == 201)
            #expect(try await server.admin("PUT", "/channels/news", body).status == 201)
            let paused = #"{"tracks": ["hd"], "length": 600, "ahead": 0, "start": 7, "paused": true}"#
            #expect(try await server.admin("PUT", "/channels/news", paused).status == 200)
            let found = try await server.admin("GET", "/channels/news")
            #expect(found.json["paused"] == .bool(true))
            #expect(found.json["start"] == .integer(7))
            #expect(found.json["tracks"] == .array([.string("hd")]))
            #expect(try await server.pages("/channels", limit: 1).map(\.count) == [1])
            #expect(try await server.admin("DELETE", "/titles/news/tracks/hd").status == 409)
            #expect(try await server.admin("DELETE", "/channels/news").status == 204)
            #expect(try await server.admin("DELETE", "/channels/news").status == 404)
            #expect(try await server.admin("GET", "/channels/news").status == 404)
            #expect(
                try await server.changes().suffix(3) == [
                    "admin-channel-put by admin-token: schedule of channel news (hd: 600 s, 7200 s ahead) created",
                    "admin-channel-put by admin-token: schedule of channel news (hd: 600 s, 0 s ahead from 7, paused) replaced",
                    "admin-channel-delete by admin-token: schedule of channel news deleted",
                ]
            )
        }
    }

    /// Returns the periods of the only track of the channel `news`.
    private func periods(_ server: LicenseServer) async throws -> JSONValue {
        let answer = try await server.admin("GET", "/channels/news/schedule")
        return try #require(answer.json["items"]?.items?.first)
    }

    @Test("The schedule of a channel has the present, the next and the last period, with the keys that exist")
    func schedule() async throws {
        try await LicenseServer.run { (server: LicenseServer) async throws in
            for (path, body) in [
                ("/titles/news", "{}"), ("/titles/news/tracks/hd", #"{"kind": "hd"}"#),
                ("/channels/news", #"{"tracks": ["hd"], "length": 700, "ahead": 7000, "paused": true}"#),
            ] { #expect(try await server.admin("PUT", path, body).status == 201) }
            let time = LicenseServer.time
            let begin = Int(time - time % 700)
            let missing = try await periods(server)
            #expect(missing["track"] == .string("hd"))
            #expect(missing["present"] == .fields([("start", .integer(begin)), ("end", .integer(begin + 700))]))
            #expect(missing["next"]?["start"] == .integer(begin + 700))
            #expect(missing["last"]?["start"] == .integer(Int(time + 7_000 - (time + 7_000) % 700)))
            let plan = try #require(KeyPeriodPlan(title: "news", track: "hd", length: 700, ahead: 0))
            let actor = AdminActor(name: "test", route: "test", milliseconds: time * 1_000)
            try await KeyPeriodCreator(store: server.store).make(plan, at: time, by: actor)
            let created = try await periods(server)
            let keyID = Hexadecimal.encode(KeyPeriodCreator.keyID(title: "news", track: "hd", start: Int64(begin)))
            #expect(created["present"]?["keyId"] == .string(keyID))
            #expect(created["present"]?["assetId"] == .string(keyID))
            #expect(created["next"]?["keyId"] == nil)
            // A channel that begins after the time for which periods are created has no present period.
            let later = #"{"tracks": ["hd"], "length": 700, "ahead": 0, "start": \#(time + 100_000)}"#
            #expect(try await server.admin("PUT", "/channels/news", later).status == 200)
            let future = try await periods(server)
            #expect(future["present"] == nil)
            #expect(future["next"]?["start"] == .integer(Int(time + 100_000 - (time + 100_000) % 700)))
            #expect(try await server.admin("GET", "/channels/none/schedule").status == 404)
        }
    }

    @Test(
        "An invalid schedule is refused",
        arguments: [
            #"{"tracks": ["hd"], "length": 600}"#, #"{"length": 600, "ahead": 0}"#,
            #"{"tracks": [], "length": 600, "ahead": 0}"#, #"{"tracks": ["hd", "hd"], "length": 600, "ahead": 0}"#,
            #"{"tracks": [1], "length": 600, "ahead": 0}"#, #"{"tracks": ["hd"], "length": 59, "ahead": 0}"#,
            #"{"tracks": ["hd"], "length": 60, "ahead": 29940}"#, #"{"tracks": ["hd"], "length": 600, "ahead": -1}"#,
            #"{"tracks": ["hd"], "length": 600, "ahead": 0, "start": -1}"#,
            #"{"tracks": ["a/b"], "length": 600, "ahead": 0}"#,
        ]
    )
    func mistakes(body: String) async throws {
        try await LicenseServer.run { (server: LicenseServer) async throws in
            #expect(try await server.admin("PUT", "/channels/news", body).status == 400)
            #expect(try await server.changes().isEmpty)
        }
    }
}
