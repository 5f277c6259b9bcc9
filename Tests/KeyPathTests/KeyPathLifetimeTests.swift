import ContentKeySession
import ContentKeySessionTesting
import KeywayTesting
import SimulatedClocks
import Testing
import VirtualDevice

@Suite("Leases and persistent keys from player to server", .timeLimit(.minutes(10)))
struct KeyPathLifetimeTests {
    @Test("The loader renews the server's lease before its end, each time with a new SPC and a new token")
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

    @Test("The loader uses the device's lease duration if the settings have none or a longer one")
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

    @Test("A preloaded key has a short lease, which is renewed too")
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

    @Test("A preload after the end of a lease makes a new request")
    func preloadAfterLease() async throws {
        try await KeyPathBench.run(.init(settings: .with { $0.renewal = LeaseRenewal(margin: 0.5) })) { bench in
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

    @Test("A persistent key is requested only once; the next session makes no request")
    func kept() async throws {
        let (time, persistentKeys) = (SimulatedTime(), TestPersistentKeys())
        try await TestKeyServer.run(time) { server in
            let device = server.device(time)
            let options = KeyPathBench.Options(settings: .with { $0.persistentKeys = persistentKeys }, device: device)
            try await KeyPathBench.run(options, server: server, time: time) { bench in
                let key = try await bench.key("film/kept", persistable: true)
                #expect(try await bench.plays(key, as: "film/kept"))
                #expect(persistentKeys.keys.keys.sorted() == ["skd://film/kept"])
                // The policy of this asset does not allow persistence, so the key is an online key.
                #expect(try await bench.plays("film/hd", persistable: true))
                #expect(persistentKeys.keys.count == 1)
            }
            try await KeyPathBench.run(options, server: server, time: SimulatedTime()) { bench in
                let key = try await bench.key("film/kept", persistable: true)
                #expect(try await bench.plays(key, as: "film/kept"))
                #expect(bench.proxy.heard.isEmpty)
            }
        }
    }

    @Test("A persistent key that the device refuses is not used again: the server is asked for a new one")
    func obsoleteKeptKey() async throws {
        let (time, persistentKeys) = (SimulatedTime(), TestPersistentKeys())
        try await TestKeyServer.run(time) { server in
            let device = server.device(time)
            let options = KeyPathBench.Options(settings: .with { $0.persistentKeys = persistentKeys }, device: device)
            try await KeyPathBench.run(options, server: server, time: time) { bench in
                _ = try await bench.key("film/kept", persistable: true)
            }
            device.installSecurityUpdate()
            let old = persistentKeys.keys
            try await KeyPathBench.run(options, server: server, time: SimulatedTime()) { bench in
                let delegate = Retrying()
                await bench.session.setDelegate(delegate)
                let key = try await bench.key("film/kept", persistable: true)
                #expect(try await bench.plays(key, as: "film/kept"))
                #expect(delegate.reasons.all == [.receivedObsoleteContentKey])
                #expect(bench.proxy.licenses.count == 1)
                #expect(persistentKeys.keys != old)
            }
        }
    }

    @Test("Without a delegate, a refused persistent key fails the request; the next one goes to the server")
    func obsoleteKeptKeyAskedAgain() async throws {
        let (time, persistentKeys) = (SimulatedTime(), TestPersistentKeys())
        try await TestKeyServer.run(time) { server in
            let settings = KeyLoaderSettings.with { $0.persistentKeys = persistentKeys }
            let options = KeyPathBench.Options(settings: settings, device: server.device(time))
            persistentKeys.save([UInt8](repeating: 1, count: 100), for: "skd://film/kept")
            try await KeyPathBench.run(options, server: server, time: time) { bench in
                await #expect(throws: ContentKeyError.self) { _ = try await bench.key("film/kept", persistable: true) }
                #expect(await bench.errors.map(\.failure.kind) == [.ckcRejected])
                let key = try await bench.key("film/kept", persistable: true)
                #expect(try await bench.plays(key, as: "film/kept"))
                #expect(bench.proxy.licenses.count == 1)
            }
        }
    }
}

/// A delegate that allows every other retry, a limited number of times.
final class Retrying: KeySessionDelegate {
    let reasons = EventRecorder<ContentKeyRetryReason>()

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
