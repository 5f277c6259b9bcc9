import FPSCrypto
import KeyStore
import KeyStoreSQLite
import KeyStoreTests
import Testing

@testable import KeyStorePostgres

@Suite(
    "Copying a store to the other kind",
    .enabled(if: PostgresServer.isInstalled, "PostgreSQL is not installed; scripts/setup installs it"),
    .timeLimit(.minutes(10))
)
struct StoreCopyTests {
    private let folder = TemporaryFolder()
    private let key: KeyEncryptionKey
    private var source: KeyEncryptionKeySource { .file(folder.path + "/kek") }

    init() throws {
        key = try KeyEncryptionKey.create(file: folder.path + "/kek")
    }

    private func sqlite(_ name: String) throws -> SQLiteKeyStore {
        try SQLiteKeyStore(dataFolder: folder.path + "/" + name, key: source)
    }

    /// A database with rows in every table, which no process has open.
    private func makeSource() async throws {
        let store = try sqlite("first")
        try await live(store)
        try store.close()
    }

    private func live(_ store: any KeyServerStore) async throws {
        try await store.putPolicy(try Sample.policy("p"), replacing: false) { _ in Sample.audit(1) }
        try await store.putTitle(try TitleRecord(name: "film", policyName: "p", time: 3), replacing: false)
        let track = try TrackRecord(title: "film", name: "hd", kind: .hd)
        try await store.putTrack(track, replacing: false)
        try await store.putContent(try Sample.period("film", "hd", 1, from: 0, until: 50), replacing: false)
        try await store.putContent(try Sample.content("alone"), replacing: false)
        let channel = try ChannelRecord(title: "film", tracks: ["hd"], length: 600, ahead: 0, start: 9, time: 4)
        try await store.putChannel(channel, replacing: false, audit: nil)
        try await store.putCertificateBundle(try Sample.bundle("app"), replacing: false)
        try await store.addAdminToken(try AdminTokenRecord.make(name: "ann", role: .support, time: 1).record)

        let everything = Sample.proposal(answer: 3).once(1).bound(1).counted(deviceClass: "TV").rental().slot(limit: 1)
        #expect(try await store.grant(everything.offline(playback: 500)) == .granted)
        #expect(try await store.grant(Sample.proposal("漢字", device: 7).slot()) == .granted)
        let machine = Sample.evidence(1, bytes: 1, [.virtualMachine: 0])
        #expect(try await store.refuse(Sample.audit(1), evidence: machine, now: 1_000) == .recorded)
        let client = Sample.client(7)
        #expect(try await store.endLease(account: "漢字", client: client, now: 1_000, audit: Sample.audit(2)))
        _ = try await store.createChallenge(account: "anna", now: 1_000, expires: 9_000)
        let activity = ActivityRecord(
            step: 60,
            start: 60,
            node: Array(Sample.id(1).prefix(8)),
            title: "film",
            deviceClass: "appletv",
            outcome: "refused",
            reason: "replayed",
            requests: 3,
            latency: [1, 0, 0, 0, 3]
        )
        try await store.writeActivity([activity])
        for number in 0..<1_200 { try await store.append(Sample.audit(Int64(number))) }
    }

    /// Everything that lists return, and the keys that can be decrypted.
    private func shown(_ store: any KeyServerStore) async throws -> [String] {
        var shown: [String] = []
        for info in try await store.contents(after: nil, limit: 10) {
            let record = try #require(try await store.content(assetID: info.assetID))
            shown.append("\(info) \(SHA256.hash(record.contentKey.reveal())) \(record.iv)")
        }
        let bundle = try #require(try await store.certificateBundles().first)
        if case .pkcs8(let key) = bundle.privateKey { shown.append("\(bundle.name) \(SHA256.hash(key.reveal()))") }
        shown += try await store.titles(after: nil, limit: 10).map { "\($0)" }
        shown += try await store.tracks(title: "film").map { "\($0)" }
        shown += try await store.allChannels().map { "\($0)" }
        shown += try await store.policies(after: nil, limit: 10).map { "\($0)" }
        shown += try await store.policyHistory(name: "p", before: nil, limit: 10).map { "\($0)" }
        let activity = ActivityQuery(step: 60, from: 0, until: 1_000, title: "film")
        shown += try await store.activity(activity).map { "\($0)" }
        shown += try await store.adminTokens().map { "\($0)" }
        shown += try await store.leases(account: nil, at: 0, after: nil, limit: 10).map { "\($0)" }
        shown += try await store.devices(account: "anna").map { "\($0)" }
        shown += try await store.rentals(account: "anna").map { "\($0)" }
        shown += try await store.offlineLicenses(playableAt: nil, after: nil, limit: 10).map { "\($0)" }
        shown += try await store.auditEntries(after: nil, limit: 1_000).map { "\($0)" }
        shown.append("\(store.deviceHash(hu: Array(repeating: 1, count: 20)))")
        let r1 = SecretBytes(copying: [UInt8](repeating: 4, count: 44))
        shown.append("\(store.replayKey(r1: r1, account: "anna", certificateHash: [1]))")
        return shown
    }

