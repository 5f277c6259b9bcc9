import KeyStore
import KeyStoreTests
import Testing

@testable import KeyStorePostgres

@Suite(
    "Lost connections to PostgreSQL",
    .enabled(if: PostgresServer.isInstalled, "PostgreSQL is not installed; scripts/setup installs it"),
    .timeLimit(.minutes(10))
)
struct LostConnectionTests {
    @Test(
        "The outcome of a commit is determined after its response is lost, and the license is granted once",
        arguments: [BreakingProxy.Fault.beforeCommit, .afterCommit]
    )
    func lostCommit(_ fault: BreakingProxy.Fault) async throws {
        try await withProxy { store, proxy in
            // The worker's first transaction is its first commit. The proxy recognizes it by its prepared statement.
            proxy.set(fault)
            let outcome = try await store.grant(Sample.proposal().slot(limit: 1))
            #expect(outcome == .granted)
            #expect(proxy.broken == 1)
            #expect(try await store.leaseCount(at: 1_000) == 1)
            let found = try await store.verifyAudit()
            #expect(found.isIntact)
            #expect(found.entries == 1)
        }
    }

    @Test(
        "The outcome of an administrator's change is determined after its response is lost",
        arguments: [BreakingProxy.Fault.beforeCommit, .afterCommit]
    )
    func lostChange(_ fault: BreakingProxy.Fault) async throws {
        try await withProxy { store, proxy in
            proxy.cutAll()
            proxy.set(fault)
            let outcome = try await store.putContent(try Sample.content("asset"), replacing: false)
            #expect(outcome == .created)
            #expect(try await store.contents(after: nil, limit: 10).count == 1)
        }
    }

    @Test("Limits hold and acknowledged records are durable when connections are cut repeatedly")
    func cuts() async throws {
        try await withProxy { store, proxy in
            let cutting = Task {
                // The number of cuts is limited, because on a busy machine a transaction might never finish.
                for _ in 0..<20 {
                    proxy.cutAll()
                    try? await Task.sleep(for: .milliseconds(30))
                }
            }
            let granted = try await withThrowingTaskGroup(of: Bool.self) { group in
                for device in 0..<300 {
                    group.addTask {
                        let account = "account \(device % 30)"
                        return try await store.grant(Sample.proposal(account, device: device).slot(limit: 3))
                            == .granted
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            await cutting.value
            #expect(granted == 90)
            #expect(try await store.leaseCount(at: 1_000) == 90)
            let found = try await store.verifyAudit()
            #expect(found.isIntact)
            #expect(found.entries == 300)
        }
    }

    private static func isGivenUp(_ error: any Error) -> Bool {
        [.unavailable, .overloaded].contains((error as? KeyStoreError)?.code)
    }

    @Test("Requests fail at the deadline when a server does not respond")
    func silence() async throws {
        try await withProxy(deadline: .milliseconds(300)) { store, proxy in
            proxy.set(.silence)
            // On a busy machine the deadline may pass before a connection is free.
            await #expect { try await store.grant(Sample.proposal().slot()) } throws: { Self.isGivenUp($0) }
            await #expect { try await store.leaseCount(at: 0) } throws: { Self.isGivenUp($0) }
            proxy.set(nil)
            // Requests that the server did not receive were not executed, and later requests succeed.
            try await eventually {
                do throws(KeyStoreError) {
                    return try await store.verifyAudit().entries == 0
                } catch {
                    return false
                }
            }
        }
    }

    @Test("A job that the server rejects fails alone, without the others in its transaction")
    func failsAlone() async throws {
        try await withProxy { store, _ in
            let outcomes = await withTaskGroup(of: Bool.self) { group in
                for device in 0..<50 {
                    group.addTask {
                        // The tables accept no account of more than 200 bytes.
                        let account = device == 7 ? String(repeating: "a", count: 201) : "account \(device)"
                        return await Self.isGranted(Sample.proposal(account, device: device).slot(), store)
                    }
                }
                return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
            }
            #expect(outcomes == [true: 49, false: 1])
        }
    }

    private static func isGranted(_ proposal: GrantProposal, _ store: PostgresKeyStore) async -> Bool {
        do { return try await store.grant(proposal) == .granted } catch { return false }
    }

    private func withProxy(
        deadline: Duration = .seconds(60),
        _ body: @Sendable (PostgresKeyStore, BreakingProxy) async throws -> Void
    ) async throws {
        try await PostgresServer.shared.withDatabase { direct in
            let server = PostgresServer.shared
            let name = String(direct.url.split(separator: "/").last ?? "")
            let key = try KeyEncryptionKey.generate()
            // The tables are created without faults.
            await (try await PostgresKeyStore.open(direct, key)).close()
            let proxy = try BreakingProxy(to: server.socketFolder)
            let settings = try server.settings(name, through: proxy.socketFolder, deadline: deadline)
            let store = try await PostgresKeyStore.open(settings, key)
            try await body(store, proxy)
            await store.close()
        }
    }

    /// Waits until a condition is true.
    private func eventually(_ condition: () async throws -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(120)
        while try await !condition() {
            try #require(ContinuousClock.now < deadline, "the condition never became true")
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}
