import ContentKeySession
import ContentKeySessionTesting
import Testing
import VirtualDevice

@Suite("Leases and kept keys from player to server", .timeLimit(.minutes(10)))
struct KeyPathLifetimeTests {
    @Test("The loader renews a lease of the server's before it ends, each time with a new SPC and a new token")
    func renewal() async throws {
        try await KeyPathBench.run(.init(settings: .with { $0.lease = { _ in .seconds(60) } })) { bench in
            let key = try await bench.key("film/leased")
            #expect(try await bench.plays(key, as: "film/leased"))
            for _ in 0..<30 {
                try await bench.pass(.seconds(10))
                await bench.session.checkDeadlines()
                #expect(try bench.content(key) == bench.server.keys["film/leased"])
            }
            #expect(key.stopCause == nil)
            #expect((6...9).contains(bench.proxy.licenses.count))
            #expect(bench.purposes.all == [.license] + bench.proxy.licenses.dropFirst().map { _ in .renewal })
            #expect(Set(bench.transport.licenses.map(\.body)).count == bench.proxy.licenses.count)
            #expect(await bench.errors.isEmpty)
        }
    }

    @Test("The loader knows from the device how long a lease is, where the settings do not say or say too much")
    func grantedLease() async throws {
        for setting in [nil, Duration.seconds(3600)] {
            try await KeyPathBench.run(.init(settings: .with { $0.lease = { _ in setting } })) { bench in
                let key = try await bench.key("film/leased")
                #expect(try await bench.plays(key, as: "film/leased"))
                try await bench.pass(.seconds(59))
                await bench.session.checkDeadlines()
                #expect(bench.proxy.licenses.count == 2)
                try await bench.pass(.seconds(30))
                await bench.session.checkDeadlines()
                #expect(try bench.content(key) == bench.server.keys["film/leased"])
            }
        }
    }

    @Test("A preloaded key has a short lease of its own, which is renewed too")
    func preloadedLease() async throws {
        try await KeyPathBench.run(.init(settings: .with { $0.lease = { _ in .seconds(600) } })) { bench in
            await bench.loader.preload(["skd://film/long-lease"])
            try await bench.pass(.seconds(100))
            let key = try await bench.key("film/long-lease")
            #expect(try await bench.plays(key, as: "film/long-lease"))
            try await bench.pass(.seconds(30))
            await bench.session.checkDeadlines()
            #expect(key.stopCause == nil)
            #expect(try bench.content(key) == bench.server.keys["film/long-lease"])
        }
    }

    @Test("A lease that ended makes a preload ask again")
    func preloadAfterLease() async throws {
        try await KeyPathBench.run(.init(settings: .with { $0.renewal = LeaseRenewal(share: 0.5) })) { bench in
            await bench.loader.preload(["skd://film/leased"])
            try await bench.pass(.seconds(1))
            let key = try await bench.key("film/leased")
            await key.revoke()
            #expect(key.stopCause == .revoked)
            await bench.loader.preload(["skd://film/leased"])
            try await bench.pass(.seconds(1))
            let asked = bench.proxy.licenses.count
            #expect(asked == 2)
            #expect(try await bench.plays("film/leased"))
            #expect(bench.proxy.licenses.count == asked)
        }
    }

    @Test("A key that may be kept is asked for once; the next session asks nobody")
    func kept() async throws {
        let (time, shelf) = (JumpingTime(), Shelf())
        try await ServerWithRules.run(time) { server in
            let device = server.device(time)
            let options = KeyPathBench.Options(settings: .with { $0.keptKeys = shelf }, device: device)
            try await KeyPathBench.run(options, server: server, time: time) { bench in
                let key = try await bench.key("film/kept", persistable: true)
                #expect(try await bench.plays(key, as: "film/kept"))
                #expect(shelf.all.keys.sorted() == ["skd://film/kept"])
                // The policy of this one keeps nothing: an online key.
                #expect(try await bench.plays("film/hd", persistable: true))
                #expect(shelf.all.count == 1)
            }
            try await KeyPathBench.run(options, server: server, time: JumpingTime()) { bench in
                let key = try await bench.key("film/kept", persistable: true)
                #expect(try await bench.plays(key, as: "film/kept"))
                #expect(bench.proxy.heard.isEmpty)
            }
        }
    }

    @Test("A kept key that the device refuses is not the answer twice: the server is asked for another")
    func obsoleteKeptKey() async throws {
        let (time, shelf) = (JumpingTime(), Shelf())
        try await ServerWithRules.run(time) { server in
            let device = server.device(time)
            let options = KeyPathBench.Options(settings: .with { $0.keptKeys = shelf }, device: device)
            try await KeyPathBench.run(options, server: server, time: time) { bench in
                _ = try await bench.key("film/kept", persistable: true)
            }
            device.installSecurityUpdate()
            let old = shelf.all
            try await KeyPathBench.run(options, server: server, time: JumpingTime()) { bench in
                let delegate = Retrying()
                await bench.session.setDelegate(delegate)
                let key = try await bench.key("film/kept", persistable: true)
                #expect(try await bench.plays(key, as: "film/kept"))
                #expect(delegate.reasons.all == [.receivedObsoleteContentKey])
                #expect(bench.proxy.licenses.count == 1)
                #expect(shelf.all != old)
            }
        }
    }

    @Test("A kept key that the device refuses, without a delegate: the request fails, and the next one asks the server")
    func obsoleteKeptKeyAskedAgain() async throws {
        let (time, shelf) = (JumpingTime(), Shelf())
        try await ServerWithRules.run(time) { server in
            let options = KeyPathBench.Options(settings: .with { $0.keptKeys = shelf }, device: server.device(time))
            await shelf.keep([UInt8](repeating: 1, count: 100), for: "skd://film/kept")
            try await KeyPathBench.run(options, server: server, time: time) { bench in
                await #expect(throws: ContentKeyError.self) { _ = try await bench.key("film/kept", persistable: true) }
                #expect(await bench.errors.map(\.failure.kind) == [.deviceRefusesAnswer])
                let key = try await bench.key("film/kept", persistable: true)
                #expect(try await bench.plays(key, as: "film/kept"))
                #expect(bench.proxy.licenses.count == 1)
            }
        }
    }
}

/// Says yes to every other try, a few times.
final class Retrying: KeySessionDelegate {
    let reasons = Notes<ContentKeyRetryReason>()

    func contentKeySession(
        _: KeySession,
        shouldRetry _: ContentKeyRequest,
        reason: ContentKeyRetryReason
    ) -> Bool {
        reasons.add(reason)
        return reasons.all.count < 5
    }

    func contentKeySession(_: KeySession, didProvide _: ContentKeyRequest) {}
}