    /// Continues where the source store stopped.
    private func goesOn(_ store: any KeyServerStore) async throws {
        // A claimed slot stays claimed, and an answered request is first a retry and later a replay.
        #expect(try await store.grant(Sample.proposal(device: 2).slot(limit: 1)).refusal == .streamsExceeded)
        #expect(try await store.grant(Sample.proposal(at: 1_029).once(1)) == .retried(Sample.answer(3)))
        #expect(try await store.grant(Sample.proposal(at: 1_030).once(1)).refusal == .replayed)
        #expect(try await store.grant(Sample.proposal("berta").bound(1)).refusal == .tokenAlreadyBound)
        #expect(try await store.grant(Sample.proposal("漢字", device: 7).slot()).refusal == .leaseEnded)
        // A recorded SPC is known, and so is the report of its device.
        let changed = Sample.proposal(device: 3).with { $0.evidence = Sample.evidence(1, bytes: 2) }
        #expect(try await store.grant(changed).refusal == .tampered)
        let report = try await store.deviceReport(Sample.device(1), at: 1_000)
        #expect(report.entries == [.virtualMachine: .init(value: 0, until: 5_000)])
    }

    @Test("A copy from SQLite to PostgreSQL and back is identical, and limits and log continue")
    func thereAndBack() async throws {
        let first = try sqlite("first")
        try await live(first)
        let (before, head) = (try await shown(first), try #require(try await first.verifyAudit().heads.first))
        try first.close()
        try await PostgresServer.shared.withDatabase { settings in
            let rows = try SQLiteRows(dataFolder: folder.path + "/first")
            let copy = try await PostgresKeyStore.filling(settings) { try StoreCopy(from: rows, to: $0) }
            try rows.close()
            // Each table had rows to copy.
            let empty = copy.counts.filter { $0.rows == 0 }.map(\.table)
            #expect(empty.isEmpty)
            let second = try await PostgresKeyStore.open(settings, key)
            #expect(try await shown(second) == before)
            try await goesOn(second)
            #expect(try await second.verifyAudit(expecting: head).isIntact)
            let (later, laterHead) = (
                try await shown(second), try #require(try await second.verifyAudit().heads.first)
            )
            #expect(laterHead.sequence == head.sequence + 6 && laterHead.node == head.node)
            await second.close()

            _ = try await SQLiteKeyStore.create(dataFolder: folder.path + "/third") { target in
                try await PostgresKeyStore.reading(settings) { try StoreCopy(from: $0, to: target) }
            }
            let third = try sqlite("third")
            #expect(try await shown(third) == later)
            #expect(try await third.verifyAudit(expecting: laterHead).isIntact)
            try await third.append(Sample.audit(0))
            let newest = try await third.auditEntries(before: nil, limit: 2).map(\.number)
            #expect(newest.count == 2 && newest[0] == newest[1] + 1)
            try third.close()
        }
    }

    @Test("Nothing is copied into a store that is not empty, and that store does not change")
    func intoFull() async throws {
        try await makeSource()
        let rows = try SQLiteRows(dataFolder: folder.path + "/first")
        try await PostgresServer.shared.withDatabase { settings in
            // A server that was started once has inserted its first rows.
            let there = try await PostgresKeyStore.open(settings, key)
            await #expect(throws: KeyStoreError(.conflict, place: "")) {
                try await PostgresKeyStore.filling(settings) { try StoreCopy(from: rows, to: $0) }
            }
            #expect(try await there.contents(after: nil, limit: 10).isEmpty)
            await #expect(throws: KeyStoreError(.locked, place: "")) {
                try await PostgresKeyStore.reading(settings) { _ in }
            }
            await there.close()
            await #expect(throws: KeyStoreError(.conflict, place: "")) {
                _ = try await SQLiteKeyStore.create(dataFolder: folder.path + "/first") { target in
                    try await PostgresKeyStore.reading(settings) { try StoreCopy(from: $0, to: target) }
                }
            }
        }
        #expect(TemporaryFolder.names(in: folder.path + "/first").filter { $0.contains("sqlite.") }.isEmpty)
    }

    @Test("An interrupted copy leaves the target empty")
    func breaksOff() async throws {
        try await makeSource()
        let rows = try SQLiteRows(dataFolder: folder.path + "/first")
        try await PostgresServer.shared.withDatabase { settings in
            await #expect(throws: KeyStoreError(.unavailable, place: "")) {
                try await PostgresKeyStore.filling(settings) { target in
                    try StoreCopy(from: BrokenEnd(base: rows, breaksAt: "audit"), to: target)
                }
            }
            _ = try await PostgresKeyStore.filling(settings) { try StoreCopy(from: rows, to: $0) }
        }
    }

    @Test("A row that differs from the source is detected before the commit")
    func changedOnTheWay() async throws {
        try await makeSource()
        let rows = try SQLiteRows(dataFolder: folder.path + "/first")
        _ = try await PostgresServer.shared.withDatabase { settings in
            await #expect(throws: KeyStoreError(.corrupt, place: "")) {
                try await PostgresKeyStore.filling(settings) { target in
                    try StoreCopy(from: rows, to: ForgetfulEnd(base: target))
                }
            }
        }
    }

    @Test("A database that a server has open cannot be the source of a copy")
    func inUse() async throws {
        let server = try sqlite("first")
        try await live(server)
        #expect(throws: KeyStoreError(.locked, place: "")) { try SQLiteRows(dataFolder: folder.path + "/first") }
        // The server is not affected.
        #expect(try await server.grant(Sample.proposal(device: 9)) == .granted)
    }

    @Test("The copied tables are all tables")
    func tables() async throws {
        try await PostgresServer.shared.withDatabase { settings in
            _ = try await PostgresKeyStore.open(settings, key)
            let connection = try PostgresConnection(settings, until: .now + .seconds(60))
            let query = PostgresQuery(
                """
                SELECT table_name::text || '.' || column_name::text FROM information_schema.columns
                WHERE table_schema = 'keyway'
                """
            )
            let columns = try connection.run([query], until: .now + .seconds(60))[0].rows.compactMap { $0.text(0) }
            let copied = CopiedTable.all.flatMap { table in table.columns.map { "\(table.name).\($0.name)" } }
            let left = Set(columns).subtracting(copied)
            #expect(Set(copied).subtracting(columns).isEmpty)
            // Each database has its own rows in these tables.
            let own = left.filter { column in
                !["commit_mark.", "catalog.", "schema_version."].contains { column.hasPrefix($0) }
            }
            #expect(own == ["audit_head.number", "spc.number"])
        }
    }
}

/// Fails at a table.
private struct BrokenEnd: CopyEndpoint {
    let base: SQLiteRows
    let breaksAt: String

    func read(_ table: CopiedTable, _ take: ([CopiedRow]) throws -> Void) throws {
        guard table.name != breaksAt else { throw KeyStoreError(.unavailable, place: table.name) }
        try base.read(table, take)
    }

    func write(_ rows: [CopiedRow], into table: CopiedTable) throws { try base.write(rows, into: table) }
}

/// Loses a row of each page.
private struct ForgetfulEnd: CopyEndpoint {
    let base: PostgresRows

    func read(_ table: CopiedTable, _ take: ([CopiedRow]) throws -> Void) throws { try base.read(table, take) }

    func write(_ rows: [CopiedRow], into table: CopiedTable) throws {
        try base.write(table.name == "challenge" ? Array(rows.dropFirst()) : rows, into: table)
    }
}
