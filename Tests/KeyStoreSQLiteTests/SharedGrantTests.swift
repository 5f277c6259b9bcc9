import Dispatch
import GRDB
import KeyStore
import KeyStoreTestSupport
import KeyStoreTests
import Testing

@testable import KeyStoreSQLite

@Suite("Grants that share a transaction", .timeLimit(.minutes(10)))
struct SharedGrantTests {
    private struct Failure: Error {}

    /// A request to a store.
    private enum Request: Sendable {
        case grant(GrantProposal)
        case endLease(account: String, PlaybackClient, at: Int64)
        case deleteDevice(account: String, DeviceHash, at: Int64)
        /// Deletes all leases and devices, and then fails.
        case fail

        /// Sends the request, and returns a description of its result.
        func answer(of store: any KeyServerStore) async throws -> String {
            switch self {
            case .grant(let proposal):
                return "\(try await store.grant(proposal))"
            case .endLease(let account, let client, let now):
                let audit = Sample.audit(now)
                return "\(try await store.endLease(account: account, client: client, now: now, audit: audit))"
            case .deleteDevice(let account, let device, let now):
                let audit = Sample.audit(now)
                return "\(try await store.deleteDevice(account: account, device: device, audit: audit))"
            case .fail:
                guard let store = store as? SQLiteKeyStore else { return "failed" }
                do {
                    try await store.writes.perform(in: "test") { transaction in
                        try transaction.db.execute(sql: "DELETE FROM lease")
                        try transaction.db.execute(sql: "DELETE FROM device")
                        throw Failure()
                    }
                    return "done"
                } catch {
                    return "failed"
                }
            }
        }
    }

    @Test("Grants in one transaction have the same results as sequential ones", arguments: 0..<30)
    func likeAlone(_ seed: UInt64) async throws {
        let folder = TemporaryFolder()
        let shared = try SQLiteKeyStore(dataFolder: folder.path, key: .dataFolder)
        let alone = InMemoryKeyStore()
        var random = Seeded(seed)
        var now: Int64 = 1_000
        for _ in 0..<25 {
            now += Int64.random(in: 0...40, using: &random)
            let requests = (0..<3).flatMap { _ in playback(at: now, using: &random) }
            var expected: [String] = []
            for request in requests { expected.append(try await request.answer(of: alone)) }
            #expect(try await answers(to: requests, of: shared) == expected)
            for account in Self.accounts {
                let leases = try await shared.leases(account: account, at: now, after: nil, limit: 100)
                #expect(try await leases == alone.leases(account: account, at: now, after: nil, limit: 100))
                #expect(try await shared.devices(account: account) == alone.devices(account: account))
            }
        }
        let entries = try await shared.auditEntries(before: nil, limit: 1_000)
        #expect(
            try await entries.map(\.record.outcome)
                == alone.auditEntries(before: nil, limit: 1_000).map(\.record.outcome)
        )
        #expect(try await shared.verifyAudit().isIntact)
    }

    @Test("A session that is ended between two keys of its playback gets no second key")
    func ended() async throws {
        let folder = TemporaryFolder()
        let store = try SQLiteKeyStore(dataFolder: folder.path, key: .dataFolder)
        let key = Sample.proposal().counted().slot()
        let answers = try await answers(
            to: [.grant(key), .grant(key), .endLease(account: "anna", Sample.client(1), at: 1_000), .grant(key)],
            of: store
        )
        #expect(answers.dropLast() == ["granted", "granted", "true"])
        #expect(try #require(answers.last).contains("lease"))
        #expect(try await store.grant(key).refusal == .leaseEnded)
    }

    /// "é" as one scalar and as two: two different accounts.
    private static let accounts = ["\u{E9}", "e\u{301}"]

    /// Returns a few requests of one client, with other requests between them.
    private func playback(at now: Int64, using random: inout Seeded) -> [Request] {
        let account = Self.accounts[Int.random(in: 0...1, using: &random)]
        let device = Int.random(in: 1...4, using: &random)
        let session = UInt64.random(in: 1...2, using: &random)
        let client: PlaybackClient = device == 4 ? .session(session) : Sample.client(device)
        return (0..<Int.random(in: 1...4, using: &random)).map { _ in
            switch Int.random(in: 0..<20, using: &random) {
            case 0: return .endLease(account: account, client, at: now)
            case 1: return .deleteDevice(account: account, Sample.device(device), at: now)
            case 2: return .fail
            default:
                let time = Int.random(in: 0..<6, using: &random) == 0 ? now + 30 : now
                let session = Int.random(in: 0..<8, using: &random) == 0 ? 3 : session
                var proposal = Sample.proposal(account, device: device, session: session, at: time).at(client)
                let limit = Bool.random(using: &random) ? Int.random(in: 1...2, using: &random) : nil
                if Int.random(in: 0..<4, using: &random) > 0 { proposal = proposal.counted(limit: limit) }
                if Int.random(in: 0..<4, using: &random) > 0 { proposal = proposal.slot(limit: limit, for: 40) }
                return .grant(proposal)
            }
        }
    }

    /// Queues all requests in order until the disk is free; they are then written in one transaction.
    private func answers(to requests: [Request], of store: SQLiteKeyStore) async throws -> [String] {
        let disk = DispatchSemaphore(value: 0)
        let (underWay, hasBegun) = AsyncStream.makeStream(of: Void.self)
        async let busy: Void = store.writes.perform(in: "test") { _ in
            hasBegun.yield()
            disk.wait()
        }
        // Also if not all requests are queued; `busy` is awaited after this.
        defer { disk.signal() }
        for await _ in underWay { break }
        var tasks: [Task<String, any Error>] = []
        for request in requests {
            tasks.append(Task { try await request.answer(of: store) })
            try await eventually("\(tasks.count) requests are queued") { store.writes.depth >= tasks.count }
        }
        disk.signal()
        try await busy
        var answers: [String] = []
        for task in tasks { answers.append(try await task.value) }
        return answers
    }
}
