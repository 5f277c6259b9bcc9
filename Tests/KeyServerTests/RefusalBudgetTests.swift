import KeyStore
import Synchronization
import Testing
import TextCoding
import VirtualDevice

@testable import KeyServer

@Suite("Refusals that unauthenticated clients can cause without limit", .timeLimit(.minutes(10)))
struct RefusalBudgetTests {
    private final class Clock: Sendable {
        let now = Atomic<Int64>(0)
    }

    private func makeBudget(capacity: Int = 4) -> (RefusalBudget, Clock) {
        let clock = Clock()
        return (RefusalBudget(capacity: capacity, clock: { clock.now.load(ordering: .relaxed) }), clock)
    }

    @Test("An address has a burst of records, then a constant rate; others have their own")
    func addresses() {
        let (budget, clock) = makeBudget()
        let home = ClientAddress("2001:db8::1")
        for _ in 0..<RefusalBudget.address.burst { #expect(budget.consume(home) == .recorded) }
        #expect(budget.consume(home) == .tooMany(retryAfter: 2))
        #expect(budget.consume(ClientAddress("2001:db8::2")) == .tooMany(retryAfter: 2))
        #expect(budget.consume(ClientAddress("192.0.2.1")) == .recorded)
        clock.now.store(2_000_000_000, ordering: .relaxed)
        #expect(budget.consume(home) == .recorded)
        #expect(budget.consume(home) == .tooMany(retryAfter: 2))
    }

    @Test("With many addresses, the total number of records and the memory are bounded")
    func all() {
        let (budget, _) = makeBudget()
        var recorded = 0
        for number in 0..<5_000 {
            let address = ClientAddress(bytes: [10, 0, UInt8(number >> 8), UInt8(number & 255)])
            if budget.consume(address) == .recorded {
                recorded += 1
            } else {
                #expect(budget.consume(nil) == .tooManyOfAll)
            }
        }
        #expect(recorded == RefusalBudget.all.burst)
        #expect(budget.trackedCount <= 9)
    }

    @Test("Loopback addresses are those of proxies: only the total limit applies to them")
    func loopback() {
        let (budget, _) = makeBudget()
        let loopback = ClientAddress("127.0.0.1")
        for _ in 0..<RefusalBudget.all.burst { #expect(budget.consume(loopback) == .recorded) }
        #expect(budget.consume(loopback) == .tooManyOfAll)
    }

    @Test("Over HTTP: unauthorized clients neither fill the disk nor delay viewers or other addresses")
    func overHTTP() async throws {
        let authorizer = OneToken(authorization: PlaybackAuthorization(account: "viewer", expires: .max))
        let burst = RefusalBudget.address.burst
        try await LicenseServer.run(authorizer: authorizer, nanoseconds: { 0 }) { server in
            let home = "192.0.2.1"
            var statuses: [Int] = []
            for _ in 0..<burst + 3 {
                statuses.append(try await server.license([1], from: home).status)
            }
            #expect(statuses == Array(repeating: 401, count: burst) + [429, 429, 429])
            let last = try await server.send("POST", "/fps/challenge", token: "wrong", from: home)
            #expect(last.status == 429)
            #expect(last.json["type"] == .string("urn:keyway:problem:rate-limited"))
            #expect(last.headers["retry-after"] == "2")
            let own = try server.request(server.device()).spc
            #expect(try await server.license(own, token: OneToken.token, from: home).status == 200)
            #expect(try await server.license([1], from: "192.0.2.2").status == 401)
            let outcomes = try await server.auditOutcomes()
            #expect(outcomes.filter { $0 == "token-missing" }.count == burst + 1)
            #expect(outcomes.filter { $0 == "issued" }.count == 1)
            let text = try await server.exposition()
            #expect(text.contains(#"keyway_unrecorded_refusals_total{by="address"} 4"#))
        }
    }

    @Test("Beyond the total limit, each client gets its own refusal, and none is recorded")
    func everywhere() async throws {
        let authorizer = OneToken(authorization: PlaybackAuthorization(account: "viewer", expires: .max))
        try await LicenseServer.run(authorizer: authorizer, nanoseconds: { 0 }) { server in
            for _ in 0..<RefusalBudget.all.burst { _ = server.application.licenses.recording.refusals.consume(nil) }
            let refused = try await server.license([1], token: "expired", from: "192.0.2.1")
            #expect(refused.json["type"] == .string("urn:keyway:problem:token-signature"))
            #expect(try await server.auditOutcomes().isEmpty)
            let text = try await server.exposition()
            #expect(text.contains(#"keyway_unrecorded_refusals_total{by="server"} 1"#))
        }
    }
}
