import KeyStore
import Synchronization
import Testing

@testable import KeyServer

@Suite("Latencies in the log", .timeLimit(.minutes(10)))
struct LatencyTests {
    /// A monotonic clock that advances by 1,234 microseconds and 567 nanoseconds per call.
    private final class Ticks: Sendable {
        static let microseconds: Int64 = 1_234
        private let next = Atomic<Int64>(0)
        var now: Int64 { next.add(1_234_567, ordering: .relaxed).newValue }
    }

    private func isMeasured(_ microseconds: Int64?) -> Bool {
        guard let microseconds else { return false }
        // A few calls after the start. The time of day does not change in these tests.
        return (1...50).contains { $0 * 1_234_567 / 1_000 == microseconds }
    }

    @Test("Clear Key and AES-128 requests have their duration in microseconds, issued or refused")
    func otherClients() async throws {
        let ticks = Ticks()
        try await OtherClientsServer.run(nanoseconds: { ticks.now }) { server in
            try await server.add(1)
            let kid = String(repeating: "01", count: 16)
            #expect(try await server.clearKey(1).status == 200)
            #expect(try await server.clearKey(2).status == 404)
            #expect(try await server.send("GET", "/keys/\(kid)").status == 200)
            // A refusal of the authorizer.
            #expect(try await server.send("GET", "/keys/\(kid)", token: "wrong").status == 401)
            #expect(try await server.clearKey(1, token: nil).status == 401)
            let records = try await server.audit()
            #expect(records.count == 5)
            for record in records {
                #expect(isMeasured(record.microseconds), "\(record.outcome): \(record.microseconds)")
                #expect(record.milliseconds == OtherClientsServer.now * 1_000)
            }
            let activity = server.running.application.parts.activity
            let events = activity.snapshot(.minutes, at: OtherClientsServer.now).recent
            #expect(events.count == 5)
            for event in events {
                #expect(isMeasured(event.microseconds.map(Int64.init)), "\(event.route): \(event.microseconds ?? -1)")
                #expect(event.milliseconds == OtherClientsServer.now * 1_000)
            }
        }
    }

    @Test("The duration of a Clear Key request ends when its audit records are committed, and is in the metrics")
    func committed() async throws {
        let ticks = Ticks()
        try await OtherClientsServer.run(nanoseconds: { ticks.now }) { server in
            for byte in 1...3 as ClosedRange<UInt8> { try await server.add(byte) }
            #expect(try await server.clearKey(1, 2, 3, 4).status == 200)
            let records = try await server.audit()
            let activity = server.running.application.parts.activity
            let events = activity.snapshot(.minutes, at: OtherClientsServer.now).recent
            #expect(records.count == 4 && events.count == 4)
            // The clock advances with each call: a duration up to the commit is longer than each up to a decision.
            let decided = try #require(records.map(\.microseconds).max())
            for event in events { #expect(Int64(event.microseconds ?? 0) > decided) }
            let text = await server.exposition()
            #expect(text.contains(#"keyway_license_stage_seconds_count{stage="total"} 4"#))
        }
    }

    @Test("Every request is logged with its method, route, status, duration, ID and trace")
    func requests() async throws {
        try await LicenseServer.run { server in
            let answer = try await server.admin("GET", "/content/none")
            #expect(answer.status == 404)
            let line = try #require(server.log.text.split(separator: "\n").first { $0.hasPrefix("info request ") })
            let id = try #require(answer.headers["x-request-id"])
            let trace = try #require(answer.headers["traceparent"]?.split(separator: "-"))
            try #require(trace.count == 4)
            for field in [
                #""method": GET"#, #""route": /admin/content/{asset}"#, #""status": 404"#,
                #""hb.request.id": \#(id)"#, #""trace": \#(trace[1])"#, #""span": \#(trace[2])"#,
            ] { #expect(line.contains(field), "\(field) is not in \(line)") }
            #expect(line.contains(/"microseconds": [1-9][0-9]*[,\]]/), "\(line)")
        }
    }

    @Test("Audit records of administration have their duration in microseconds")
    func administration() {
        let ticks = Ticks()
        let stopwatch = Stopwatch { ticks.now }
        let actor = AdminActor(name: "ann", route: "/admin", milliseconds: 5_000, stopwatch: stopwatch)
        let record = actor.audit("title-put", "title film")
        #expect(record.microseconds == Ticks.microseconds)
        #expect(record.milliseconds == 5_000)
    }
}
