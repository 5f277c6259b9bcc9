import FPSCrypto
import KeyStore
import KeyStoreTestSupport
import Logging
import Testing
import TextCoding

@testable import KeyServer

@Suite("Key periods created in advance", .timeLimit(.minutes(10)))
struct KeyPeriodCreatorTests {
    private static let actor = AdminActor(command: "keys create-periods", user: "ann", milliseconds: 0)
    private let store = InMemoryKeyStore()

    private func prepare(template: String? = nil) async throws {
        let title = try TitleRecord(name: "news", keyURITemplate: template, time: 0)
        try await store.putTitle(title, replacing: false)
        try await store.putTrack(try TrackRecord(title: "news", name: "hd", kind: .hd), replacing: false)
    }

    private func plan(length: Int64 = 600, ahead: Int64 = 1_800, track: String = "hd") throws -> KeyPeriodPlan {
        try #require(KeyPeriodPlan(title: "news", track: track, length: length, ahead: ahead))
    }

    @Test("The current period and those ahead are created without gaps, each with its own key")
    func makes() async throws {
        try await prepare()
        let made = try await KeyPeriodCreator(store: store).make(try plan(), at: 6_100, by: Self.actor)
        #expect(made.map(\.validFrom) == [6_000, 6_600, 7_200, 7_800])
        #expect(made.map(\.validUntil) == [6_600, 7_200, 7_800, 8_400])
        let stored = try await store.keyPeriods(title: "news", track: "hd")
        #expect(stored.map(\.assetID) == made.map(\.assetID))
        var keys: Set<[UInt8]> = []
        for info in stored {
            let record = try #require(try await store.content(assetID: info.assetID))
            keys.formUnion([record.contentKey.reveal(), record.iv])
            #expect(info.assetID == ContentInfo.assetID(forKeyID: info.keyID ?? []))
        }
        #expect(keys.count == 8)
        // Computed with Python's hashlib: servers of other versions must compute the same ID.
        #expect(Hexadecimal.encode(stored[0].keyID ?? []) == "d7433e4e0fdc8b80bb00743db4de117c")
    }

    @Test("Servers create each period only once, concurrently and repeatedly")
    func idempotent() async throws {
        try await prepare()
        let plan = try plan()
        let store = store
        let counts = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<20 {
                group.addTask { try await KeyPeriodCreator(store: store).make(plan, at: 6_100, by: Self.actor).count }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(counts.reduce(0, +) == 4)
        let later = try await KeyPeriodCreator(store: store).make(plan, at: 6_700, by: Self.actor)
        #expect(later.map(\.validFrom) == [8_400])
        #expect(try await KeyPeriodCreator(store: store).make(plan, at: 6_799, by: Self.actor).isEmpty)
        // Each creation has its audit record.
        let audit = try await store.auditEntries(after: nil, limit: 10).map(\.record)
        #expect(audit.map(\.outcome) == ["admin-periods-create", "admin-periods-create"])
        #expect(audit.last?.detail == "by ann: 1 key period of track news/hd created, until 9000")
    }

    @Test("A missing track, and key URIs that are the same for different periods, are refused, and nothing is created")
    func refusals() async throws {
        try await prepare(template: "skd://{title}/{track}")
        let maker = KeyPeriodCreator(store: store)
        let (strange, plan) = (try plan(track: "sd"), try plan())
        await #expect(throws: KeyStoreError(.missingReference, place: "")) {
            try await maker.make(strange, at: 0, by: Self.actor)
        }
        await #expect(throws: KeyStoreError(.conflict, place: "")) { try await maker.make(plan, at: 0, by: Self.actor) }
        #expect(try await store.keyPeriods(title: "news", track: "hd").isEmpty)
        for (length, ahead) in [(59, 0), (2_678_401, 0), (60, -1), (60, 60 * 499), (60, Int64.max)] as [(Int64, Int64)]
        {
            #expect(KeyPeriodPlan(title: "a", track: "b", length: length, ahead: ahead) == nil)
        }
        #expect(KeyPeriodPlan(title: "a", track: "b", length: 60, ahead: 60 * 498)?.starts(at: 30).count == 499)
    }

    @Test("The service creates periods, logs it once, and continues if one track is missing")
    func service() async throws {
        try await prepare()
        let log = LogRecorder()
        let plans = [try plan(track: "sd"), try plan()]
        let service = KeyPeriodService(store: store, plans: plans, logger: Logger(label: "test") { _ in log })
        await service.makeAll()
        await service.makeAll()
        let periods = try await store.keyPeriods(title: "news", track: "hd")
        #expect((3...5).contains(periods.count))
        let audit = try await store.auditEntries(before: nil, limit: 10).map(\.record.outcome)
        #expect(audit.count >= 1 && Set(audit) == ["admin-periods-create"])
        #expect(log.text.contains("no key periods were created for track news/sd"))
    }

    @Test("The route creates periods for clients with the permission")
    func route() async throws {
        try await LicenseServer.run { server in
            #expect(try await server.admin("PUT", "/titles/news", "{}").status == 201)
            #expect(try await server.admin("PUT", "/titles/news/tracks/hd", #"{"kind": "hd"}"#).status == 201)
            let path = "/titles/news/tracks/hd/periods"
            let body = #"{"length": 86400, "ahead": 86400}"#
            for expected in [2, 0] {
                let answer = try await server.admin("POST", path, body)
                #expect(answer.status == 200)
                guard case .array(let items)? = answer.json["items"] else { throw Fault() }
                #expect(items.count == expected)
            }
            for (body, status) in [(#"{"length": 59, "ahead": 0}"#, 400), (#"{"length": 600}"#, 400)] {
                #expect(try await server.admin("POST", path, body).status == status)
            }
            #expect(try await server.admin("POST", "/titles/news/tracks/sd/periods", body).status == 404)
        }
    }
}
