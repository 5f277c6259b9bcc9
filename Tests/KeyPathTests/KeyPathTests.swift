import ContentKeySession
import ContentKeySessionTesting
import FPSCrypto
import KeywayTesting
import Testing
import VirtualDevice

@Suite("Key requests from player to server", .timeLimit(.minutes(10)))
struct KeyPathTests {
    @Test("A request of a waiting player gets the server's key")
    func onDemand() async throws {
        try await KeyPathBench.run { bench in
            let key = try await bench.key("film/hd")
            #expect(try await bench.plays(key, as: "film/hd"))
            #expect(bench.proxy.heard.map(\.path) == ["/fps/certificate", "/fps/license"])
            #expect(await bench.accesses.map(\.kind) == [.certificate, .onDemand])
            #expect(await bench.errors.isEmpty)
        }
    }

    @Test("A preload of a title makes one POST, and later requests make none")
    func preload() async throws {
        try await KeyPathBench.run { bench in
            let assets = ["film/audio", "film/sd", "film/hd"]
            await bench.loader.preload(assets.map { "skd://" + $0 })
            try await bench.pass(.seconds(1))
            #expect(bench.proxy.licenses.map(\.path) == ["/fps/licenses"])
            for asset in assets { #expect(try await bench.plays(asset)) }
            #expect(bench.proxy.licenses.count == 1)
            #expect(await bench.accesses.map(\.batchSize) == [0, 3, 3, 3])
        }
    }

    @Test("Three concurrent players of one key share a request")
    func merging() async throws {
        try await KeyPathBench.run { bench in
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<3 {
                    group.addTask { try await bench.plays("film/hd") }
                }
                for try await plays in group { #expect(plays) }
            }
            #expect(bench.proxy.licenses.count == 1)
        }
    }

    @Test("A player gets a key from a preload in progress")
    func mergingWithPreload() async throws {
        try await KeyPathBench.run { bench in
            await bench.loader.preload(["skd://film/sd", "skd://film/hd"])
            let key = try await bench.key("film/hd")
            #expect(try await bench.plays(key, as: "film/hd"))
            #expect(bench.proxy.licenses.map(\.path) == ["/fps/licenses"])
        }
    }

    @Test("A refusal is not retried, and the log contains the server's reason")
    func refusal() async throws {
        try await KeyPathBench.run { bench in
            await bench.session.setRoute(.airPlay)
            await #expect(throws: ContentKeyError.self) { _ = try await bench.key("film/at-home") }
            #expect(bench.proxy.licenses.count == 1)
            let entry = try #require(await bench.errors.first)
            #expect(entry.failure.kind == .forbidden)
            #expect(entry.failure.status == 403)
            #expect(entry.failure.problem == LogSafeWord("refused-by-policy"))
            #expect(entry.failure.reason == LogSafeWord("airplay-denied"))
            #expect(entry.description.contains("airplay-denied"))
            await bench.session.setRoute(.local)
            #expect(try await bench.plays("film/at-home"))
        }
    }

    @Test("Over AirPlay each call makes a request, and a persistable one gets an online key", .timeLimit(.minutes(10)))
    func airPlay() async throws {
        let persistentKeys = TestPersistentKeys()
        try await KeyPathBench.run(.init(settings: .with { $0.persistentKeys = persistentKeys })) { bench in
            #expect(try await bench.plays("film/hd"))
            await bench.session.setRoute(.airPlay)
            for count in 2...3 {
                _ = try await bench.key("film/hd")
                #expect(bench.proxy.licenses.count == count)
            }
            #expect(try await bench.plays("film/kept", persistable: true))
            #expect(persistentKeys.keys.isEmpty)
            #expect(await bench.errors.isEmpty)
        }
    }

    @Test("A Clear Key is fetched over HTTP with the token")
    func clearKey() async throws {
        try await KeyPathBench.run(.init(keySystem: .clearKey)) { bench in
            let kid = String(repeating: "ab", count: 16)
            let identifier = "http://127.0.0.1:\(bench.proxy.port)/keys/\(kid)"
            let key = try await bench.session.contentKey(identifier: identifier, for: bench.player)
            try await key.beginPlayback()
            let clear = try #require(key.protectedKey as? ClearContentKey)
            let bytes = try #require(clear.key?.bytes)
            #expect(SecretBytes(copying: bytes) == bench.server.keys["film/clear"])
            #expect(bench.purposes.all == [.license])
            #expect(bench.proxy.heard.map(\.path) == ["/keys/\(kid)"])
        }
    }
}
