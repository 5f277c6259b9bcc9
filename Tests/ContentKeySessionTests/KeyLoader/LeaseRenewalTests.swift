import Testing

@testable import ContentKeySession

@Suite("Lease renewal")
struct LeaseRenewalTests {
    @Test("does not happen without an end of the lease", arguments: [nil, Duration.zero, .seconds(-1)])
    func never(lease: Duration?) {
        var numbers = SeededNumbers(seed: 1)
        #expect(LeaseRenewal().moment(for: lease, using: &numbers) == nil)
    }

    @Test("has the window of its table", arguments: [(600.0, 408.0, 480.0), (30, 17, 20), (10, 4.25, 5)])
    func windows(lease: Double, earliest: Double, latest: Double) throws {
        let window = try #require(LeaseRenewal().window(of: .seconds(lease)))
        #expect(abs(window.lowerBound.inSeconds - earliest) < 1e-6)
        #expect(abs(window.upperBound.inSeconds - latest) < 1e-6)
    }

    @Test("happens within its window and before the lease ends, for any lease and rule")
    func property() throws {
        var numbers = SeededNumbers(seed: 6)
        for _ in 0..<5000 {
            let rule = LeaseRenewal(
                margin: .random(in: -1...2, using: &numbers),
                minimumMargin: .milliseconds(Int.random(in: -10...100_000, using: &numbers)),
                jitter: .random(in: -1...2, using: &numbers)
            )
            let lease = Duration.milliseconds(Int.random(in: 1...100_000_000, using: &numbers))
            let window = try #require(rule.window(of: lease))
            let moment = try #require(rule.moment(for: lease, using: &numbers))
            #expect(window.contains(moment))
            #expect(moment >= .zero && moment < lease)
            #expect(lease - window.upperBound >= min(rule.minimumMargin, lease / 2))
        }
    }

    @Test("is distributed evenly over its window")
    func evenness() throws {
        var numbers = SeededNumbers(seed: 7)
        let rule = LeaseRenewal()
        let window = try #require(rule.window(of: .seconds(600)))
        var tenths = [Int](repeating: 0, count: 10)
        for _ in 0..<10_000 {
            let moment = try #require(rule.moment(for: .seconds(600), using: &numbers))
            tenths[min(9, Int((moment - window.lowerBound) / (window.upperBound - window.lowerBound) * 10))] += 1
        }
        #expect(chiSquare(tenths) < 27.88, "\(tenths)")
    }

    @Test("uses a new SPC and a new token each time, over an hour of leases")
    func hour() throws {
        let bench = LoaderBench(settings: .with { $0.lease = { _ in .seconds(600) } })
        try bench.run { bench in
            bench.session.ask("skd://movie")
            try await bench.pass(.seconds(3600))
        }
        let renewals = bench.session.all.dropFirst()
        #expect((7...9).contains(renewals.count))
        #expect(bench.session.all.allSatisfy { $0.isLoaded })
        #expect(renewals.allSatisfy { $0.isRenewal })
        #expect(bench.tokens.purposes == [.license] + renewals.map { _ in .renewal })
        let bodies = Set(bench.server.licenses.map(\.request.body))
        #expect(bodies.count == bench.server.licenses.count)
        let moments = bench.server.licenses.map(\.moment)
        #expect(zip(moments, moments.dropFirst()).allSatisfy { $1 - $0 < .seconds(481) && $1 - $0 > .seconds(408) })
    }

    @Test("renews leases together that were granted together")
    func together() throws {
        let bench = LoaderBench(settings: .with { $0.lease = { _ in .seconds(600) } })
        try bench.run { bench in
            await bench.loader.preload(["skd://a1", "skd://a2", "skd://a3"])
            try await bench.pass(.seconds(601))
        }
        #expect(bench.session.all.count == 6)
        #expect(bench.server.licenses.map(\.path) == ["/fps/licenses", "/fps/licenses"])
    }

    @Test("retries until the lease ends, and then reports the failure")
    func failing() throws {
        let bench = LoaderBench(settings: .with { $0.lease = { _ in .seconds(100) } }) { number, _ in
            number > 1 ? ScriptedServer.problem(503, "overloaded", headers: [.init("Retry-After", "6")]) : .good
        }
        try bench.run { bench in
            bench.session.ask("skd://movie")
            try await bench.pass(.seconds(300))
        }
        try #require(bench.session.all.count == 2)
        #expect(bench.session.all[1].failures.map(\.kind) == [.deadlineExceeded])
        let last = try #require(bench.server.licenses.last)
        #expect(last.moment < .seconds(101) && last.moment > .seconds(80))
    }

    @Test("uses the lease reported by the device, and only the last one")
    func granted() throws {
        let bench = LoaderBench()
        try bench.run { bench in
            bench.session.ask("skd://movie")
            try await bench.pass(.seconds(1))
            await bench.loader.leaseGranted(for: "skd://movie", lasting: .seconds(100))
            await bench.loader.leaseGranted(for: "skd://movie", lasting: .seconds(1000))
            try await bench.pass(.seconds(500))
            #expect(bench.session.all.count == 1)
            try await bench.pass(.seconds(400))
            #expect(bench.session.all.map(\.isRenewal) == [false, true])
        }
    }

    /// Returns the result of a key whose renewals fail as `script` specifies, after 2000 seconds; its lease has 600.
    private func renewals(
        _ script: @escaping @Sendable (Int) -> ScriptedServer.Answer
    ) throws -> (requests: ArraySlice<ScriptedKeyRequest>, attempts: ArraySlice<Duration>) {
        let bench = LoaderBench(settings: .with { $0.lease = { $0 == "skd://movie" ? .seconds(600) : nil } }) {
            number,
            _ in number > 1 ? script(number) : .good
        }
        try bench.run { bench in
            bench.session.ask("skd://movie")
            try await bench.pass(.seconds(2000))
        }
        return (bench.session.all.dropFirst(), bench.server.licenses.map(\.moment).dropFirst())
    }

    @Test("starts again after the maximum number of attempts, and succeeds when the network is available again")
    func again() throws {
        // Two requests with eight attempts each fail.
        let (requests, attempts) = try renewals { $0 <= 17 ? .error(.noConnection) : .good }
        #expect(requests.prefix(2).map { $0.failures.map(\.kind) } == [[.noConnection], [.noConnection]])
        let third = try #require(requests.dropFirst(2).first)
        #expect(third.isRenewal && third.isLoaded)
        // There are delays between them, and no lease has ended.
        #expect(attempts[9] - attempts[8] >= .seconds(8))
        #expect(attempts[17] < .seconds(600))
    }

    @Test("ends when the lease ends")
    func untilTheEnd() throws {
        let (requests, attempts) = try renewals { _ in .error(.noConnection) }
        #expect(requests.count > 2)
        #expect(requests.allSatisfy { $0.answerCount == 1 })
        let last = try #require(attempts.last)
        #expect(last > .seconds(590) && last <= .seconds(600))
    }

    @Test("does not start again after a refusal")
    func refused() throws {
        let (requests, attempts) = try renewals { _ in ScriptedServer.problem(403, "refused-by-policy") }
        #expect(requests.map { $0.failures.map(\.kind) } == [[.forbidden]])
        #expect(attempts.count == 1)
    }
}
