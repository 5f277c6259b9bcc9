import ContentKeySession
import ContentKeySessionTesting
import SimulatedClocks
import Testing
import VirtualDevice

@Suite("Outages of the key server", .timeLimit(.minutes(10)))
struct OutageTests {
    @Test("A preload survives a restart of the server on the same port")
    func restart() async throws {
        try await KeyPathBench.run(.init(isDirect: true)) { bench in
            #expect(try await bench.plays("film/audio"))
            await bench.time.outside { await bench.server.stop() }
            await bench.loader.preload(["skd://film/sd", "skd://film/hd"])
            while await bench.errors.count < 2 { try await bench.pass(.milliseconds(10)) }
            try await bench.time.outside { try await bench.server.start() }
            while await bench.accesses.count < 4 { try await bench.pass(.milliseconds(10)) }
            let sent = bench.transport.licenses.count
            for asset in ["film/sd", "film/hd"] {
                let plays = try await bench.plays(asset)
                #expect(plays)
            }
            #expect(bench.transport.licenses.count == sent)
            let errors = await bench.errors
            #expect(errors.allSatisfy { $0.failure.kind == .noConnection && $0.retryAfter != nil })
            #expect(bench.transport.licenses.last?.path == "/fps/licenses")
        }
    }

    @Test("A permanent outage fails the request before the player's timeout")
    func away() async throws {
        try await KeyPathBench.run(.init(isDirect: true)) { bench in
            await bench.time.outside { await bench.server.stop() }
            await #expect(throws: ContentKeyError.self) { _ = try await bench.key("film/hd") }
            #expect(bench.time.now <= RetryPolicy().onDemandDeadline)
            let last = try #require(await bench.errors.last)
            #expect([.noConnection, .deadlineExceeded].contains(last.failure.kind))
            #expect(last.retryAfter == nil)
            #expect(bench.transport.certificates.count == bench.transport.sent.count)
        }
    }

    @Test("A connection that died while idle is replaced without an interruption")
    func deadConnection() async throws {
        try await KeyPathBench.run { heard in
            heard.onConnection > 1 ? .resetBeforeHead : .none
        } _: { bench in
            let plays = try await bench.plays("film/hd")
            #expect(plays)
            #expect(bench.time.now < .seconds(1))
            #expect(await bench.errors.allSatisfy { $0.failure.kind == .noConnection && $0.retryAfter != nil })
        }
    }

    @Test("A connection that the server closes while it is idle is replaced")
    func closedIdle() async throws {
        try await KeyPathBench.run { _ in
            .closesAfter
        } _: { bench in
            for asset in ["film/audio", "film/sd", "film/hd"] {
                let plays = try await bench.plays(asset)
                #expect(plays)
            }
            #expect(bench.time.now < .seconds(3))
            #expect(bench.proxy.heard.allSatisfy { $0.onConnection == 1 })
        }
    }

    @Test("The end of a session ends a request without a response")
    func sessionEnds() async throws {
        try await KeyPathBench.run {
            $0.isCertificate ? .none : .silence
        } _: { bench in
            await bench.session.processContentKeyRequest(identifier: "skd://film/hd")
            try await bench.pass(.seconds(3))
            #expect(bench.proxy.licenses.count == 1)
            await bench.session.expire()
            try await bench.pass(.milliseconds(10))
            #expect(await bench.errors.map(\.failure.kind) == [.cancelled])
            #expect(bench.time.now < .seconds(4))
        }
    }

    @Test("A request that the session cancelled is not reported as a failure of the device")
    func overdue() async throws {
        try await KeyPathBench.run(.init(responseTimeout: .seconds(10))) { heard in
            heard.isCertificate || heard.number > 2 ? .none : .problem(503, "overloaded", headers: ["Retry-After: 9"])
        } _: { bench in
            await bench.loader.preload(["skd://film/hd"])
            try await bench.pass(.seconds(12))
            await bench.session.checkDeadlines()
            try await bench.pass(.seconds(40))
            let kinds = await bench.errors.map(\.failure.kind)
            #expect(kinds.last == .cancelled)
            #expect(!kinds.contains(.ckcRejected))
            let plays = try await bench.plays("film/hd")
            #expect(plays)
        }
    }

    @Test("A response after the session cancelled is not reported as a failure of the device")
    func late() async throws {
        try await KeyPathBench.run(.init(responseTimeout: .seconds(3))) { heard in
            heard.isCertificate || heard.number > 1 ? .none : .latency(.seconds(6))
        } _: { bench in
            await bench.session.processContentKeyRequest(identifier: "skd://film/hd")
            try await bench.pass(.seconds(4))
            await bench.session.checkDeadlines()
            try await bench.pass(.seconds(4))
            let kinds = await bench.errors.map(\.failure.kind)
            #expect(kinds == [.cancelled])
            let plays = try await bench.plays("film/hd")
            #expect(plays)
        }
    }
}
